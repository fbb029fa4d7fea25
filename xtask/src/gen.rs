//! The generated files, which are committed: `cargo xtask gen` writes them, `cargo xtask gen --check` compares.

use std::fs;

use crate::Outcome;
use crate::run::file;

pub const HEADER: &str = "include/leasebeat.h";
pub const FLEET_HEADER: &str = "include/leasebeat_fleet.h";

/// A generated header.
struct Header {
    path: &'static str,
    config: &'static str,
    /// What it has, in its order: numbers, structs, then the functions.
    sources: &'static [&'static str],
}

const HEADERS: [Header; 2] = [
    Header {
        path: HEADER,
        config: "ffi/cbindgen.toml",
        sources: &[
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
        ],
    },
    Header {
        path: FLEET_HEADER,
        config: "ffi/cbindgen-fleet.toml",
        sources: &["fleet_types", "fleet", "fleet_view"],
    },
];

/// Writes what has changed; with `check`, fails where anything would.
pub fn run(check: bool) -> Outcome {
    HEADERS.iter().try_for_each(|header| write(header, check))
}

fn write(header: &Header, check: bool) -> Outcome {
    let name = header.path;
    let (text, path) = (generated(header)?, file(name));
    if fs::read_to_string(&path).is_ok_and(|present| present == text) {
        return Ok(());
    }
    if check {
        return Err(format!("{name} is not what ffi/src gives; run `cargo xtask gen`"));
    }
    fs::write(&path, text).map_err(|error| format!("{name}: {error}"))?;
    eprintln!("wrote {name}");
    Ok(())
}

fn generated(header: &Header) -> Outcome<String> {
    let config = header.config;
    let config = cbindgen::Config::from_file(file(config)).map_err(|error| format!("{config}: {error}"))?;
    let sources =
        header.sources.iter().fold(cbindgen::Builder::new().with_config(config), |builder, name| {
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
