//! The guide `docs/SERVE.md` is run: each block of commands prints what the block below it says.
#![cfg(unix)]

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// A block of commands, and what it prints, `…` standing for anything.
#[derive(Debug, Default)]
struct Step {
    commands: String,
    expected: Option<String>,
}

fn steps(guide: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        let block = || {
            lines
                .by_ref()
                .take_while(|line| *line != "```")
                .flat_map(|line| {
                    [
                        line, "
",
                    ]
                })
                .collect()
        };
        match line {
            "```sh" => steps.push(Step { commands: { block }(), expected: None }),
            "```text" => steps.last_mut().expect("commands before their output").expected = Some({ block }()),
            _ => {}
        }
    }
    steps
}

/// Whether `text` is `pattern`, line by line.
fn matches(pattern: &str, text: &str) -> bool {
    let (patterns, lines): (Vec<_>, Vec<_>) = (pattern.lines().collect(), text.lines().collect());
    patterns.len() == lines.len()
        && patterns.iter().zip(lines).all(|(pattern, line)| {
            let mut rest = line;
            let parts: Vec<&str> = pattern.split('…').collect();
            parts.iter().enumerate().all(|(place, part)| {
                let found = match place {
                    0 => rest.starts_with(part).then_some(0),
                    last if last == parts.len() - 1 => rest.ends_with(part).then(|| rest.len() - part.len()),
                    _ => rest.find(part),
                };
                found.inspect(|at| rest = &rest[at + part.len()..]).is_some()
            }) && (pattern.contains('…') || rest.is_empty())
        })
}

#[test]
fn the_guide_does_what_it_says() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/SERVE.md");
    let steps = steps(&std::fs::read_to_string(guide).expect("the guide"));
    assert!(steps.len() > 10);
    let folder = tempfile::tempdir().expect("a folder");
    // One shell for all of it, as a reader has; what each block prints goes into a file of its own.
    let mut script = String::from("set -u\ntrap 'kill $(jobs -p)' EXIT\n");
    for (number, step) in steps.iter().enumerate() {
        let _ = write!(script, "exec > block-{number}.txt\n{}", step.commands);
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_leasebeat"));
    let path = format!(
        "{}:{}",
        binary.parent().expect("a folder").display(),
        std::env::var("PATH").expect("a path")
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(&folder).env("PATH", path).stdin(Stdio::null());
    let output = shell.output().expect("bash");
    let complaints = String::from_utf8_lossy(&output.stderr);
    for (number, step) in steps.iter().enumerate() {
        let file = folder.path().join(format!("block-{number}.txt"));
        let printed = std::fs::read_to_string(file).unwrap_or_default();
        let expected = step.expected.as_deref().unwrap_or_default();
        assert!(
            matches(expected, &printed),
            "{}printed\n{printed}not\n{expected}{complaints}",
            step.commands
        );
    }
    for fault in ["lost-response", "reset", "delay=", "delay-before=", "status=", "status-after=", "throttle"]
        .iter()
        .chain(&[
            "malformed",
            "wrong-schema",
            "body=",
            "accepted",
            "truncated",
            "stall",
            "clock=+",
            "clock=-",
        ])
        .chain(&["close-tenant"])
    {
        let asked = format!("X-Leasebeat-Fault: {fault}");
        assert!(steps.iter().any(|step| step.commands.contains(&asked)), "no command shows {fault}");
    }
}
