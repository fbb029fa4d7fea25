//! How the command ends: its exit codes, and its one way to complain.

use std::fmt::Display;
use std::process::ExitCode;

/// The exit codes, for `--help`.
pub(crate) const HELP: &str =
    "Exit codes: 0 fine, 1 the lease was not kept or a fault not shown, 2 wrong usage or bad input";

/// The lease was never granted, lapsed, or was given up; or the demo did not show what it promises.
pub(crate) fn not_kept(why: impl Display) -> ExitCode {
    eprintln!("leasebeat: {why}");
    ExitCode::FAILURE
}

/// The command line or a file is not what it should be.
pub(crate) fn bad_input(what: impl Display) -> ExitCode {
    eprintln!("leasebeat: {what}");
    ExitCode::from(2)
}

/// Prints what clap has to say: help and version as they are, complaints in this command's form.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Nothing is left to do where even help cannot be written.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    bad_input(text.strip_prefix("error: ").unwrap_or(&text).trim_end())
}
