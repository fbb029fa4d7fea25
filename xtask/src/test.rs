//! `cargo xtask test`: what every change must pass.

use crate::run::{cargo, command, run};
use crate::setup::{self, CORTEX_M3, MSRV, WASM};
use crate::{
    Outcome, bare_metal, bench, budgets, consumer, firmware, fleet, fuzz, java, npm, playground, python,
};

/// What is shipped, and so must build with the oldest compiler. The tests need a newer one.
const SHIPPED: [&str; 6] = [
    "leasebeat",
    "leasebeat-authority",
    "leasebeat-ffi",
    "leasebeat-trace",
    "leasebeat-lab",
    "leasebeat-cli",
];

/// Sequences of calls of the C ABI that every change is fuzzed with: about half a minute. `cargo xtask soak fuzz-ffi` makes more.
const FUZZED: u64 = 1_000_000;

/// All of it, the tests themselves last.
pub fn all() -> Outcome {
    setup::all()?;
    setup::fuzz()?;
    run(command("rustc", &["--version"]))?;
    format()?;
    lints()?;
    documentation()?;
    bench::check()?;
    msrv()?;
    bare_metal::links_no_panic(CORTEX_M3)?;
    budgets::check()?;
    fleet::check()?;
    consumer::all()?;
    fuzz::ffi(FUZZED)?;
    firmware::all()?;
    npm::test()?;
    java::all()?;
    python::all()?;
    tests()
}

fn format() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["fmt", "--manifest-path", "xtask/Cargo.toml", "--check"])?;
    cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"])?;
    cargo(&["fmt", "--manifest-path", "firmware/Cargo.toml", "--check"])?;
    cargo(&["fmt", "--manifest-path", "bindings/python/Cargo.toml", "--check"])?;
    cargo(&["fmt", "--manifest-path", "wasm/Cargo.toml", "--check"])?;
    cargo(&["fmt", "--manifest-path", "tests/bare-metal/Cargo.toml", "--check"])
}

fn lints() -> Outcome {
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--locked", "--", "-Dwarnings"])?;
    // The kernel and the authority as they are shipped, without their tests' allowances and without features.
    for package in ["leasebeat", "leasebeat-authority"] {
        let arguments = [
            "clippy",
            "--package",
            package,
            "--lib",
            "--no-default-features",
            "--locked",
            "--",
            "-Dwarnings",
        ];
        cargo(&arguments)?;
    }
    for features in ["", "full"] {
        let arguments =
            ["clippy", "--manifest-path", "wasm/Cargo.toml", "--target-dir", "target/wasm/clippy"];
        let options = ["--target", WASM, "--features", features, "--locked", "--", "-Dwarnings"];
        cargo(&[&arguments[..], &options].concat())?;
    }
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
    for package in ["leasebeat", "leasebeat-authority"] {
        let arguments =
            ["build", "--package", package, "--no-default-features", "--target", CORTEX_M3, "--locked"];
        cargo(&arguments)?;
    }
    cargo(&["test", "--package", "leasebeat", "--no-default-features", "--locked"])?;
    cargo(&["test", "--workspace", "--all-features", "--locked"])?;
    cargo(&[
        "test",
        "--quiet",
        "--manifest-path",
        "xtask/Cargo.toml",
        "--target-dir",
        "target/xtask",
        "--locked",
    ])?;
    playground::test()?;
    python()
}

/// The command as other languages' tools see it: the official Python client, and schemathesis.
pub fn python() -> Outcome {
    setup::python()?;
    cargo(&["build", "--package", "leasebeat-cli", "--locked"])?;
    let pytest = format!("{}/bin/python", setup::PYTHON);
    run(command(&pytest, &["-m", "pytest", "-p", "no:cacheprovider", "--quiet", "tests/python"]))
}
