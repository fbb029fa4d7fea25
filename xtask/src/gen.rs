//! The generated files, which are committed: `cargo xtask gen` writes them, `cargo xtask gen --check` compares.

use std::fs;

use crate::Outcome;
use crate::run::file;

pub const HEADER: &str = "include/leasebeat.h";
const CONFIG: &str = "ffi/cbindgen.toml";
/// What the header has, in its order: numbers, structs, then the functions.
const SOURCES: [&str; 11] = [
    "codes",
    "types",
    "config",
    "heartbeat",
    "view",
    "explain",
    "answer",
    "wire",
    "snapshot",
    "ticks",
    "names",
];

/// Writes what has changed; with `check`, fails where anything would.
pub fn run(check: bool) -> Outcome {
    let header = header()?;
    let path = file(HEADER);
    if fs::read_to_string(&path).is_ok_and(|present| present == header) {
        return Ok(());
    }
    if check {
        return Err(format!("{HEADER} is not what ffi/src gives; run `cargo xtask gen`"));
    }
    fs::write(&path, header).map_err(|error| format!("{HEADER}: {error}"))?;
    eprintln!("wrote {HEADER}");
    Ok(())
}

fn header() -> Outcome<String> {
    let config = cbindgen::Config::from_file(file(CONFIG)).map_err(|error| format!("{CONFIG}: {error}"))?;
    let sources = SOURCES.iter().fold(cbindgen::Builder::new().with_config(config), |builder, name| {
        builder.with_src(file(&format!("ffi/src/{name}.rs")))
    });
    let mut text = Vec::new();
    sources.generate().map_err(|error| format!("cbindgen: {error}"))?.write(&mut text);
    let text = String::from_utf8(text).map_err(|error| format!("cbindgen: {error}"))?;
    Ok(for_c(&text))
}

/// Without what only a reader of the Rust source needs: the contract of `unsafe` is the header's own. A comment of one
/// line stands on one line.
fn for_c(header: &str) -> String {
    let mut kept: Vec<String> = Vec::new();
    let mut skipping = false;
    for line in header.lines() {
        let bare = line.trim();
        if bare == "* # Safety" {
            skipping = true;
            // The empty line of the comment before it.
            if kept.last().is_some_and(|last| last.trim() == "*") {
                kept.pop();
            }
        }
        if bare == "*/" {
            skipping = false;
        }
        if skipping {
            continue;
        }
        kept.push(line.to_owned());
        if let [.., start, text, end] = &kept[..]
            && start.trim() == "/**"
            && end.trim() == "*/"
        {
            let one = format!("{} {} */", start, text.trim().trim_start_matches("* "));
            kept.truncate(kept.len() - 3);
            kept.push(one);
        }
    }
    kept.join("\n") + "\n"
}
