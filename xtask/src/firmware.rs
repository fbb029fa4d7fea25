//! The firmware under QEMU, the kernel linked for other bare targets, and both answers of a big-endian machine.

use std::collections::BTreeMap;
use std::process::Command;

use crate::budgets::{self, Figure};
use crate::run::{command, file, output, run};
use crate::setup::{self, BIG_ENDIAN, CORTEX_M0, CORTEX_M3, RISC_V};
use crate::{Outcome, bare_metal};

const MANIFEST: &str = "firmware/Cargo.toml";
const TARGET: &str = "target/firmware";
const PEER: &str = "target/debug/leasebeat-firmware-peer";
const BIG_ENDIAN_RUNNER: [&str; 3] = ["qemu-s390x", "-L", "/usr/s390x-linux-gnu"];
/// The kernel's own tests, but for the enumeration, which takes longer than all others.
const KERNEL_TESTS: [&str; 6] = ["explain", "remedy", "rules", "serde", "snapshot", "views"];

/// All of it.
pub fn all() -> Outcome {
    setup::firmware()?;
    for target in [CORTEX_M0, RISC_V] {
        bare_metal::links_no_panic(target)?;
    }
    // What runs anywhere is tested here, and the guide with it.
    run(cargo(&["test"]))?;
    run(cargo(&["clippy", "--all-targets", "--", "-Dwarnings"]))?;
    run(cargo(&["clippy", "--target", CORTEX_M3, "--", "-Dwarnings"]))?;
    run(cargo(&["build", "--release", "--target", CORTEX_M3]))?;
    // What an engineer takes over builds for the others too.
    for target in [CORTEX_M0, RISC_V] {
        run(cargo(&[
            "build",
            "--release",
            "--lib",
            "--target",
            target,
            "--config",
            "profile.release.lto=false",
        ]))?;
    }
    crate::run::cargo(&["build", "--locked", "--package", "leasebeat-firmware-peer"])?;
    run(command(PEER, &["keep", &program("keep")]))?;
    replay()?;
    big_endian()
}

/// Every vector on the board, and what a call takes of its stack, held to the budgets.
fn replay() -> Outcome {
    let printed = output(command(PEER, &["replay", &program("replay")]))?;
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let mut figures = BTreeMap::new();
    for line in printed.lines() {
        match line.strip_prefix("stack ").map(|rest| rest.splitn(3, ' ').collect::<Vec<_>>()).as_deref() {
            Some([call, bytes, of]) => {
                let value = bytes.parse().map_err(|error| format!("{line:?}: {error}"))?;
                figures.insert((*call).to_owned(), Figure { value, of: (*of).to_owned() });
            }
            _ => println!("{line}"),
        }
    }
    budgets::verdict(&budgets::compare("stack_bytes", &figures)?)
}

/// The vectors, random traces and answers again on a machine with the other byte order, and the kernel's own tests.
fn big_endian() -> Outcome {
    run(with_linker(cargo(&["build", "--bin", "replay", "--target", BIG_ENDIAN])))?;
    let program = format!("{TARGET}/{BIG_ENDIAN}/debug/replay");
    run(command(PEER, &[&["replay"], &BIG_ENDIAN_RUNNER[..], &[program.as_str()]].concat()))?;
    let mut arguments = vec!["test", "--quiet", "--locked", "--package", "leasebeat", "--all-features"];
    arguments.extend(["--target", BIG_ENDIAN, "--target-dir", "target/big-endian", "--lib"]);
    arguments.extend(KERNEL_TESTS.iter().flat_map(|test| ["--test", test]));
    run(with_linker(command("cargo", &arguments)))
}

/// `cargo` on the firmware's own workspace.
fn cargo(arguments: &[&str]) -> Command {
    let (job, rest) = arguments.split_first().expect("a job for cargo");
    let mut all = vec![*job, "--quiet", "--locked", "--manifest-path", MANIFEST, "--target-dir", TARGET];
    all.extend(rest);
    let mut cargo = command("cargo", &all);
    // Flags meant for the host would reach the target too.
    cargo.env_remove("RUSTFLAGS");
    cargo
}

fn with_linker(mut cargo: Command) -> Command {
    let name = BIG_ENDIAN.to_uppercase().replace('-', "_");
    cargo.env(format!("CARGO_TARGET_{name}_LINKER"), setup::BIG_ENDIAN_LINKER);
    cargo.env(format!("CARGO_TARGET_{name}_RUNNER"), BIG_ENDIAN_RUNNER.join(" "));
    cargo
}

fn program(name: &str) -> String {
    file(&format!("{TARGET}/{CORTEX_M3}/release/{name}")).display().to_string()
}
