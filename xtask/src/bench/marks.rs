//! Figures in other documents: what stands in `<!-- figure: SOURCE -->…<!-- /figure -->` is written from its source, so
//! that no document can say what was not measured.
//!
//! A source is `SECTION/ROW/KEY` of the results, or `budget/GROUP.NAME` for a gate.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::page::{grouped, number};
use super::results::Results;
use super::sections::SECTIONS;
use crate::run::file;
use crate::{Outcome, budgets};

const BEGIN: &str = "<!-- figure: ";
const BEGUN: &str = " -->";
const END: &str = "<!-- /figure -->";

/// Every document that has a mark, as it should be.
pub fn filled(results: &Results) -> Outcome<BTreeMap<PathBuf, String>> {
    let gates = budgets::gates()?;
    let value = |source: &str| value(results, &gates, source);
    let mut documents = BTreeMap::new();
    for path in documents_of_the_project()? {
        let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        if text.contains(BEGIN) {
            let filled = fill(&text, value).map_err(|error| format!("{}: {error}", path.display()))?;
            documents.insert(path, filled);
        }
    }
    Ok(documents)
}

fn documents_of_the_project() -> Outcome<Vec<PathBuf>> {
    let mut paths = vec![file("README.md")];
    let docs = fs::read_dir(file("docs")).map_err(|error| format!("docs: {error}"))?;
    let is_other = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "md") && *path != file(super::PAGE)
    };
    paths.extend(docs.flatten().map(|entry| entry.path()).filter(is_other));
    Ok(paths)
}

fn value(results: &Results, gates: &BTreeMap<String, u64>, source: &str) -> Outcome<String> {
    let unknown =
        || format!("figure {source:?}: neither budget/GROUP.NAME nor SECTION/ROW/KEY that was measured");
    if let Some(gate) = source.strip_prefix("budget/") {
        let gate = gates.get(gate).ok_or_else(unknown)?;
        return Ok(grouped(*gate));
    }
    let mut parts = source.splitn(2, '/');
    let (section, rest) = (parts.next().unwrap_or_default(), parts.next().ok_or_else(unknown)?);
    let (row, key) = rest.rsplit_once('/').ok_or_else(unknown)?;
    let figure = results.sections.get(section).and_then(|measured| measured.figure(row, key));
    let section = SECTIONS.iter().find(|known| known.name == section).ok_or_else(unknown)?;
    let column = section.columns.iter().find(|column| column.key == key).ok_or_else(unknown)?;
    Ok(number(figure.ok_or_else(unknown)?, column.decimals))
}

/// `text` with what `value` says between each pair of marks.
fn fill(text: &str, value: impl Fn(&str) -> Outcome<String>) -> Outcome<String> {
    let mut parts = text.split(BEGIN);
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (source, rest) = part.split_once(BEGUN).ok_or("a figure's mark does not end")?;
        let (_, after) = rest.split_once(END).ok_or_else(|| format!("figure {source:?}: no {END}"))?;
        filled.extend([BEGIN, source, BEGUN, &value(source)?, END, after]);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::fill;

    #[test]
    fn what_stands_between_marks_is_written_again() {
        let text = "a <!-- figure: x/y/z -->12<!-- /figure --> b <!-- figure: q/r -->3<!-- /figure -->";
        let filled = fill(text, |source| Ok(format!("[{source}]"))).unwrap();
        assert_eq!(
            filled,
            "a <!-- figure: x/y/z -->[x/y/z]<!-- /figure --> b <!-- figure: q/r -->[q/r]<!-- /figure -->"
        );
        assert_eq!(fill(&filled, |source| Ok(format!("[{source}]"))).unwrap(), filled);
    }

    #[test]
    fn a_mark_without_an_end_or_a_value_is_an_error() {
        assert!(fill("<!-- figure: x/y/z -->12", |_| Ok(String::new())).is_err());
        assert!(fill("<!-- figure: x/y/z -->12<!-- /figure -->", |_| Err("unknown".to_owned())).is_err());
    }
}
