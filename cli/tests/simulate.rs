//! `leasebeat simulate` as a person and as a program see it.

use std::path::Path;
use std::process::{Command, Output};

fn simulate(arguments: &str, directory: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_leasebeat"))
        .arg("simulate")
        .args(arguments.split_whitespace())
        .current_dir(directory)
        .output()
        .expect("the command runs")
}

#[track_caller]
fn text(arguments: &str, directory: &Path) -> String {
    let output = simulate(arguments, directory);
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "no bar where nobody looks");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[track_caller]
fn refuses(arguments: &str, complaint: &str) {
    let output = simulate(arguments, Path::new("."));
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
    assert!(error.contains(complaint), "{error}");
}

const SMALL: &str = "--hours 50 --strategy leasebeat --strategy blind-half-ttl";

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |arguments: &str| {
        let text = text(arguments, directory.path());
        (text, std::fs::read(directory.path().join("compare.svg")).expect("a picture"))
    };
    let one = run(&format!("{SMALL} --threads 1"));
    assert_eq!(one, run(&format!("{SMALL} --threads 2")));
    assert_ne!(one.0, run(&format!("{SMALL} --seed 2")).0);
}

#[test]
fn the_table_fits_eighty_columns_and_the_picture_is_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let table = text(&format!("{SMALL} --compare --faults rough"), directory.path());
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("leasebeat ") && table.contains("blind-half-ttl "), "{table}");
    let svg = std::fs::read_to_string(directory.path().join("compare.svg")).expect("a picture");
    let picture = roxmltree::Document::parse(&svg).expect("XML");
    let words: String = picture.descendants().filter_map(|node| node.text()).collect();
    assert!(words.contains("leases lost to one outage") && words.contains("blind-half-ttl"), "{words}");
}

#[test]
fn json_carries_every_measure() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = text(&format!("{SMALL} --json"), directory.path());
    let json: serde_json::Value = serde_json::from_str(&text).expect("an object");
    let leasebeat = &json["strategies"][0];
    assert_eq!(leasebeat["strategy"], "leasebeat");
    assert_eq!(leasebeat["unnoticed"], 0);
    assert!(leasebeat["lease_hours"].as_f64().is_some_and(|hours| hours > 49.0), "{leasebeat}");
    assert!(leasebeat["extensions_per_hour"].as_f64().is_some_and(|rate| (90.0..120.0).contains(&rate)));
    assert!(json["outages"][0]["points"].as_array().is_some_and(|points| points.len() > 20));
}

#[test]
fn the_bound_is_met_and_the_run_beyond_it_is_not() {
    let directory = tempfile::tempdir().expect("a directory");
    let table = text("--find-lapse --strategy leasebeat --traces traces", directory.path());
    let row = table.lines().find(|line| line.starts_with("leasebeat")).expect("a row");
    let words: Vec<_> = row.split_whitespace().collect();
    assert_eq!(words[1..3], ["2", "2"], "{table}");
    let replayed = |name: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_leasebeat"))
            .args(["replay", name])
            .current_dir(directory.path().join("traces"))
            .output()
            .expect("the command runs");
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let (within, beyond) = (replayed("within.jsonl"), replayed("beyond.jsonl"));
    // One attempt fails, its retry succeeds and the beats go on; or the retry fails too and the kernel stops.
    assert_eq!(within.matches("\"key\":\"same\"").count(), 1);
    assert!(!within.contains("\"do\":\"stop\""));
    assert_eq!(beyond.matches("\"key\":\"same\"").count(), 1);
    assert!(beyond.trim_end().ends_with("{\"do\":\"stop\",\"reason\":\"no-safe-retry\"}"), "{beyond}");
}

#[test]
fn a_check_in_fleets_finds_no_violation() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = text("--check --in-fleet --hours 300", directory.path());
    assert!(text.contains(": 0 violations"), "{text}");
}

#[test]
fn a_check_is_gone_on_with_where_it_ended() {
    let directory = tempfile::tempdir().expect("a directory");
    let first = text("--check --hours 300 --resume progress.json --json", directory.path());
    let second = text("--check --hours 3000 --resume progress.json --json", directory.path());
    let number = |text: &str, key: &str| {
        serde_json::from_str::<serde_json::Value>(text).expect("an object")[key].as_u64().expect("a number")
    };
    assert!(number(&first, "lease_hours") >= 300 && number(&second, "lease_hours") >= 3000);
    assert!(number(&second, "events") > number(&first, "events"));
    assert_eq!(number(&second, "events"), number(&first, "events") + number(&second, "events_now"));
    assert_eq!(number(&second, "violations"), 0);
}

/// The blocks of the guide that begin with this fence.
fn blocks(fence: &str) -> Vec<String> {
    let guide =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/LAB.md")).expect("the guide");
    let mut blocks = Vec::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("```") {
            let block: Vec<_> = lines.by_ref().take_while(|line| *line != "```").collect();
            if line == fence {
                blocks.push(block.join("\n"));
            }
        }
    }
    blocks
}

#[test]
fn the_guides_commands_run() {
    let directory = tempfile::tempdir().expect("a directory");
    let commands = blocks("```sh").join("\n");
    assert_eq!(commands.lines().count(), 3, "{commands}");
    for command in commands.lines() {
        let arguments = command.strip_prefix("leasebeat simulate ").expect("a simulation");
        // The same with fewer hours.
        text(&arguments.replace("000", ""), directory.path());
    }
    assert!(directory.path().join("traces/beyond.jsonl").exists());
}

#[test]
fn the_guides_table_is_what_is_printed() {
    let directory = tempfile::tempdir().expect("a directory");
    let printed = text("--compare --svg lab.svg", directory.path());
    let (table, _) = printed.split_once("\n\nThe picture is in").expect("the last line names the picture");
    assert_eq!(blocks("```")[0], table);
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lab.svg");
    let drawn = std::fs::read_to_string(directory.path().join("lab.svg")).expect("it is drawn");
    assert!(
        std::fs::read_to_string(committed).expect("the guide's") == drawn,
        "docs/lab.svg is another picture"
    );
}

#[test]
fn the_guides_least_is_what_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    assert_eq!(blocks("```")[1], text("--find-lapse", directory.path()).trim_end());
}

#[test]
fn bad_input_is_named() {
    refuses("--policy generous", "expected one of additive");
    refuses("--faults no", "expected one of none, mild");
    refuses("--strategy luck", "expected one of leasebeat");
    refuses("--hours 0", "0 is not in 1..=1000000000");
    refuses("--ttl 500ms", "--ttl is 500 ms; it must be from 1s to 24h");
    refuses("--compare --check", "cannot be used with");
    refuses("--in-fleet", "--check");
    // What would not be looked at is refused too.
    refuses("--check --policy additive", "cannot be used with");
    refuses("--check --ttl 60s", "cannot be used with");
    refuses("--find-lapse --svg x.svg", "cannot be used with");
    refuses("--traces x", "--traces is for --find-lapse and --check");
}
