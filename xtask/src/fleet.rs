//! What a fleet costs in instructions: gated by `benches/budgets.toml`, and written into `docs/FLEET.md`.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use crate::Outcome;
use crate::bench::grouped;
use crate::budgets::{Figure, Held, compare, total, verdict};
use crate::run::{cargo, command, file, output};

const PROGRAM: &str = "target/release/leasebeat-fleet-bench";
const CALLS: [&str; 4] = ["insert", "handle", "poll", "remove"];
pub const SIZES: [u64; 4] = [1_000, 10_000, 100_000, 1_000_000];
const GUIDE: &str = "docs/FLEET.md";
const BEGIN: &str = "<!-- written by `cargo xtask fleet`: -->\n";
const END: &str = "<!-- end -->\n";

/// What was counted, in the order the program printed it.
pub type Counts = Vec<(String, u64)>;

/// Measures a fleet of a million, and holds it to its budgets.
pub fn check() -> Outcome {
    verdict(&measure()?)
}

/// The figures of a fleet of a million, each printed beside its budget.
pub fn measure() -> Outcome<Vec<Held>> {
    build()?;
    let (small, large) = (means("calls", 1_000)?, means("calls", 1_000_000)?);
    let mut figures = BTreeMap::new();
    let mut enter = |name: String, value| figures.insert(name, Figure { value, of: String::new() });
    for ((name, of_small), (_, of_large)) in small.iter().zip(&large) {
        enter(name.clone(), *of_large);
        enter(format!("{name}_tenfold"), of_large.saturating_sub(*of_small) / 3);
    }
    for call in CALLS {
        enter(format!("{call}_worst"), worst(call, 100_000)?);
    }
    compare("fleet", &figures)
}

/// Measures all sizes and all queues, and writes the figures into the guide.
pub fn document() -> Outcome {
    build()?;
    let calls = table("instructions a call", &SIZES, |leases| means("calls", leases))?;
    let worst = table("the dearest call", &SIZES, |leases| {
        CALLS.iter().map(|call| Ok(((*call).to_owned(), worst(call, leases)?))).collect()
    })?;
    let queues = table("instructions an operation", &SIZES, |leases| means("queues", leases))?;
    let herd = table("one poll of a herd", &SIZES, |leases| means("herd", leases))?;

    let path = file(GUIDE);
    let guide = fs::read_to_string(&path).map_err(|error| format!("{GUIDE}: {error}"))?;
    let rest = guide.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (before, after) = rest.ok_or_else(|| format!("{GUIDE} has no place for the figures"))?;
    let figures = format!("{BEGIN}\n{calls}\n{worst}\n{queues}\n{herd}\n{END}");
    fs::write(&path, format!("{before}{figures}{after}")).map_err(|error| format!("{GUIDE}: {error}"))
}

fn build() -> Outcome {
    cargo(&["build", "--release", "--locked", "--package", "leasebeat-benches"])
}

/// A row for each thing counted, a column for each size.
fn table(title: &str, sizes: &[u64], count: impl Fn(u64) -> Outcome<Counts>) -> Outcome<String> {
    let mut head = format!("| {title}, by leases |");
    let mut rows: Vec<(String, String)> = Vec::new();
    for leases in sizes {
        write!(head, " {} |", grouped(*leases)).map_err(|error| error.to_string())?;
        for (index, (name, value)) in count(*leases)?.into_iter().enumerate() {
            if rows.len() <= index {
                rows.push((name, String::new()));
            }
            write!(rows[index].1, " {} |", grouped(value)).map_err(|error| error.to_string())?;
        }
    }
    let rows: Vec<String> = rows.into_iter().map(|(name, cells)| format!("| {name} |{cells}\n")).collect();
    let rows = rows.concat();
    Ok(format!("{head}\n|---|{}\n{rows}", "---:|".repeat(sizes.len())))
}

/// The instructions of one call of each kind on average, rounded up.
pub fn means(what: &str, leases: u64) -> Outcome<Counts> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dump = directory.path().join("calls").display().to_string();
    let printed =
        count(&["--toggle-collect=leasebeat_fleet_bench::*measured_*".to_owned()], &dump, what, leases)?;
    let annotated = output(command("callgrind_annotate", &["--inclusive=yes", "--threshold=100", &dump]))?;
    let annotated = String::from_utf8_lossy(&annotated.stdout).into_owned();
    let mean = |line: &str| {
        let mut words = line.split(' ');
        let name = words.next()?;
        let calls: u64 = words.next()?.parse().ok()?;
        let function = format!("::measured_{name} ");
        let counted = annotated.lines().find(|line| line.contains(&function))?;
        let instructions: u64 = counted.split_whitespace().next()?.replace(',', "").parse().ok()?;
        Some((name.to_owned(), instructions.div_ceil(calls)))
    };
    let mean = |line| mean(line).ok_or_else(|| format!("{what} {leases}: nothing was counted of {line:?}"));
    printed.lines().map(mean).collect()
}

/// The instructions of the dearest call of one kind.
fn worst(call: &str, leases: u64) -> Outcome<u64> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dump = directory.path().join("calls");
    let function = format!("leasebeat_fleet_bench::measured_{call}");
    let each = [format!("--toggle-collect={function}"), format!("--dump-after={function}")];
    let printed = count(&each, &dump.display().to_string(), "worst", leases)?;
    let calls = printed.lines().filter(|line| line.starts_with(call)).count();
    let counts = (1..=calls).map(|number| total(&dump.with_extension(number.to_string())));
    let counts = counts.collect::<Outcome<Vec<_>>>()?;
    let worst = counts.into_iter().max().filter(|worst| *worst > 0);
    worst.ok_or_else(|| format!("callgrind counted nothing of {call}"))
}

/// What the program prints under callgrind.
fn count(options: &[String], dump: &str, what: &str, leases: u64) -> Outcome<String> {
    let mut arguments = vec!["--tool=callgrind".to_owned(), format!("--callgrind-out-file={dump}")];
    arguments.extend_from_slice(options);
    arguments.extend([file(PROGRAM).display().to_string(), what.to_owned(), leases.to_string()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let printed = output(command("valgrind", &arguments))?;
    Ok(String::from_utf8_lossy(&printed.stdout).into_owned())
}
