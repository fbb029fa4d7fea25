//! Gives the shared library its soname, which carries the ABI's version.

#![allow(clippy::expect_used)]

fn main() {
    println!("cargo:rerun-if-changed=src/types.rs");
    println!("cargo:rerun-if-changed=build.rs");
    let linux = std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux");
    if !linux {
        return;
    }
    let types = std::fs::read_to_string("src/types.rs").expect("src/types.rs is there");
    let version = types
        .split_once("LEASEBEAT_ABI_VERSION: u32 = ")
        .and_then(|(_, rest)| rest.split_once(';'))
        .expect("src/types.rs has the ABI's version")
        .0;
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libleasebeat.so.{version}");
}
