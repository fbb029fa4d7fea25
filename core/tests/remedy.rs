//! What can be done about a stop or a zero delay, in words, and that it would help.
// Tests: arithmetic on small literals, and a panic is how a test fails.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "rules/table.rs"]
#[allow(dead_code, unused_imports)] // shared with the rules, which use all of it
mod table;

use leasebeat::{ErrorCode, Failure, Fallback, Remedy, Rule, Settings, StopReason};
use table::{E, Table, UNTIMED, beating, coded, http, minute, retry_after_ms, rtt_ms, table, timeout_ms};

fn remedy(timeline: Table) -> Option<Remedy> {
    timeline.kernel.explain(&timeline.decision()).remedy
}

#[track_caller]
fn advises(timeline: Table, text: &str) {
    assert_eq!(remedy(timeline).map(|remedy| remedy.to_string()).as_deref(), Some(text));
}

fn bare() -> Table {
    table(minute()).at(0).created_bare(rtt_ms(0), Some(E))
}

#[test]
fn the_dead_zone_names_the_timeout_that_would_do() {
    let text = "request timeout 30000 ms needs a lease above 61000 ms; for this lease keep it below 29500 ms";
    let dead_zone = table(timeout_ms(30_000)).at(0).created(rtt_ms(0), 60_000);
    advises(dead_zone, text);
    advises(dead_zone.extended(rtt_ms(0), 60_000).stops(StopReason::LeaseTooShort), text);
    // And the bound it names is exact.
    table(timeout_ms(29_499)).created(rtt_ms(0), 60_000).waits(2);
    table(timeout_ms(29_500)).created(rtt_ms(0), 60_000).by(Rule::P5);
    table(timeout_ms(30_000)).created(rtt_ms(0), 61_001).waits(1);
}

#[test]
fn the_dead_zone_counts_the_slowest_round_trip() {
    advises(
        table(timeout_ms(30_000)).created(rtt_ms(1_500), 60_000),
        "request timeout 30000 ms needs a lease above 63000 ms; for this lease keep it below 27750 ms",
    );
    table(timeout_ms(27_749)).created(rtt_ms(1_500), 60_000).waits(2);
    table(timeout_ms(27_750)).created(rtt_ms(1_500), 60_000).by(Rule::P5);
}

#[test]
fn a_lease_too_short_for_any_timeout_must_be_longer() {
    advises(
        table(timeout_ms(1)).created(rtt_ms(20_000), 80_000),
        "no request timeout is short enough: with these round trips the lease must exceed 120000 ms",
    );
    advises(
        table(timeout_ms(1)).created(rtt_ms(0), 3_000),
        "no request timeout is short enough: with these round trips the lease must exceed 3000 ms",
    );
    table(timeout_ms(1)).created(rtt_ms(0), 3_001).waits(1);
}

#[test]
fn without_a_timeout_one_is_to_be_set() {
    let untimed = table(Settings::new(60_000));
    advises(
        untimed.created(rtt_ms(0), 60_000),
        "enforce a request timeout; for this lease keep it below 29500 ms",
    );
    advises(untimed.created(rtt_ms(0), 3_000), "enforce a request timeout, and ask for a longer lease");
}

#[test]
fn without_a_lead_the_round_trip_is_to_be_measured() {
    let text =
        "no lead is proved: measure each round trip on a monotonic clock, and see that the lease outlasts it";
    advises(table(minute()).created(UNTIMED, 60_000), text);
    advises(table(minute()).created(rtt_ms(60_000), 60_000), text);
    assert_eq!(remedy(table(minute()).created(UNTIMED, 60_000)), Some(Remedy::MeasureRoundTrip));
}

#[test]
fn lost_timing_asks_for_a_better_clock() {
    let text = "use a clock that counts time asleep, so that a resume is no jump";
    advises(table(minute()).at(5).created(rtt_ms(0), 60_000).timing_lost(), text);
    advises(beating().failed(http(503)).timing_lost().stops(StopReason::NoSafeRetry), text);
    advises(bare().failed(http(503)).timing_lost(), text);
    // A restarted wait for a Retry-After is nothing to be done about.
    let restarted = bare().failed(retry_after_ms(45_000)).timing_lost().by(Rule::T6);
    assert_eq!(remedy(restarted), None);
}

#[test]
fn every_stop_that_can_be_helped_has_advice() {
    let more_room = "a shorter request timeout or a longer lease leaves room for more retries";
    advises(beating().at(50_000).failed(http(503)), more_room);
    advises(beating().at(49_000).failed(http(503)).failed(http(503)), more_room);
    let creating = table(minute()).begin();
    advises(
        creating.failed(Failure::Timeout).failed(Failure::Timeout),
        "the reservation may exist: find out by the same idempotency key before creating another",
    );
    advises(
        beating().failed(retry_after_ms(0)).failed(http(503)),
        "use a finer clock, or declare its clock_resolution_ns",
    );
    advises(
        beating().failed(http(429)),
        "have the server allow more requests, or ask for a longer lease so that its Retry-After fits",
    );
    advises(beating().failed(http(403)), "read the error code and message of the answer");
    advises(beating().failed(http(302)), "check the URL: an extend is answered by 200, 4xx or 5xx");
    advises(
        beating().failed(coded(409, ErrorCode::MaxExtensionsExceeded)),
        "ask for longer extensions, or have the tenant's limit of extensions raised",
    );
    advises(
        table(Settings { fallback: Fallback::Refuse, ..minute() }).created_bare(rtt_ms(0), Some(E)),
        "use a server that returns remaining_ttl_ms, or allow the fallback",
    );
}

#[test]
fn where_nothing_is_wrong_or_nothing_helps_there_is_no_remedy() {
    let decided = [
        table(minute()).begin(),
        table(minute()).created(rtt_ms(0), 60_000),
        beating(),
        beating().failed(http(503)),
        beating().failed(retry_after_ms(0)),
        beating().close(),
        table(minute()).begin().denied(),
        beating().failed(coded(409, ErrorCode::ReservationFinalized)),
        beating().failed(http(410)),
    ];
    for timeline in decided {
        assert_eq!(remedy(timeline), None, "{}", timeline.decision());
    }
}
