//! `leasebeat plan` as a person and as a program see it.

use std::process::{Command, Output};

fn plan(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_leasebeat"))
        .arg("plan")
        .args(arguments.split_whitespace())
        .output()
        .expect("the command runs")
}

#[track_caller]
fn text(arguments: &str) -> String {
    let output = plan(arguments);
    assert!(output.status.success(), "{arguments}");
    assert!(output.stderr.is_empty(), "{arguments}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[track_caller]
fn json(arguments: &str) -> serde_json::Value {
    let text = text(&format!("{arguments} --json"));
    assert_eq!(text.lines().count(), 1, "one object on one line");
    serde_json::from_str(&text).expect("a JSON object")
}

#[track_caller]
fn refuses(arguments: &str, complaint: &str) {
    let output = plan(arguments);
    let error = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
    assert!(error.starts_with("leasebeat: "), "{error}");
    assert!(error.contains(complaint), "{error}");
    assert!(output.stdout.is_empty());
}

#[test]
fn the_worked_example_as_a_table() {
    let table = text("--ttl 60s --timeout 10s --rtt 1500ms --max-extensions 10");
    for words in [
        "retry reserve          23 s",
        "cadence                37 s",
        "35.5 s after the slowest",
        "safe timeout      < 27.75 s",
        "10 extensions last",
        "430 s (7m 10s)",
        "660 s (11m)",
    ] {
        assert!(table.contains(words), "{words}\n{table}");
    }
    assert!(!table.to_lowercase().contains("dead zone"));
}

#[test]
fn the_worked_example_as_an_object() {
    let expected = serde_json::json!({
        "ttl_ms": 60_000, "timeout_ms": 10_000, "rtt_ms": 1_500, "max_extensions": 10,
        "attempt_budget_ms": 10_000, "safety_margin_ms": 3_000, "retry_reserve_ms": 23_000,
        "dead_zone": false,
        "lead_quickest_ms": 60_000, "delay_quickest_ms": 37_000,
        "lead_slowest_ms": 58_500, "delay_slowest_ms": 35_500,
        "timeout_below_ms": 27_750, "ttl_above_ms": 24_500, "ttl_above_at_any_timeout_ms": 10_500,
        "capping_server": {
            "keeps_alive": true, "first_beat_ms": 37_000, "beat_period_ms": 37_000,
            "extensions_per_hour": 97.297, "budget_lasts_ms": 430_000,
        },
        "adding_server": {
            "keeps_alive": true, "first_beat_ms": 37_000, "beat_period_ms": 60_000,
            "extensions_per_hour": 60.0, "budget_lasts_ms": 660_000,
        },
    });
    assert_eq!(json("--ttl 60s --timeout 10s --rtt 1500ms --max-extensions 10"), expected);
}

#[test]
fn the_dead_zone_is_named_with_its_bound_and_its_remedy() {
    let table = text("--ttl 60s --timeout 30s");
    for words in ["DEAD ZONE", "This is the dead zone", "below 29.5 s", "above 61 s", "lease-too-short"] {
        assert!(table.contains(words), "{words}\n{table}");
    }
    let object = json("--ttl 60s --timeout 30s");
    assert_eq!((&object["dead_zone"], &object["timeout_below_ms"]), (&true.into(), &29_500.into()));
    assert!(object["delay_slowest_ms"].is_null() && object["capping_server"]["beat_period_ms"].is_null());
}

#[test]
fn an_unknown_timeout_is_unbounded() {
    assert!(text("--ttl 60s").contains("unbounded"));
    let object = json("--ttl 60s");
    for key in ["timeout_ms", "attempt_budget_ms", "retry_reserve_ms", "ttl_above_ms", "max_extensions"] {
        assert!(object[key].is_null(), "{key}");
    }
}

#[test]
fn a_lease_of_the_longest_and_of_the_shortest_ttl_has_a_plan() {
    assert!(text("--ttl 24h --timeout 10s --rtt 1s").contains("0.042"));
    assert!(text("--ttl 1ms --timeout 10s").contains("DEAD ZONE"));
    assert!(
        text("--ttl 1ms --timeout 500000y --rtt 500000y --max-extensions 18446744073709551615")
            .contains("dead zone")
    );
}

#[test]
fn wrong_usage_is_refused_in_words() {
    refuses("", "--ttl");
    refuses("--ttl sixty", "sixty");
    refuses("--ttl 0s", "from 1ms to 24h");
    refuses("--ttl 25h", "from 1ms to 24h");
    refuses("--ttl 60s --timeout 0s", "1ms or more");
    refuses("--ttl 60s --rtt -1s", "-1");
    refuses("--ttl 60s --max-extensions many", "many");
}
