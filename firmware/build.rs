//! Links the programs for the board: only they, and only there, for the library builds everywhere.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=memory.x");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "none") {
        // Where the linker finds memory.x.
        let here = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
        println!("cargo::rustc-link-search={here}");
        println!("cargo::rustc-link-arg-bins=-Tlink.x");
    }
}
