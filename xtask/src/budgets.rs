//! The budgets: figures that do not depend on the machine's mood, compared with `benches/budgets.toml`.

use std::collections::BTreeMap;
use std::path::Path;

use crate::run::{command, file, output};
use crate::setup::CORTEX_M3;
use crate::{Outcome, bare_metal, history, npm};

/// What is counted, one after the other, for callgrind keeps only one function apart: the argument of the program,
/// and the class that all its calls belong to, where there is one.
const MEASURED: [(&str, Option<&str>); 2] = [("handle", Some("any")), ("decode", None)];

/// A measured figure, and the case that made it the worst.
pub struct Figure {
    pub value: u64,
    pub of: String,
}

/// Measures everything but the stack and the C libraries, and holds it to its budgets.
pub fn check() -> Outcome {
    verdict(&measure()?)
}

/// The figures, each printed beside its budget.
pub fn measure() -> Outcome<Vec<Held>> {
    let mut held = compare("instructions", &instructions()?)?;
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
    held.extend(compare("flash_bytes", &flash)?);
    let sizes = npm::sizes()?.into_iter().map(|(name, value)| (name, figure(value))).collect();
    held.extend(compare("npm_gzip_bytes", &sizes)?);
    Ok(held)
}

/// A figure and the gate it is held to.
pub struct Held {
    /// `GROUP.NAME`, as in `benches/budgets.toml`.
    pub name: String,
    pub measured: u64,
    pub gate: u64,
    of: String,
}

/// Every gate of `benches/budgets.toml`, by `GROUP.NAME`.
pub fn gates() -> Outcome<BTreeMap<String, u64>> {
    let path = file("benches/budgets.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let groups: BTreeMap<String, BTreeMap<String, u64>> =
        toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let of_group = |(group, gates): (String, BTreeMap<String, u64>)| {
        gates.into_iter().map(move |(name, gate)| (format!("{group}.{name}"), gate)).collect::<Vec<_>>()
    };
    Ok(groups.into_iter().flat_map(of_group).collect())
}

/// The gates of one group with what was measured for each, a printed row each.
pub fn compare(group: &str, figures: &BTreeMap<String, Figure>) -> Outcome<Vec<Held>> {
    println!("{group:<28} {:>8} {:>8}", "measured", "budget");
    let prefix = format!("{group}.");
    let mut held = Vec::new();
    for (name, gate) in gates()?.into_iter().filter(|(name, _)| name.starts_with(&prefix)) {
        let of_gate = figures.get(&name[prefix.len()..]);
        let figure = of_gate.ok_or_else(|| format!("{name} has a budget and no figure"))?;
        let verdict = if figure.value > gate { "OVER" } else { "" };
        println!("  {:<26} {:>8} {gate:>8} {verdict:<4} {}", &name[prefix.len()..], figure.value, figure.of);
        held.push(Held { name, measured: figure.value, gate, of: figure.of.clone() });
    }
    Ok(held)
}

/// An error where a budget is passed: by how much, and what the figure was when it was last recorded.
pub fn verdict(held: &[Held]) -> Outcome {
    let last = history::last()?;
    let over: Vec<String> = held
        .iter()
        .filter(|held| held.measured > held.gate)
        .map(|held| difference(held, last.get(&held.name)))
        .collect();
    if over.is_empty() { Ok(()) } else { Err(format!("over budget:\n{}", over.join("\n"))) }
}

/// One line on a budget that is passed.
fn difference(held: &Held, last: Option<&history::Entry>) -> String {
    let Held { name, measured, gate, of } = held;
    let over = measured.saturating_sub(*gate);
    let per_mille = over * 1000 / (*gate).max(1);
    let was = match last {
        Some(last) => format!(
            "it was {} of {} since {} ({}): {}",
            last.measured,
            last.gate,
            last.commit,
            last.date,
            history::difference(*measured, last.measured)
        ),
        None => "it was never recorded".to_owned(),
    };
    let of = if of.is_empty() { String::new() } else { format!("; the worst is {of}") };
    format!(
        "  {name}: {measured} of {gate}, {over} too many ({}.{} %); {was}{of}",
        per_mille / 10,
        per_mille % 10
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passed_budget_says_by_how_much_and_what_it_was() {
        let held = Held { name: "instructions.success".into(), measured: 143, gate: 130, of: "p4 7".into() };
        let last = history::Entry {
            date: "2026-12-01".into(),
            commit: "abc".into(),
            figure: held.name.clone(),
            measured: 121,
            gate: 130,
        };
        assert_eq!(
            difference(&held, Some(&last)),
            "  instructions.success: 143 of 130, 13 too many (10.0 %); it was 121 of 130 since abc (2026-12-01): +22; \
             the worst is p4 7"
        );
        assert!(difference(&held, None).contains("never recorded"));
        assert!(verdict(&[held]).is_err());
        assert!(verdict(&[Held { name: String::new(), measured: 5, gate: 5, of: String::new() }]).is_ok());
    }

    #[test]
    fn every_gate_has_its_group() {
        let gates = gates().unwrap();
        assert!(gates.contains_key("instructions.any") && gates.contains_key("c.shared_bytes"), "{gates:?}");
    }
}
