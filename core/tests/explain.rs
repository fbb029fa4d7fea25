//! The words: what a decision says of itself, the numbers behind it, and what can be done about it.
// Tests: arithmetic on small literals, and a panic is how a test fails.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "rules/table.rs"]
#[allow(dead_code, unused_imports)] // shared with the rules, which use all of it
mod table;

use leasebeat::{
    ErrorCode, Explanation, Fallback, Key, Millis, Misuse, Numbers, Operation, Rule, Settings, StopReason,
};
use table::{E, Table, beating, coded, http, minute, resolution_ms, rtt_ms, table, timeout_ms};

fn explained(timeline: Table) -> Explanation {
    timeline.kernel.explain(&timeline.decision())
}

/// The decision as one line for a log.
#[track_caller]
fn says(timeline: Table, text: &str) {
    assert_eq!(timeline.decision().to_string(), text);
}

/// The numbers, after the rule and before the remedy.
#[track_caller]
fn counts(timeline: Table, text: &str) {
    let numbers = explained(timeline).numbers.map(|numbers| numbers.to_string());
    assert_eq!(numbers.as_deref(), Some(text));
}

fn bare() -> Table {
    table(minute()).at(0).created_bare(rtt_ms(0), Some(E))
}

#[test]
fn a_decision_is_one_line_for_a_log() {
    let waiting = table(minute()).at(0).created(rtt_ms(0), 60_000);
    says(waiting, "wait 39000 ms: a beat is due when the lead has shrunk to the retry reserve (P4)");
    says(waiting.tick(), "wait 39000 ms: not due yet (T4)");
    says(
        beating(),
        "send extend #1 with the fresh key: a beat is due when the lead has shrunk to the retry reserve (P4)",
    );
    says(table(minute()).begin(), "send create #1 with the fresh key: a lease begins with its create (L1)");
    says(
        table(minute()).begin().failed(http(503)),
        "send create #2 with the same key: a create may be retried once, with the same key (L4)",
    );
    says(table(minute()).tick(), "wait for the next event: a lease begins with its create (L1)");
    says(beating().close(), "stop, closed: closed, or stopped before (L5)");
    says(
        beating().at(40_000).failed(http(503)),
        "wait 5000 ms: the failure may pass: retry with the same key (R5)",
    );
}

#[test]
fn every_rule_has_its_own_words() {
    let mut meanings: Vec<_> = Rule::ALL.iter().map(|rule| rule.meaning()).collect();
    assert!(meanings.iter().all(|meaning| meaning.len() > 8 && !meaning.ends_with('.')));
    meanings.sort_unstable();
    meanings.dedup();
    assert_eq!(meanings.len(), Rule::ALL.len());
}

#[test]
fn an_explanation_is_rule_numbers_and_remedy() {
    let dead_zone = table(timeout_ms(30_000)).at(0).created(rtt_ms(0), 60_000);
    assert_eq!(
        explained(dead_zone).to_string(),
        "the lead does not exceed the retry reserve; one such success is followed at once, two stop (P5); \
         lead 60000 ms, attempt budget 30000 ms, margin 1000 ms, reserve 61000 ms, window 29000 ms; \
         request timeout 30000 ms needs a lease above 61000 ms; for this lease keep it below 29500 ms"
    );
    let waiting = table(minute()).at(0).created(rtt_ms(0), 60_000);
    assert_eq!(
        explained(waiting).to_string(),
        "a beat is due when the lead has shrunk to the retry reserve (P4); \
         lead 60000 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 49000 ms"
    );
    assert_eq!(explained(bare()).to_string(), "an unknown lease is extended at once (F3)");
}

#[test]
fn the_numbers_of_a_success_are_those_of_its_receipt() {
    // With a coarse clock the lead a moment later is a quantum less.
    let created = |remaining_ms| table(resolution_ms(16)).at(0).created(rtt_ms(0), remaining_ms);
    counts(
        created(60_000),
        "lead 59984 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 48984 ms",
    );
    counts(
        created(20_000),
        "lead 19984 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 8984 ms",
    );
    counts(
        created(20_000).extended(rtt_ms(0), 19_000),
        "lead 18984 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 7984 ms",
    );
}

#[test]
fn the_numbers_of_anything_else_are_those_of_now() {
    let beat = beating();
    counts(beat, "lead 21000 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 10000 ms");
    counts(
        beat.at(50_000).failed(http(503)),
        "lead 10000 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window -1000 ms",
    );
    counts(
        beat.at(45_000).tick(),
        "lead 15000 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window 4000 ms",
    );
    counts(
        beat.at(40_000).failed(coded(409, ErrorCode::NotFound)),
        "lead 0 ms, attempt budget 10000 ms, margin 1000 ms, reserve 21000 ms, window -11000 ms",
    );
}

#[test]
fn the_numbers_show_the_slowest_round_trip_s_margin() {
    counts(
        table(minute()).at(0).created(rtt_ms(6_000), 60_000),
        "lead 54000 ms, attempt budget 12000 ms, margin 12000 ms, reserve 36000 ms, window 30000 ms",
    );
}

#[test]
fn unbounded_numbers_are_left_out() {
    counts(
        table(Settings::new(60_000)).at(0).created(rtt_ms(0), 60_000),
        "lead 60000 ms, attempt budget unbounded: the request timeout is unknown",
    );
    counts(
        table(timeout_ms(1 << 63)).at(0).created(rtt_ms(0), 60_000),
        "lead 60000 ms, attempt budget 9223372036854775808 ms, margin 1000 ms",
    );
}

#[test]
fn the_window_is_cut_to_64_bits_at_both_ends() {
    let window = |timeout, remaining_ms| match explained(
        table(timeout_ms(timeout)).at(0).created(rtt_ms(0), remaining_ms),
    )
    .numbers
    {
        Some(Numbers::Primary { window_ms, .. }) => window_ms,
        other => panic!("{other:?}"),
    };
    assert_eq!(window(u64::MAX - 1, 60_000), Some(i64::MIN));
    assert_eq!(window((1 << 63) + 1, 1_000), Some(i64::MIN));
    assert_eq!(window(1 << 63, 1_000), Some(i64::MIN));
    assert_eq!(window((1 << 63) - 1, 1_000), Some(i64::MIN + 1));
    assert_eq!(window(u64::MAX, 1_000), None);
    assert_eq!(window(1, u64::MAX), Some(i64::MAX));
    assert_eq!(window(1, (1 << 63) + 2_000), Some(i64::MAX));
    assert_eq!(window(1, (1 << 63) + 1_998), Some(i64::MAX - 1));
    assert_eq!(window(10_000, 11_000), Some(0));
}

#[test]
fn a_reserve_at_infinity_hides_its_window_from_the_reader_only() {
    let Some(Numbers::Primary { attempt_budget, retry_reserve, window_ms, .. }) =
        explained(table(timeout_ms(1 << 63)).created(rtt_ms(0), 60_000)).numbers
    else {
        panic!("the primary path")
    };
    assert_eq!((attempt_budget, retry_reserve), (Some(Millis::new(1 << 63)), None));
    assert_eq!(window_ms, Some(i64::MIN + 59_000));
}

#[test]
fn in_fallback_the_number_is_the_grant() {
    counts(bare().extended_bare(rtt_ms(0), E + 20_000), "grant 20000 ms");
    counts(
        bare().extended_bare(rtt_ms(0), E),
        "grant 0 ms: unmeasured, or an echo of the time between beats",
    );
    counts(bare().failed(http(503)), "grant 0 ms: unmeasured, or an echo of the time between beats");
    let echo = table(timeout_ms(60_000)).at(0).created_bare(rtt_ms(0), Some(E)).at(30_000);
    counts(
        echo.extended_bare(rtt_ms(0), E + 30_000),
        "grant 30000 ms: unmeasured, or an echo of the time between beats",
    );
}

#[test]
fn where_no_number_decided_none_is_shown() {
    let refusing = Settings { fallback: Fallback::Refuse, ..minute() };
    let decided = [
        table(minute()).begin(),
        table(minute()).tick(),
        table(minute()).begin().failed(http(503)),
        table(minute()).begin().denied(),
        table(refusing).created_bare(rtt_ms(0), Some(E)),
        bare(),
    ];
    for timeline in decided {
        assert_eq!(explained(timeline).numbers, None, "{}", timeline.decision());
    }
}

#[test]
fn names_are_those_of_the_trace() {
    assert_eq!((Operation::Create.to_string(), Key::Same.to_string()), ("create".into(), "same".into()));
    assert_eq!(StopReason::RemainingTtlAbsent.to_string(), "remaining-ttl-absent");
    assert_eq!(Misuse::StaleAttempt.to_string(), "stale-attempt");
    assert_eq!(Rule::R5.to_string(), "R5");
    assert_eq!(ErrorCode::NotFound.to_string(), "NOT_FOUND");
    assert_eq!(Millis::new(5).to_string(), "5 ms");
    assert_eq!(StopReason::from_name("no-progress"), Some(StopReason::NoProgress));
    assert_eq!(StopReason::from_name("NoProgress"), None);
}
