//! What the linker is told: a small stack and a bound on memory, so that running out is an answer and not a trap.

fn main() {
    for argument in ["-zstack-size=16384", "--max-memory=67108864"] {
        println!("cargo::rustc-link-arg-cdylib={argument}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
