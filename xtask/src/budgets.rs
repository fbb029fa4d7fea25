//! The budgets: figures that do not depend on the machine's mood, compared with `benches/budgets.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::run::{command, file, output};
use crate::setup::CORTEX_M3;
use crate::{Outcome, bare_metal, npm};

/// What is counted, one after the other, for callgrind keeps only one function apart: the argument of the program,
/// and the class that all its calls belong to, where there is one.
const MEASURED: [(&str, Option<&str>); 2] = [("handle", Some("any")), ("decode", None)];

#[derive(Deserialize)]
struct Budgets {
    /// Instructions of one call, by kind of call.
    instructions: BTreeMap<String, u64>,
    /// Flash on a Cortex-M3.
    flash_bytes: BTreeMap<String, u64>,
    /// Stack of one call on a Cortex-M3.
    stack_bytes: BTreeMap<String, u64>,
    /// The npm package's parts, minified and gzipped.
    npm_gzip_bytes: BTreeMap<String, u64>,
}

/// Measures everything, prints it beside its budget, and fails where one is passed.
pub fn check() -> Outcome {
    let budgets = read()?;
    let mut passed = compare("instructions", &budgets.instructions, &instructions()?)?;
    let figure = |value| Figure { value, of: String::new() };
    let flash = bare_metal::flash_bytes(CORTEX_M3, &[])?;
    let everything = bare_metal::flash_bytes(CORTEX_M3, &["everything"])?.program;
    let wire = bare_metal::flash_bytes(CORTEX_M3, &["wire"])?.program.saturating_sub(flash.program);
    let wire_everything =
        bare_metal::flash_bytes(CORTEX_M3, &["everything", "wire"])?.program.saturating_sub(everything);
    let flash = BTreeMap::from([
        ("kernel".to_owned(), figure(flash.kernel)),
        ("program".to_owned(), figure(flash.program)),
        ("everything".to_owned(), figure(everything)),
        ("wire".to_owned(), figure(wire)),
        ("wire_everything".to_owned(), figure(wire_everything)),
    ]);
    passed.extend(compare("flash_bytes", &budgets.flash_bytes, &flash)?);
    let sizes = npm::sizes()?.into_iter().map(|(name, value)| (name, figure(value))).collect();
    passed.extend(compare("npm_gzip_bytes", &budgets.npm_gzip_bytes, &sizes)?);
    verdict(&passed)
}

/// What calls take of the stack, measured by the firmware: printed beside the budgets, and an error where one is passed.
pub fn check_stack(figures: &BTreeMap<String, Figure>) -> Outcome {
    verdict(&compare("stack_bytes", &read()?.stack_bytes, figures)?)
}

fn read() -> Outcome<Budgets> {
    let path = file("benches/budgets.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}

/// An error that names the budgets that are passed.
pub fn verdict(passed: &[String]) -> Outcome {
    if passed.is_empty() { Ok(()) } else { Err(format!("over budget: {}", passed.join(", "))) }
}

/// A measured figure, and the case that made it the worst.
pub struct Figure {
    pub value: u64,
    pub of: String,
}

/// Prints a row a budget; the names of those that are passed.
pub fn compare(
    what: &str,
    budgets: &BTreeMap<String, u64>,
    figures: &BTreeMap<String, Figure>,
) -> Outcome<Vec<String>> {
    println!("{what:<28} {:>8} {:>8}", "measured", "budget");
    let mut passed = Vec::new();
    for (name, budget) in budgets {
        let figure = figures.get(name).ok_or_else(|| format!("{what}.{name} has a budget and no figure"))?;
        let verdict = if figure.value > *budget { "OVER" } else { "" };
        println!("  {name:<26} {:>8} {budget:>8} {verdict:<4} {}", figure.value, figure.of);
        if figure.value > *budget {
            passed.push(format!("{what}.{name} is {} of {budget}", figure.value));
        }
    }
    Ok(passed)
}

/// The worst count of each kind of call: of `handle` over the vectors, and of any; of `decode` over its answers.
fn instructions() -> Outcome<BTreeMap<String, Figure>> {
    crate::run::cargo(&["build", "--release", "--locked", "--package", "leasebeat-benches"])?;
    let mut worst = BTreeMap::new();
    for (what, all) in MEASURED {
        count(what, all, &mut worst)?;
    }
    Ok(worst)
}

fn count(what: &str, all: Option<&str>, worst: &mut BTreeMap<String, Figure>) -> Outcome {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    let dump = directory.path().join("calls");
    // As callgrind names it.
    let function = format!("leasebeat_benches::measured_{what}");
    let arguments = [
        "--tool=callgrind".to_owned(),
        format!("--toggle-collect={function}"),
        format!("--dump-after={function}"),
        format!("--callgrind-out-file={}", dump.display()),
        file("target/release/leasebeat-benches").display().to_string(),
        what.to_owned(),
    ];
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let printed = output(command("valgrind", &arguments))?;
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();

    let mut counted = false;
    for (number, line) in (1..).zip(printed.lines()) {
        let (class, of) = line.split_once(' ').ok_or_else(|| format!("no call: {line:?}"))?;
        let value = total(&dump.with_extension(number.to_string()))?;
        counted |= value > 0;
        for name in [class].into_iter().chain(all) {
            let figure = worst.entry(name.to_owned()).or_insert(Figure { value: 0, of: String::new() });
            if value > figure.value {
                *figure = Figure { value, of: of.to_owned() };
            }
        }
    }
    if counted { Ok(()) } else { Err(format!("callgrind counted nothing of {what}")) }
}

/// The instructions in one dump of callgrind.
pub fn total(path: &Path) -> Outcome<u64> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    text.lines()
        .find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")))
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| format!("{} has no total", path.display()))
}
