//! Running other programs from the project's root, each announced before it runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::Outcome;

/// The project's root.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the project")
}

/// A command in the project's root.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    // Those of the cargo that runs xtask would bind its children to xtask's own package.
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_xtasks_own(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

fn is_xtasks_own(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") || name == "RUSTUP_TOOLCHAIN"
}

/// Runs `command` to its end.
pub fn run(mut command: Command) -> Outcome {
    announce(&command);
    let status = command.status().map_err(|error| format!("{}: {error}", name(&command)))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed: {status}", name(&command))) }
}

/// Runs `command` to its end, and gives what it printed.
pub fn output(mut command: Command) -> Outcome<Output> {
    announce(&command);
    let output = command.output().map_err(|error| format!("{}: {error}", name(&command)))?;
    if output.status.success() {
        return Ok(output);
    }
    eprint!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("{} failed: {}", name(&command), output.status))
}

/// `cargo` with these arguments.
pub fn cargo(arguments: &[&str]) -> Outcome {
    run(command("cargo", arguments))
}

/// Whether `program` is there and answers.
pub fn answers(program: &str, arguments: &[&str]) -> bool {
    command(program, arguments).output().is_ok_and(|output| output.status.success())
}

/// A file of the project.
pub fn file(path: &str) -> PathBuf {
    root().join(path)
}

fn announce(command: &Command) {
    let arguments: Vec<_> = command.get_args().map(|argument| argument.to_string_lossy()).collect();
    eprintln!("\n$ {} {}", name(command), arguments.join(" "));
}

fn name(command: &Command) -> String {
    command.get_program().to_string_lossy().into_owned()
}
