//! P · Primary path: the success says what remains.

use leasebeat::{Failure, Rule, Settings, StopReason};

use crate::table::{
    E, END_NS, Fresh, MS, Same, UNTIMED, beating, http, minute, retry_after_ms, rtt_ms, rtt_ns, table,
    timeout_ms,
};

#[test]
fn p1_the_largest_round_trip_sticks() {
    // 1,500 ms of the create make a margin of 3,000.
    let slow = table(minute()).at(0).created(rtt_ms(1_500), 60_000).waits(60_000 - 1_500 - 23_000);
    let beat = slow.at(35_500).tick().sends(Fresh, 1);
    let fast = beat.extended(rtt_ms(10), 60_000).waits(59_990 - 23_000);
    let beat = fast.later(36_990).tick().sends(Fresh, 2);
    // A larger one takes its place.
    beat.extended(rtt_ms(2_000), 60_000).waits(58_000 - 24_000);
}

#[test]
fn p1_a_fieldless_success_counts_too() {
    let bare = table(minute()).at(0).created_bare(rtt_ms(1_500), Some(E)).sends(Fresh, 1);
    bare.extended(rtt_ms(0), 60_000).waits(60_000 - 23_000);
    let bare = bare.extended_bare(rtt_ms(2_000), E + 60_000).waits(30_000).later(30_000).tick();
    bare.extended(rtt_ms(0), 60_000).waits(60_000 - 24_000);
}

#[test]
fn p1_a_failure_does_not_count() {
    // The attempt that timed out took 5 s; only a schema-valid success makes max_rtt.
    let slow = table(timeout_ms(5_000)).at(0).created(rtt_ms(0), 60_000).waits(49_000).at(49_000).tick();
    let recovered = slow.at(52_000).failed(Failure::Timeout).waits(2_000).later(2_000).tick().sends(Same, 2);
    recovered.extended(rtt_ms(0), 60_000).waits(49_000);
}

#[test]
fn p2_the_round_trip_is_taken_off_what_remains() {
    table(minute()).created(rtt_ms(400), 60_000).waits(60_000 - 400 - 21_000);
    assert_eq!(table(minute()).created(rtt_ms(400), 399).kernel.fence(), None);
    assert_eq!(table(minute()).created(rtt_ms(400), 400).kernel.fence(), None);
    assert_eq!(table(minute()).created(rtt_ms(400), 401).kernel.fence().unwrap().as_nanos(), MS);
}

#[test]
fn p2_an_unknown_round_trip_is_never_read_as_zero() {
    let unknown = table(minute()).at(0).created(UNTIMED, 60_000).sends(Fresh, 1).by(Rule::P5);
    assert_eq!(unknown.kernel.fence(), None);
    // max_rtt is unchanged.
    unknown.extended(rtt_ms(0), 60_000).waits(39_000);
    let slow = table(minute()).at(0).created(rtt_ms(1_500), 60_000).later(35_500).tick();
    slow.extended(UNTIMED, 60_000).sends(Fresh, 2).extended(rtt_ms(0), 60_000).waits(60_000 - 23_000);
}

#[test]
fn p2_an_unknown_round_trip_takes_back_what_was_proved() {
    let beat = beating().at(40_000).extended(UNTIMED, 60_000).sends(Fresh, 2).by(Rule::P5);
    assert_eq!((beat.kernel.fence(), beat.kernel.danger()), (None, None));
    beat.failed(http(503)).stops(StopReason::NoSafeRetry);
}

#[test]
fn p3_the_reserve_is_two_attempts_and_the_margin() {
    for (timeout, rtt, reserve) in [
        (10_000, 0, 21_000),
        (1, 0, 3_000),
        (1_000, 0, 3_000),
        (1_001, 0, 3_002),
        (1_000, 500, 3_000),
        (1_000, 501, 3_006),
        (10_000, 5_000, 30_000),
        (10_000, 5_001, 30_006),
    ] {
        let waiting = table(timeout_ms(timeout)).created(rtt_ms(rtt), 100_000);
        waiting.waits(100_000 - rtt - reserve).by(Rule::P4);
    }
}

#[test]
fn p3_an_unknown_timeout_is_an_infinite_budget() {
    let unknown =
        table(Settings::new(60_000)).at(0).created(rtt_ms(0), u64::MAX).sends(Fresh, 1).by(Rule::P5);
    unknown.failed(http(503)).stops(StopReason::NoSafeRetry).by(Rule::R2);
    unknown.extended(rtt_ms(0), u64::MAX).stops(StopReason::LeaseTooShort);
}

#[test]
fn p4_the_delay_is_what_exceeds_the_reserve() {
    for (remaining, wait) in [(21_001, 1), (21_002, 2), (60_000, 39_000)] {
        table(minute()).created(rtt_ms(0), remaining).waits(wait).by(Rule::P4);
    }
    table(minute()).created(rtt_ms(0), 21_000).sends(Fresh, 1).by(Rule::P5);
}

#[test]
fn p4_then_it_beats_with_a_fresh_key() {
    let waiting = table(minute()).at(1_000).created(rtt_ms(0), 60_000).waits(39_000);
    let beat = waiting.at(39_999).tick().waits(1).at(40_000).tick().sends(Fresh, 1).by(Rule::P4);
    let waiting = beat.at(40_200).extended(rtt_ms(200), 60_000).waits(38_800);
    waiting.at(78_999).tick().waits(1).at(79_000).tick().sends(Fresh, 2).by(Rule::P4);
}

#[test]
fn p4_nothing_is_carried_over_from_the_answer_before() {
    let beat = table(minute()).at(0).created(rtt_ms(0), 600_000).waits(579_000).at(579_000).tick();
    beat.extended(rtt_ms(0), 30_000).waits(9_000);
}

#[test]
fn p5_a_lease_too_short_is_followed_at_once_and_then_stops() {
    let first = table(minute()).at(0).created(rtt_ms(0), 21_000).sends(Fresh, 1).by(Rule::P5);
    first.at(1).extended(rtt_ms(0), 21_000).stops(StopReason::LeaseTooShort).by(Rule::P5);
    first.at(1).extended(rtt_ms(0), 21_001).waits(1);
}

#[test]
fn p5_a_positive_delay_clears_the_count() {
    let first = table(minute()).at(0).created(rtt_ms(0), 21_000).sends(Fresh, 1);
    let beat = first.extended(rtt_ms(0), 21_001).waits(1).at(1).tick().sends(Fresh, 2);
    let second = beat.extended(rtt_ms(0), 0).sends(Fresh, 3).by(Rule::P5);
    second.extended(rtt_ms(0), 0).stops(StopReason::LeaseTooShort);
}

#[test]
fn p5_failures_in_between_do_not_clear_the_count() {
    let first = table(minute()).at(0).created(rtt_ms(0), 21_000).sends(Fresh, 1);
    let retried = first.at(1_000).failed(http(503)).waits(5_000).at(6_000).tick().sends(Same, 2);
    retried.extended(rtt_ms(0), 21_000).stops(StopReason::LeaseTooShort).by(Rule::P5);
}

#[test]
fn p5_the_key_is_fresh_after_a_retry_too() {
    let beat = beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2);
    beat.extended(rtt_ms(0), 21_000).sends(Fresh, 3).by(Rule::P5);
}

#[test]
fn p5_a_full_clock_and_a_full_lease() {
    table(minute()).at_ns(END_NS).created(rtt_ns(u64::MAX), 0).sends(Fresh, 1).by(Rule::P5);
    table(minute()).at_ns(END_NS).created(rtt_ns(0), u64::MAX).sends(Fresh, 1).by(Rule::P5);
}
