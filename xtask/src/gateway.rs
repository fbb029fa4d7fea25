//! The gateway at its full size, the official client beside it, and the ways of keeping leases compared: what they took is
//! written into `docs/GATEWAY.md`.

use std::fmt::Write;

use crate::Outcome;
use crate::run::{cargo, command, file, output};

const GUIDE: &str = "docs/GATEWAY.md";
const BEGIN: &str = "<!-- written by `cargo xtask soak gateway` -->\n";
const END: &str = "<!-- end -->";
/// A beat of each lease every 50 s: 2,000 a second. It needs a machine that has nothing else to do, for the official client more
/// than for the gateway.
const RUN: &str = "--leases 100000 --creates 2500 --ttl 60s --max-lead 60s --timeout 4s --for 130s";

/// Runs all of it, about six minutes, and writes the guide's figures.
pub fn campaign() -> Outcome {
    let packages =
        ["--package", "leasebeat-cli", "--package", "leasebeat-gateway", "--package", "leasebeat-herd"];
    cargo(&[&["build", "--release", "--locked"][..], &packages].concat())?;
    let mut figures = format!(
        "On {}, {} processors ({}), {}; client and server together on this machine.\n",
        said("date", &["-u", "+%-d %B %Y"])?,
        said("nproc", &[])?,
        processor()?,
        said("rustc", &["--version"])?,
    );

    let run: Vec<&str> = RUN.split(' ').collect();
    let kept = said("target/release/leasebeat-gateway", &[&run[..], &["--json"]].concat())?;
    println!("{kept}");
    let log = std::env::temp_dir().join(format!("leasebeat-official-{}.jsonl", std::process::id()));
    let logged = ["--log", &log.to_string_lossy()];
    let official = said("target/release/official", &[&run[..], &logged].concat());
    let _ = std::fs::remove_file(&log);
    let official = official?;
    // The last lines: the summary, and the JSON that was asked for.
    let lines: Vec<&str> = kept.lines().collect();
    let (summary, json) = lines.split_at(lines.len().saturating_sub(1));
    let summary = &summary[summary.len().saturating_sub(3)..];
    let _ = write!(figures, "\n`leasebeat-gateway {RUN}`:\n\n```text\n{}\n```\n", summary.join("\n"));
    let _ = write!(
        figures,
        "\nBoth over HTTP, from when all leases were there; `official` is `runcycles` as it is published, with the same options:\n\
         \n```text\n{}\n{official}\n```\n",
        json.join("\n")
    );
    for rtt in ["0s", "5ms"] {
        let compared = said("target/release/leasebeat-herd", &["--leases", "100000", "--rtt", rtt])?;
        let _ =
            write!(figures, "\n`leasebeat-herd --leases 100000 --rtt {rtt}`:\n\n```text\n{compared}\n```\n");
    }
    write(&figures)
}

fn write(figures: &str) -> Outcome {
    let path = file(GUIDE);
    let guide = std::fs::read_to_string(&path).map_err(|error| format!("{GUIDE}: {error}"))?;
    let (before, rest) = guide.split_once(BEGIN).ok_or_else(|| format!("{GUIDE}: there is no {BEGIN:?}"))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| format!("{GUIDE}: there is no {END:?}"))?;
    std::fs::write(&path, format!("{before}{BEGIN}{figures}{END}{after}"))
        .map_err(|error| format!("{GUIDE}: {error}"))
}

fn said(program: &str, arguments: &[&str]) -> Outcome<String> {
    let output = output(command(program, arguments))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}

fn processor() -> Outcome<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").map_err(|error| format!("/proc/cpuinfo: {error}"))?;
    let model = text.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown");
    Ok(model.trim_start_matches([' ', '\t', ':']).to_owned())
}
