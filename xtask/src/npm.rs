//! The npm package: the kernel compiled to WebAssembly twice, alone and with everything, and the TypeScript around it.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use leasebeat::{ErrorCode, Rule, StopReason};
use wasm_bindgen_cli_support::Bindgen;

use crate::Outcome;
use crate::run::{command, file, run};
use crate::setup::WASM;

const MANIFEST: &str = "wasm/Cargo.toml";
/// The package's folder, in which npm runs.
pub const PACKAGE: &str = "wasm/npm";
/// Checked in, so that a reader sees them; `cargo xtask npm` writes them.
const NAMES: &str = "wasm/npm/src/names.ts";

/// What is compiled: the name of the files, and the features of the crate.
const VARIANTS: [(&str, &str); 2] = [("heartbeat", ""), ("full", "full")];

/// Builds the package into `wasm/npm/dist`.
pub fn build() -> Outcome {
    write_names()?;
    for (name, features) in VARIANTS {
        compile(name, features)?;
    }
    npm(&["run", "--silent", "build"])
}

/// A command of npm's in the package's folder.
pub fn npm(arguments: &[&str]) -> Outcome {
    let mut npm = command("npm", arguments);
    npm.current_dir(file(PACKAGE));
    run(npm)
}

/// The kernel as `src/wasm/NAME.js` and `src/wasm/NAME_bg.wasm`.
fn compile(name: &str, features: &str) -> Outcome {
    let target = format!("target/wasm/{name}");
    let arguments = [
        "build",
        "--quiet",
        "--release",
        "--locked",
        "--manifest-path",
        MANIFEST,
        "--target-dir",
        &target,
        "--target",
        WASM,
        "--features",
        features,
    ];
    let mut build = command("cargo", &arguments);
    // Flags meant for the host would reach the target too.
    build.env_remove("RUSTFLAGS");
    run(build)?;
    let compiled = file(&target).join(WASM).join("release/leasebeat_wasm.wasm");
    bind(name, compiled)?;
    let module = format!("src/wasm/{name}_bg.wasm");
    npm(&["exec", "--offline", "--", "wasm-opt", "-Oz", "--strip-producers", "--strip-target-features", &module, "-o", &module])
}

/// The glue that wasm-bindgen generates, for any loader that has the module.
fn bind(name: &str, compiled: PathBuf) -> Outcome {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(compiled).out_name(name).typescript(true).omit_default_module_path(true);
    let web = bindgen.web(true).map_err(|error| format!("wasm-bindgen: {error:#}"))?;
    let generated = web.generate(file(PACKAGE).join("src/wasm"));
    generated.map_err(|error| format!("wasm-bindgen: {error:#}"))
}

/// The names of the kernel's enums, in the order of their numbers.
fn write_names() -> Outcome {
    let mut text = String::from("// Generated from the kernel by `cargo xtask npm`.\n");
    let lists = [
        ("stopReasons", StopReason::ALL.iter().map(|one| one.as_str()).collect::<Vec<_>>()),
        ("rules", Rule::ALL.iter().map(|one| one.id()).collect()),
        ("errorCodes", ErrorCode::ALL.iter().map(|one| one.as_str()).collect()),
    ];
    for (list, names) in lists {
        let _ = writeln!(text, "\nexport const {list} = [");
        for name in names {
            let _ = writeln!(text, "  '{name}',");
        }
        text.push_str("] as const\n");
    }
    let path = file(NAMES);
    if fs::read_to_string(&path).is_ok_and(|written| written == text) {
        return Ok(());
    }
    fs::write(&path, text).map_err(|error| format!("{NAMES}: {error}"))
}
