//! The kernel linked for a Cortex-M3: that it links shows that nothing in it panics, and what it costs in flash.

use object::{Object, ObjectSection};

use crate::Outcome;
use crate::run::{command, file, run};
use crate::setup::CORTEX_M3;

const MANIFEST: &str = "tests/bare-metal/Cargo.toml";

/// Links config, handle, tick, lead and fence, then everything public, and each with the decoding of answers, where
/// a panic would be an undefined symbol.
pub fn links_no_panic() -> Outcome {
    for features in [&[][..], &["everything"], &["wire"], &["everything", "wire"]] {
        link(features)?;
    }
    Ok(())
}

/// What a linked program takes of the flash.
pub struct Flash {
    /// Bytes of `.text` and `.rodata`, builtins included: the kernel, and of the calling program what its features add.
    pub kernel: u64,
    /// With the functions that call it and handle its decisions, which the program keeps in a section of their own.
    pub program: u64,
}

/// Links with these features of the calling program, and measures.
pub fn flash_bytes(features: &[&str]) -> Outcome<Flash> {
    link(features)?;
    let path = file(&format!("target/bare-metal/{CORTEX_M3}/release/leasebeat-bare-metal"));
    let data = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let elf = object::File::parse(&*data).map_err(|error| format!("{}: {error}", path.display()))?;
    let size = |name| elf.section_by_name(name).map_or(0, |section| section.size());
    let (kernel, calling) = (size(".text") + size(".rodata"), size(".calling_program"));
    if calling == 0 {
        return Err(
            "the calling program is not apart from the kernel: no section .calling_program".to_owned()
        );
    }
    Ok(Flash { kernel, program: kernel + calling })
}

fn link(features: &[&str]) -> Outcome {
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
        CORTEX_M3,
    ];
    let features = features.join(",");
    let mut build = command("cargo", &[&arguments[..], &["--features", &features]].concat());
    // Flags meant for the host would reach the target too.
    build.env_remove("RUSTFLAGS");
    run(build).map_err(|what| format!("{what}; an undefined `leasebeat_can_panic` means that code can panic"))
}
