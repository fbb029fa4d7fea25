//! `docs/AUTHORITY.md` and the code say the same ids: every rule has a test named after it, and nothing cites a rule
//! that is not there.

#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::panic)] // tests may

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a folder of the crate") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// `prefix`, then digits: the numbers found in `text`, where no letter or digit stands before or behind.
fn numbers(text: &str, prefix: char) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for (place, _) in text.match_indices(prefix) {
        let before = text[..place].chars().next_back();
        let rest = &text[place + prefix.len_utf8()..];
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let behind = rest[digits.len()..].chars().next();
        let alone = |next: Option<char>| next.is_none_or(|next| !next.is_alphanumeric());
        if alone(before) && alone(behind) && digits.len() <= 2 {
            found.extend(digits.parse::<u32>().ok());
        }
    }
    found
}

#[test]
fn every_rule_has_a_test_and_every_citation_a_rule() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("../docs/AUTHORITY.md")).expect("the rules are there");
    let defined: BTreeSet<u32> = text
        .lines()
        .filter_map(|line| line.strip_prefix("- **A")?.split_once("**")?.0.parse().ok())
        .collect();
    assert!(defined.len() > 20, "only {} rules found", defined.len());

    let mut files = Vec::new();
    for folder in ["src", "tests", "../cli/src/serve", "../cli/tests"] {
        rust_files(&root.join(folder), &mut files);
    }
    let (mut tested, mut cited) = (BTreeSet::new(), BTreeSet::new());
    for file in files {
        let text = fs::read_to_string(&file).expect("a source is UTF-8");
        for line in text.lines() {
            if let Some(name) = line.trim_start().strip_prefix("fn a") {
                tested.extend(numbers(&format!("a{name}").replace('_', " "), 'a'));
            }
            if let Some((_, comment)) = line.split_once("//") {
                cited.extend(numbers(comment, 'A'));
            }
        }
    }
    let untested: Vec<_> = defined.difference(&tested).collect();
    assert!(untested.is_empty(), "no test is named after A{untested:?}");
    let unknown: Vec<_> = cited.difference(&defined).collect();
    assert!(unknown.is_empty(), "cited, but not in docs/AUTHORITY.md: A{unknown:?}");
}
