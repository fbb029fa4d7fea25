//! `--compare`: a table, and a picture.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use leasebeat_lab::compare::{Curve, Row, Setup};
use serde_json::json;

use super::options::Args;
use super::{plot, progress};
use crate::exit;

pub(super) fn run(args: &Args) -> ExitCode {
    let setup = args.setup();
    let steps = setup.strategies.len() as u64 * setup.runs() + setup.sweep_steps() as u64;
    let bar = progress::bar(steps, "simulating");
    let done = || bar.inc(1);
    let rows = setup.compare(args.threads(), done);
    let curves = rows.and_then(|rows| Ok((rows, setup.sweep(args.threads(), done)?)));
    bar.finish_and_clear();
    let (rows, curves) = match curves {
        Ok(both) => both,
        Err(error) => return exit::bad_input(error),
    };
    let svg = args.svg.as_deref().unwrap_or_else(|| Path::new("compare.svg"));
    if let Err(error) = plot::write(svg, &setup, &rows, &curves) {
        return exit::bad_input(format!("{}: {error}", svg.display()));
    }
    let text =
        if args.json { format!("{}\n", json(&setup, &rows, &curves)) } else { table(&setup, &rows, svg) };
    match io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => exit::bad_input(error),
    }
}

fn json(setup: &Setup, rows: &[Row], curves: &[Curve]) -> serde_json::Value {
    let rows: Vec<_> = rows
        .iter()
        .map(|Row { strategy, tally }| {
            json!({
                "strategy": strategy,
                "lease_hours": tally.lease_hours(),
                "lapses_per_million_hours": tally.lapses_per_million_hours(),
                "unnoticed_per_million_hours": tally.unnoticed_per_million_hours(),
                "unknowing_s_per_million_hours": tally.unknowing_s_per_million_hours(),
                "unknowing_max_ms": tally.unknowing_max_ns / 1_000_000,
                "notice_s": tally.notice_s(),
                "extensions_per_hour": tally.extensions_per_hour(),
                "requests_per_outage": tally.requests_per_outage(),
                "lapses": tally.lapses,
                "unnoticed": tally.unnoticed,
                "refused": tally.refused,
                "done": tally.done,
                "events": tally.events,
                "faults": tally.counts,
            })
        })
        .collect();
    json!({ "setup": setup, "strategies": rows, "outages": curves })
}

fn table(setup: &Setup, rows: &[Row], svg: &Path) -> String {
    let mut text = String::new();
    let seconds = |ms: u64| crate::units::seconds(leasebeat::Millis::new(ms));
    let _ = writeln!(
        text,
        "{} lease-hours of each strategy: TTL {}, request timeout {},\npolicy {}, faults {}, seed {}\n",
        setup.hours,
        seconds(setup.ttl_ms),
        seconds(setup.request_timeout_ms),
        setup.policy.name(),
        setup.faults.name(),
        setup.seed
    );
    let _ = writeln!(
        text,
        "{:18}{:>10}{:>12}{:>14}{:>8}{:>8}{:>9}",
        "", "lapses", "unnoticed", "held but gone", "noticed", "exten-", "requests"
    );
    let _ =
        writeln!(text, "{:>54}{:>8}{:>8}{:>9}", "in a million lease-hours", "after s", "sions/h", "/outage");
    for Row { strategy, tally } in rows {
        let _ = writeln!(
            text,
            "{:18}{:>10}{:>12}{:>12} s{:>8.1}{:>8.1}{:>9.2}",
            strategy.name(),
            whole(tally.lapses_per_million_hours()),
            whole(tally.unnoticed_per_million_hours()),
            whole(tally.unknowing_s_per_million_hours()),
            tally.notice_s(),
            tally.extensions_per_hour(),
            tally.requests_per_outage(),
        );
    }
    let _ = writeln!(text, "\nThe picture is in {}. How to read both: docs/LAB.md", svg.display());
    text
}

/// A whole number in groups of three digits.
fn whole(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0.4, 999.0, 1_000.0, 25_443_183.2].map(whole), ["0", "999", "1,000", "25,443,183"]);
    }
}
