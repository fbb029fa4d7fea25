//! `leasebeat decode`: what raw HTTP answers say, by rules W1 to W6.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use leasebeat::wire::UnknownKeys;
use leasebeat_trace::{Answers, LineError, write_decoded};

use crate::input::{self, Problem, ended};

/// What `decode` is asked to do.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The answers, one JSON object a line: {"op":"create"|"extend","status":200,"retry_after":null,"body":"…"}, or
    /// "body_base64" for a body that is no text; - is standard input
    file: PathBuf,
    /// Also say of each answer the first thing that is wrong with it, as a JSON pointer and a byte offset
    #[arg(long)]
    explain: bool,
    /// What a key is that the schema does not name; a line may say otherwise by its own "unknown_keys"
    #[arg(long, value_enum, default_value_t)]
    unknown_keys: OnUnknownKeys,
}

#[derive(Debug, Clone, Copy, Default, clap::ValueEnum)]
enum OnUnknownKeys {
    /// It makes the answer ambiguous
    #[default]
    Reject,
    /// It is skipped, for a client that must outlive a newer server
    Ignore,
}

/// Prints one event a line, until the answers end or break.
pub(crate) fn run(args: &Args) -> ExitCode {
    let input = match input::open(&args.file) {
        Ok(input) => input,
        Err(code) => return code,
    };
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let decoded = decode(input, args, &mut out);
    let flushed = out.flush().map_err(Problem::Output);
    ended(decoded.and(flushed), &args.file)
}

fn decode(input: impl Read, args: &Args, out: &mut impl Write) -> Result<(), Problem<LineError>> {
    let unknown_keys = match args.unknown_keys {
        OnUnknownKeys::Reject => UnknownKeys::Reject,
        OnUnknownKeys::Ignore => UnknownKeys::Ignore,
    };
    let mut answers = Answers::new(BufReader::with_capacity(1 << 16, input), unknown_keys);
    while let Some(answer) = answers.next_answer().map_err(Problem::Input)? {
        write_decoded(out, &answer.decode(), args.explain).map_err(Problem::Output)?;
    }
    Ok(())
}
