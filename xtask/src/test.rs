//! `cargo xtask test`: what every change must pass.

use crate::run::{cargo, command, run};
use crate::setup::{self, CORTEX_M3, MSRV};
use crate::{Outcome, bare_metal, budgets};

/// What is shipped, and so must build with the oldest compiler. The tests need a newer one.
const SHIPPED: [&str; 3] = ["leasebeat", "leasebeat-trace", "leasebeat-cli"];

/// All of it, the tests themselves last.
pub fn all() -> Outcome {
    setup::all()?;
    run(command("rustc", &["--version"]))?;
    format()?;
    lints()?;
    documentation()?;
    msrv()?;
    bare_metal::links_no_panic()?;
    budgets::check()?;
    tests()
}

fn format() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["fmt", "--manifest-path", "xtask/Cargo.toml", "--check"])?;
    cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])?;
    cargo(&["fmt", "--manifest-path", "tests/bare-metal/Cargo.toml", "--check"])
}

fn lints() -> Outcome {
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-Dwarnings"])?;
    // The kernel as it is shipped, without its tests' allowances and without features.
    cargo(&[
        "clippy",
        "--package",
        "leasebeat",
        "--lib",
        "--no-default-features",
        "--locked",
        "--",
        "-Dwarnings",
    ])?;
    cargo(&[
        "clippy",
        "--manifest-path",
        "xtask/Cargo.toml",
        "--target-dir",
        "target/xtask",
        "--locked",
        "--",
        "-Dwarnings",
    ])
}

fn documentation() -> Outcome {
    // Libraries only: the command and the kernel have one name, and would write one page.
    let mut doc =
        command("cargo", &["doc", "--workspace", "--lib", "--no-deps", "--all-features", "--locked"]);
    doc.env("RUSTDOCFLAGS", "-Dwarnings");
    run(doc)
}

fn msrv() -> Outcome {
    for package in SHIPPED {
        let toolchain = format!("+{MSRV}");
        let arguments =
            ["check", "--package", package, "--all-features", "--locked", "--target-dir", "target/msrv"];
        cargo(&[&[toolchain.as_str()], &arguments[..]].concat())?;
    }
    Ok(())
}

fn tests() -> Outcome {
    cargo(&["build", "--package", "leasebeat", "--no-default-features", "--target", CORTEX_M3, "--locked"])?;
    cargo(&["test", "--package", "leasebeat", "--no-default-features", "--locked"])?;
    cargo(&["test", "--workspace", "--all-features", "--locked"])
}
