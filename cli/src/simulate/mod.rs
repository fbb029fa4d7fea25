//! `leasebeat simulate`: the lab on the command line.

mod check;
mod compare;
mod find;
mod options;
mod plot;
mod progress;

use std::process::ExitCode;

pub(crate) use options::Args;

/// Does what is asked: a comparison, where nothing else is.
pub(crate) fn run(args: &Args) -> ExitCode {
    if let Err(what) = args.checked() {
        return crate::exit::bad_input(what);
    }
    if args.check {
        check::run(args)
    } else if args.find_lapse {
        find::run(args)
    } else {
        compare::run(args)
    }
}
