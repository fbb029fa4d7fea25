//! What a figure was measured with.

use std::fs;

use crate::Outcome;
use crate::run::{command, output};

/// The first line that a program prints about its version.
pub fn version(tool: &str) -> Outcome<String> {
    let line = first_line(tool, &["--version"])?;
    let name = tool.rsplit('/').next().unwrap_or(tool);
    Ok(if line.to_lowercase().contains(name) { line } else { format!("{name} {line}") })
}

/// The commit that is checked out; with a `+` where a file has changed that can matter: no document, and not the
/// history.
pub fn commit() -> Outcome<String> {
    let commit = first_line("git", &["rev-parse", "--short=10", "HEAD"])?;
    let arguments = ["status", "--porcelain", "--", ".", ":!docs", ":!*.md", ":!benches/history.tsv"];
    let changed = output(command("git", &arguments))?;
    Ok(if changed.stdout.is_empty() { commit } else { commit + "+" })
}

/// Today, in UTC.
pub fn date() -> Outcome<String> {
    first_line("date", &["-u", "+%Y-%m-%d"])
}

/// Processor, cores and system.
pub fn name() -> Outcome<String> {
    let info = fs::read_to_string("/proc/cpuinfo").map_err(|error| format!("/proc/cpuinfo: {error}"))?;
    let of = |key: &str| {
        let line = info.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(": ")).map_or("unknown", |(_, value)| value.trim())
    };
    let cores = info.lines().filter(|line| line.starts_with("processor")).count();
    let system = first_line("uname", &["-srm"])?;
    Ok(format!(
        "{}, family {} model {}, {cores} cores, {system}",
        of("model name"),
        of("cpu family"),
        of("model\t")
    ))
}

/// The load average of the last minute.
pub fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or("unknown").to_owned()
}

fn first_line(program: &str, arguments: &[&str]) -> Outcome<String> {
    let printed = output(command(program, arguments))?;
    let text = String::from_utf8_lossy(&printed.stdout);
    Ok(text.lines().next().unwrap_or_default().trim().to_owned())
}
