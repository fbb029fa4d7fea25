//! `docs/RULES.md` and the code say the same ids: every rule has a test named after it, and no code cites a
//! rule that is not there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// Where code cites rules, and where tests are named after them.
const SOURCES: [&str; 4] = ["core", "trace", "cli", "tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The ids that `docs/RULES.md` defines.
fn defined() -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs/RULES.md")).expect("the rules are there");
    let id = Regex::new(r"(?m)^- \*\*([A-Z][0-9]+)\*\*").expect("a pattern");
    let ids: BTreeSet<String> = id.captures_iter(&text).map(|found| found[1].to_owned()).collect();
    assert!(ids.len() > 40, "only {} rules found", ids.len());
    ids
}

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a folder of the project") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// What `pattern` finds in all sources, with the file it was found in.
fn find(pattern: &str) -> Vec<(String, PathBuf)> {
    let pattern = Regex::new(pattern).expect("a pattern");
    let mut files = Vec::new();
    for folder in SOURCES {
        rust_files(&root().join(folder), &mut files);
    }
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a source is UTF-8");
        found.extend(pattern.captures_iter(&text).map(|id| (id[1].to_uppercase(), file.clone())));
    }
    found
}

#[test]
fn every_rule_has_a_test_named_after_it() {
    let tested: BTreeSet<String> = find(r"#\[test\]\s*(?:#\[[^\]]*\]\s*)*fn ([a-z][0-9]+)_")
        .into_iter()
        .chain(find(r"#\[test\]\s*fn [a-z][0-9]+_([a-z][0-9]+)_"))
        .map(|(id, _)| id)
        .collect();
    let untested: Vec<String> = defined().into_iter().filter(|id| !tested.contains(id)).collect();
    assert!(untested.is_empty(), "no test is named after {untested:?}");
}

#[test]
fn no_code_cites_a_rule_that_is_not_there() {
    let defined = defined();
    let unknown: Vec<(String, PathBuf)> = find(r"(?m)//.*?\b([TLCPRFVW][0-9]{1,2})\b")
        .into_iter()
        .chain(find(r"Rule::([A-Z][0-9]+)"))
        .filter(|(id, _)| !defined.contains(id))
        .collect();
    assert!(unknown.is_empty(), "cited, but not in docs/RULES.md: {unknown:?}");
}
