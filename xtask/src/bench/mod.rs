//! `cargo xtask bench`: measures section by section into one file of results, and writes docs/PERFORMANCE.md, its plots
//! and the figures in other documents from that file only.

mod fleet;
mod keepers;
pub mod machine;
mod marks;
mod page;
mod plots;
mod results;
mod sections;
mod sources;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use crate::Outcome;
use crate::run::file;
use results::{Measured, Results};
use sections::{SECTIONS, Section};

pub use page::grouped;

const PAGE: &str = "docs/PERFORMANCE.md";
const PLOTS: &str = "docs/performance";

/// Measures the named sections, or all. One that fails is named and keeps its last figures; the others are measured.
pub fn run(names: &[String]) -> Outcome {
    let chosen = choose(names)?;
    let mut failed = Vec::new();
    for section in chosen {
        eprintln!("\nbench {}: {}", section.name, section.title);
        match measure(section) {
            // Kept at once, so that an interrupted run loses one section.
            Ok(measured) => {
                let mut results = Results::read()?;
                results.sections.insert(section.name.to_owned(), measured);
                results.write()?;
            }
            Err(what) => failed.push(format!("{}: {what}", section.name)),
        }
    }
    render()?;
    if failed.is_empty() { Ok(()) } else { Err(format!("not measured: {}", failed.join("; "))) }
}

fn choose(names: &[String]) -> Outcome<Vec<&'static Section>> {
    if names.is_empty() {
        return Ok(SECTIONS.iter().collect());
    }
    let all = || SECTIONS.iter().map(|section| section.name).collect::<Vec<_>>().join(", ");
    let find = |name: &String| {
        let found = SECTIONS.iter().find(|section| section.name == name);
        found.ok_or_else(|| format!("section {name}: one of {}", all()))
    };
    names.iter().map(find).collect()
}

fn measure(section: &Section) -> Outcome<Measured> {
    // Before anything runs: what is measured is what is there now.
    let (commit, load) = (machine::commit()?, machine::load());
    let rows = (section.measure)()?;
    if rows.is_empty() {
        return Err("no figure".to_owned());
    }
    for row in &rows {
        // A column that no row fills would be a figure that silently went.
        if !section.columns.iter().any(|column| row.values.contains_key(column.key)) {
            return Err(format!("{} has none of the section's figures", row.name));
        }
    }
    let versions = section.tools.iter().map(|tool| machine::version(tool)).collect::<Outcome<_>>()?;
    let commands = section.commands.iter().map(|&command| command.to_owned()).collect();
    Ok(Measured { date: machine::date()?, commit, machine: machine::name()?, load, versions, commands, rows })
}

/// Writes the page, the plots and the marked figures again from the results.
pub fn render() -> Outcome {
    for (path, text) in rendered()? {
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Fails where a file is not what would be written.
pub fn check() -> Outcome {
    for (path, text) in rendered()? {
        let found = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if found != text {
            return Err(format!("{}: not what `cargo xtask bench --render` writes", path.display()));
        }
    }
    Ok(())
}

/// Every generated file, and what belongs into it.
fn rendered() -> Outcome<BTreeMap<PathBuf, String>> {
    let results = Results::read()?;
    let mut files = BTreeMap::from([(file(PAGE), page::page(&results))]);
    for section in SECTIONS {
        let Some(measured) = results.sections.get(section.name) else { continue };
        if let Some(plot) = plots::plot(section, measured)? {
            files.insert(file(&plots::path(section)), plot);
        }
    }
    files.extend(marks::filled(&results)?);
    Ok(files)
}
