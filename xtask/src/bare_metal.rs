//! The kernel linked for bare targets: that it links shows that nothing in it panics, and what it costs in flash.

use object::{Object, ObjectSection};

use crate::Outcome;
use crate::run::{command, file, run};
use crate::setup::CORTEX_M3;

const MANIFEST: &str = "tests/bare-metal/Cargo.toml";

/// Links config, handle, tick, lead and fence, then everything public, and each with the decoding of answers, where
/// a panic would be an undefined symbol.
pub fn links_no_panic(target: &str) -> Outcome {
    for features in [&[][..], &["everything"], &["wire"], &["everything", "wire"]] {
        link(target, features)?;
    }
    Ok(())
}

/// Bytes of `.text` and `.rodata` of the kernel, builtins and the calling program included; with what a firmware
/// calls, and with these features of the calling program.
pub fn flash_bytes(features: &[&str]) -> Outcome<u64> {
    link(CORTEX_M3, features)?;
    let path = file(&format!("target/bare-metal/{CORTEX_M3}/release/leasebeat-bare-metal"));
    let data = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let elf = object::File::parse(&*data).map_err(|error| format!("{}: {error}", path.display()))?;
    let size = |name| elf.section_by_name(name).map_or(0, |section| section.size());
    Ok(size(".text") + size(".rodata"))
}

fn link(target: &str, features: &[&str]) -> Outcome {
    let arguments = [
        "build",
        "--quiet",
        "--release",
        "--locked",
        "--manifest-path",
        MANIFEST,
        "--target-dir",
        "target/bare-metal",
        "--target",
        target,
    ];
    let features = features.join(",");
    let mut build = command("cargo", &[&arguments[..], &["--features", &features]].concat());
    // Flags meant for the host would reach the target too.
    build.env_remove("RUSTFLAGS");
    run(build).map_err(|what| format!("{what}; an undefined `leasebeat_can_panic` means that code can panic"))
}
