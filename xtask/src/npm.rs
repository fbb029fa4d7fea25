//! The npm package: the kernel compiled to WebAssembly twice, alone and with everything, and the TypeScript around it.

use std::collections::BTreeMap;
use std::fs;

use crate::run::{command, file, output, run};
use crate::setup::WASM;
use crate::{Outcome, npm_names};

const MANIFEST: &str = "wasm/Cargo.toml";
/// The package's folder, in which npm runs.
pub const PACKAGE: &str = "wasm/npm";

/// What is compiled: the name of the files, and the features of the crate.
const VARIANTS: [(&str, &str); 2] = [("heartbeat", ""), ("full", "full")];

/// Builds the package into `wasm/npm/dist`.
pub fn build() -> Outcome {
    npm_names::write()?;
    for (name, features) in VARIANTS {
        compile(name, features)?;
    }
    npm(PACKAGE, &["run", "--silent", "build"])
}

/// Its tests, against `leasebeat serve` and in Chromium.
pub fn test() -> Outcome {
    crate::run::cargo(&["build", "--package", "leasebeat-cli", "--locked"])?;
    npm(PACKAGE, &["run", "--silent", "test"])
}

/// What its parts come to in bytes, minified and gzipped.
pub fn sizes() -> Outcome<BTreeMap<String, u64>> {
    build()?;
    let mut npm = command("npm", &["run", "--silent", "sizes"]);
    npm.current_dir(file(PACKAGE));
    let printed = output(npm)?;
    let text = String::from_utf8_lossy(&printed.stdout);
    text.lines()
        .map(|line| {
            let figure = line.split_once(' ').and_then(|(name, bytes)| Some((name, bytes.parse().ok()?)));
            figure.map(|(name, bytes)| (name.to_owned(), bytes)).ok_or_else(|| format!("no size: {line:?}"))
        })
        .collect()
}

/// A command of npm's in a folder.
pub fn npm(folder: &str, arguments: &[&str]) -> Outcome {
    let mut npm = command("npm", arguments);
    npm.current_dir(file(folder));
    run(npm)
}

/// The kernel as `src/wasm/NAME.wasm`.
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
    let folder = file(PACKAGE).join("src/wasm");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let (from, to) = (compiled.display().to_string(), format!("src/wasm/{name}.wasm"));
    // The stack lies lowest, so nothing is below it. The linker exports two addresses (`__*`) that nobody asks for.
    let optimise = ["-Oz", "--converge", "--low-memory-unused", "--remove-exports=__*"];
    let strip = ["--strip-debug", "--strip-producers", "--strip-target-features"];
    let files = [from.as_str(), "-o", to.as_str()];
    npm(PACKAGE, &[&["exec", "--offline", "--", "wasm-opt"], &optimise[..], &strip, &files].concat())
}
