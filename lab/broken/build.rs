//! Copies the kernel's source once for each fault, with the fault in it, as a module of this crate.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

mod faults;

use faults::{Edit, FAULTS};

fn main() {
    let core = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../core/src");
    let out = PathBuf::from(env::var("OUT_DIR").expect("set by cargo"));
    println!("cargo::rerun-if-changed=faults.rs");
    println!("cargo::rerun-if-changed={}", core.display());
    println!("cargo::rustc-check-cfg=cfg(feature, values(\"serde\", \"wire\"))");
    let mut modules = String::new();
    for (fault, edits) in FAULTS {
        let folder = out.join(fault);
        fs::create_dir_all(&folder).expect("a folder in the build's own");
        for entry in fs::read_dir(&core).expect("the kernel's source") {
            let path = entry.expect("a file of the kernel").path();
            let Some(name) = path
                .file_name()
                .and_then(|name| name.to_str())
                .filter(|_| path.extension().is_some_and(|it| it == "rs"))
            else {
                continue;
            };
            let source = fs::read_to_string(&path).expect("a file of the kernel");
            let broken = edits
                .iter()
                .filter(|(file, ..)| *file == name)
                .fold(source, |source, edit| apply(&source, fault, edit));
            let name = if name == "lib.rs" { "mod.rs" } else { name };
            fs::write(folder.join(name), as_module(&broken, fault))
                .expect("a file in the build's own folder");
        }
        let path = folder.join("mod.rs").display().to_string();
        writeln!(modules, "#[allow(warnings, clippy::all, clippy::pedantic)]\n#[path = {path:?}]\npub mod {fault};\nadapt!({fault});")
            .expect("a String takes it");
    }
    let names: Vec<&str> = FAULTS.iter().map(|(fault, _)| *fault).collect();
    writeln!(modules, "/// Every fault.\npub const ALL: &[&str] = &{names:?};").expect("a String takes it");
    fs::write(out.join("kernels.rs"), modules).expect("a file in the build's own folder");
}

fn apply(source: &str, fault: &str, (file, from, to): &Edit) -> String {
    let found = source.matches(from).count();
    assert!(found == 1, "{fault}: `{from}` stands {found} times in core/src/{file}; it must be once");
    source.replace(from, to)
}

/// A crate's root has attributes that a module cannot have, and its paths begin at the crate.
fn as_module(source: &str, fault: &str) -> String {
    let lines = source.lines().filter(|line| !line.starts_with("#!["));
    let module: Vec<&str> = lines.collect();
    module.join("\n").replace("crate::", &format!("crate::{fault}::"))
}
