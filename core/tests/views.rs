//! What can be read from a kernel at any time: exact at its edges, and without changing it.
// Tests: arithmetic on small literals, and a panic is how a test fails.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "rules/table.rs"]
#[allow(dead_code, unused_imports)] // shared with the rules, which use all of it
mod table;

use leasebeat::{
    AttemptId, ErrorCode, Failure, Instant, Millis, Outcome, Settings, Stats, StopReason, Success,
};
use table::{
    E, END_NS, Fresh, MS, Same, Table, UNTIMED, beating, coded, http, minute, resolution_ms, retry_after_ms,
    rtt_ms, rtt_ns, table, timeout_ms,
};

fn fence_ns(timeline: Table) -> Option<u64> {
    timeline.kernel.fence().map(Instant::as_nanos)
}

fn danger_ns(timeline: Table) -> Option<u64> {
    timeline.kernel.danger().map(Instant::as_nanos)
}

fn deadline_ns(timeline: Table) -> Option<u64> {
    timeline.kernel.next_deadline().map(Instant::as_nanos)
}

fn lead_ms(timeline: Table, at_ns: u64) -> u64 {
    timeline.kernel.lead(Instant::from_nanos(at_ns)).get()
}

fn held(timeline: Table, for_ms: u64, at_ns: u64) -> bool {
    timeline.kernel.is_held_for(Millis::new(for_ms), Instant::from_nanos(at_ns))
}

fn bare() -> Table {
    table(minute()).at(0).created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1)
}

#[test]
fn v1_the_fence_is_the_send_plus_what_remained_to_the_nanosecond() {
    let created = |rtt| table(minute()).at(5_000).created(rtt_ns(rtt), 60_000);
    assert_eq!(fence_ns(created(0)), Some(65_000 * MS));
    assert_eq!(fence_ns(created(1)), Some(65_000 * MS - 1));
    assert_eq!(fence_ns(created(1_234_567)), Some(65_000 * MS - 1_234_567));
    assert_eq!(fence_ns(created(5_000 * MS)), Some(60_000 * MS));
}

#[test]
fn v1_the_fence_gives_a_quantum_to_a_coarse_clock() {
    let coarse = Settings { clock_resolution_ns: 30_517, ..minute() };
    let created = table(coarse).at(5_000).created(rtt_ns(7), 60_000);
    assert_eq!(fence_ns(created), Some(65_000 * MS - 7 - 30_517));
}

#[test]
fn v1_the_fence_may_lie_before_its_receipt_is_handled_only_if_nothing_is_proved() {
    let created = |remaining_ms| table(minute()).at(5_000).created(rtt_ns(399 * MS + 1), remaining_ms);
    // The round trip rounds up to 400 ms.
    assert_eq!(fence_ns(created(400)), None);
    assert_eq!(fence_ns(created(401)), Some(5_000 * MS + 2 * MS - 1));
}

#[test]
fn v1_the_fence_stays_within_the_clock() {
    assert_eq!(fence_ns(table(minute()).at_ns(END_NS).created(rtt_ms(0), 60_000)), Some(END_NS));
    assert_eq!(fence_ns(table(minute()).at(0).created(rtt_ms(0), u64::MAX)), Some(END_NS));
    // A round trip longer than the clock has run: the lease was sent before the origin.
    assert_eq!(fence_ns(table(minute()).at(5).created(rtt_ms(100), 101)), Some(6 * MS));
}

#[test]
fn v1_the_fence_moves_with_each_proof_back_too() {
    let beat = beating();
    assert_eq!(fence_ns(beat), Some(60_000 * MS));
    assert_eq!(fence_ns(beat.at(39_100).extended(rtt_ms(100), 70_000)), Some(109_000 * MS));
    assert_eq!(fence_ns(beat.at(39_100).extended(rtt_ms(100), 1_000)), Some(40_000 * MS));
}

#[test]
fn v1_a_failure_moves_no_fence() {
    for failure in [http(503), Failure::Timeout, retry_after_ms(0)] {
        assert_eq!(fence_ns(beating().at(40_000).failed(failure)), Some(60_000 * MS));
    }
}

#[test]
fn v1_nothing_is_proved_without_a_measured_answer_that_says_what_remains() {
    let unproved = [
        table(minute()),
        table(minute()).begin(),
        bare(),
        bare().extended_bare(rtt_ms(0), E + 60_000),
        beating().extended_bare(rtt_ms(0), E + 60_000),
        beating().extended(UNTIMED, 60_000),
        beating().extended(rtt_ms(0), 0),
        table(minute()).created(UNTIMED, 60_000),
        table(minute()).at(5).created(rtt_ms(0), 60_000).timing_lost(),
        beating().at(40_000).timing_lost(),
        beating().at(10_000).tick(),
    ];
    for timeline in unproved {
        assert_eq!((fence_ns(timeline), danger_ns(timeline)), (None, None));
        assert_eq!(lead_ms(timeline, 39_000 * MS), 0);
        assert!(!held(timeline, 0, 39_000 * MS));
    }
}

#[test]
fn v1_a_server_that_denies_the_lease_takes_the_proof_back() {
    let codes = [
        ErrorCode::ReservationExpired,
        ErrorCode::ReservationFinalized,
        ErrorCode::TenantClosed,
        ErrorCode::NotFound,
    ];
    for code in codes {
        let stopped = beating().at(40_000).failed(coded(409, code));
        assert_eq!((fence_ns(stopped), danger_ns(stopped)), (None, None), "{code}");
    }
    for status in [404, 410] {
        assert_eq!(fence_ns(beating().at(40_000).failed(http(status))), None);
    }
}

#[test]
fn v1_a_stop_of_the_kernel_s_own_keeps_the_proof() {
    let proved = Some(60_000 * MS);
    let kept = [
        (beating().close(), StopReason::Closed),
        (beating().failed(coded(409, ErrorCode::MaxExtensionsExceeded)), StopReason::MaxExtensionsExceeded),
        (beating().failed(http(403)), StopReason::Rejected),
        (beating().failed(http(302)), StopReason::UnexpectedStatus),
        (beating().failed(http(429)), StopReason::Throttled),
        (beating().at(50_000).failed(http(503)), StopReason::NoSafeRetry),
        (beating().at(49_000).failed(http(503)).failed(http(503)), StopReason::ZeroWindowSpent),
        (beating().failed(retry_after_ms(0)).failed(http(503)), StopReason::NoProgress),
    ];
    for (stopped, reason) in kept {
        assert_eq!(stopped.stops(reason).kernel.fence().map(Instant::as_nanos), proved, "{reason}");
        assert!(held(stopped, 1_000, 59_000 * MS));
    }
    let short = table(minute()).at(0).created(rtt_ms(0), 21_000).extended(rtt_ms(0), 20_000);
    assert_eq!(fence_ns(short.stops(StopReason::LeaseTooShort)), Some(20_000 * MS));
    let late = beating().at(48_000).failed(http(503)).at(50_001).tick().stops(StopReason::NoSafeRetry);
    assert_eq!(fence_ns(late), proved);
}

#[test]
fn v2_danger_is_the_last_instant_at_which_a_retry_is_safe() {
    let beat = beating();
    assert_eq!(danger_ns(beat), Some(49_000 * MS));
    beat.at(49_000).failed(http(503)).sends(Same, 2);
    beat.at_ns(49_000 * MS + 1).failed(http(503)).stops(StopReason::NoSafeRetry);
}

#[test]
fn v2_danger_counts_what_a_coarse_clock_may_hide() {
    let beat = table(resolution_ms(16)).at(0).created(rtt_ms(0), 60_000).at(38_984).tick().sends(Fresh, 1);
    // 59,984 proved, 11,000 needed, 16 hidden.
    assert_eq!(danger_ns(beat), Some(48_968 * MS));
    beat.at(48_968).failed(http(503)).sends(Same, 2);
    beat.at_ns(48_968 * MS + 1).failed(http(503)).stops(StopReason::NoSafeRetry);
}

#[test]
fn v2_danger_counts_the_slowest_round_trip() {
    // Attempt 12,000, margin 12,000.
    assert_eq!(danger_ns(table(minute()).at(0).created(rtt_ms(6_000), 60_000)), Some((54_000 - 24_000) * MS));
}

#[test]
fn v2_danger_is_never_before_the_receipt() {
    let created = |remaining_ms| danger_ns(table(minute()).at(5_000).created(rtt_ms(0), remaining_ms));
    assert_eq!(created(1), Some(5_000 * MS));
    assert_eq!(created(11_000), Some(5_000 * MS));
    assert_eq!(created(11_001), Some(5_001 * MS));
    let coarse = table(resolution_ms(16)).at(5_000).created(rtt_ms(0), 11_020);
    assert_eq!(danger_ns(coarse), Some(5_000 * MS));
    assert_eq!(
        danger_ns(table(Settings::new(60_000)).at(5_000).created(rtt_ms(0), 60_000)),
        Some(5_000 * MS)
    );
    assert_eq!(danger_ns(table(minute()).at_ns(END_NS).created(rtt_ms(0), 60_000)), Some(END_NS));
}

#[test]
fn v3_the_lead_rounds_down_and_ends_at_zero() {
    let created = table(minute()).at(5_000).created(rtt_ms(0), 60_000);
    for (after_ns, lead) in [
        (0, 60_000),
        (1, 59_999),
        (MS, 59_999),
        (MS + 1, 59_998),
        (59_999 * MS, 1),
        (59_999 * MS + 1, 0),
        (60_000 * MS, 0),
        (END_NS - 5_000 * MS, 0),
    ] {
        assert_eq!(lead_ms(created, 5_000 * MS + after_ns), lead, "{after_ns}");
    }
}

#[test]
fn v3_the_lead_of_a_reading_in_the_past_is_that_of_the_last_or_none() {
    let created = table(minute()).at(5_000).created(rtt_ms(0), 60_000).at(7_000).tick();
    assert_eq!(lead_ms(created, 7_000 * MS), 58_000);
    assert_eq!(lead_ms(created, 6_999 * MS), 58_000);
    assert_eq!(lead_ms(created, 6_999 * MS - 1), 0);
    assert_eq!(lead_ms(created, 0), 0);
    let coarse = table(resolution_ms(16)).at(5_000).created(rtt_ms(0), 60_000);
    assert_eq!(lead_ms(coarse, 4_984 * MS), 59_968);
    assert_eq!(lead_ms(coarse, 4_984 * MS - 1), 0);
}

#[test]
fn v3_it_is_held_until_the_fence_and_no_longer() {
    let created = table(minute()).at(5_000).created(rtt_ns(1), 60_000);
    let fence_ns = 65_000 * MS - 1;
    assert!(held(created, 59_999, 5_000 * MS));
    assert!(!held(created, 60_000, 5_000 * MS));
    assert!(held(created, 1, fence_ns - MS));
    assert!(!held(created, 1, fence_ns - MS + 1));
    assert!(held(created, 0, fence_ns));
    assert!(!held(created, 0, fence_ns + 1));
    assert!(!held(created, 0, END_NS));
    assert!(!held(created, u64::MAX, 5_000 * MS));
}

#[test]
fn v3_it_is_not_held_on_a_clock_that_jumped_back() {
    let created = table(minute()).at(5_000).created(rtt_ms(0), 60_000);
    assert!(held(created, 60_000, 4_999 * MS));
    // Read as the last accepted reading, which leaves no more than 60,000 ms.
    assert!(!held(created, 60_001, 4_999 * MS));
    assert!(!held(created, 0, 4_999 * MS - 1));
}

#[test]
fn v4_the_next_deadline_is_of_whatever_the_kernel_waits_for() {
    assert_eq!(deadline_ns(table(minute()).at(5).tick()), None);
    assert_eq!(deadline_ns(table(minute()).at(5).begin()), Some(10_005 * MS));
    assert_eq!(deadline_ns(table(minute()).at(5).created(rtt_ms(0), 60_000)), Some(39_005 * MS));
    assert_eq!(deadline_ns(beating()), Some(49_000 * MS));
    assert_eq!(deadline_ns(beating().at(40_000).failed(http(503))), Some(45_000 * MS));
    assert_eq!(deadline_ns(beating().at(40_000).failed(retry_after_ms(7_000))), Some(47_000 * MS));
    assert_eq!(deadline_ns(bare()), Some(10_000 * MS));
    assert_eq!(deadline_ns(bare().failed(http(503))), Some(30_000 * MS));
    assert_eq!(deadline_ns(beating().close()), None);
}

#[test]
fn v4_without_a_timeout_an_attempt_in_flight_has_no_deadline() {
    let unknown = table(Settings::new(60_000)).at(5);
    assert_eq!(deadline_ns(unknown.begin()), None);
    assert_eq!(deadline_ns(unknown.created(rtt_ms(0), 60_000).sends(Fresh, 1)), None);
    assert_eq!(deadline_ns(unknown.created_bare(rtt_ms(0), Some(E)).failed(http(503))), Some(30_005 * MS));
    assert_eq!(deadline_ns(table(timeout_ms(u64::MAX)).at(5).begin()), Some(END_NS));
}

#[test]
fn l2_an_attempt_is_in_flight_from_its_send_to_its_report_or_timeout() {
    let in_flight = |timeline: Table| timeline.kernel.in_flight().map(AttemptId::get);
    let timeline = table(minute()).at(0);
    assert_eq!(in_flight(timeline), None);
    let timeline = timeline.begin();
    assert_eq!(in_flight(timeline), Some(1));
    let timeline = timeline.created(rtt_ms(0), 60_000);
    assert_eq!(in_flight(timeline), None);
    let timeline = timeline.at(39_000).tick();
    assert_eq!(in_flight(timeline), Some(2));
    assert_eq!(in_flight(timeline.failed(http(503))), None);
    assert_eq!(in_flight(timeline.at(48_999).tick()), Some(2));
    assert_eq!(in_flight(timeline.at(49_000).tick().sends(Same, 3)), Some(3));
    assert_eq!(in_flight(timeline.close()), None);
}

#[test]
fn p3_the_plan_is_that_of_the_last_success_and_the_slowest_round_trip() {
    let plan = |timeline: Table| timeline.kernel.plan();
    let slow = table(minute()).at(5_000).created(rtt_ms(1_500), 61_500);
    assert_eq!(plan(slow).delay(), Some(Millis::new(37_000)));
    assert_eq!(plan(slow).retry_reserve(), Some(Millis::new(23_000)));
    let next = slow.later(37_000).tick().extended(rtt_ms(0), 60_000);
    assert_eq!(plan(next).safety_margin(), Millis::new(3_000));
    // Nothing proved leaves no delay.
    assert_eq!(plan(next.timing_lost()).delay(), None);
}

#[test]
fn stats_count_sends_retries_extensions_and_failures() {
    let stats = |timeline: Table, attempts, retries, extensions, failures| {
        assert_eq!(timeline.kernel.stats(), Stats { attempts, retries, extensions, failures });
        timeline
    };
    let timeline = stats(table(minute()), 0, 0, 0, 0);
    let timeline = stats(timeline.at(0).begin(), 1, 0, 0, 0);
    let timeline = stats(timeline.at(10_000).tick().sends_a_create(Same, 2), 2, 1, 0, 1);
    // A create is no extension.
    let timeline = stats(timeline.created(rtt_ms(0), 60_000), 2, 1, 0, 1);
    let timeline = stats(timeline.later(39_000).tick(), 3, 1, 0, 1);
    let unproved = Success { rtt_ns: Some(0), remaining_ttl_ms: Some(60_000), expires_at_ms: None };
    let timeline = stats(timeline.later(500).report(Outcome::Extended(unproved)).waits(5_125), 3, 1, 0, 2);
    let timeline = stats(timeline.later(5_125).tick().sends(Same, 4), 4, 2, 0, 2);
    let timeline = stats(timeline.extended(UNTIMED, 60_000).sends(Fresh, 5), 5, 2, 1, 2);
    let timeline = stats(timeline.extended_bare(rtt_ms(0), E).waits(30_000), 5, 2, 2, 2);
    let timeline = stats(timeline.answering(5).failed(http(503)), 5, 2, 2, 2);
    stats(timeline.close(), 5, 2, 2, 2);
    // A denied create failed at nothing.
    stats(table(minute()).begin().denied(), 1, 0, 0, 0);
    stats(table(minute()).begin().failed(http(404)), 1, 0, 0, 1);
}

#[test]
fn a_key_generation_counts_fresh_keys() {
    let generation = |timeline: Table| match timeline.decision().action {
        leasebeat::Action::Send(attempt) => attempt.key_generation,
        action => panic!("{action:?}"),
    };
    let begun = table(minute()).at(0).begin();
    let retried = begun.failed(http(503));
    let beat = retried.created(rtt_ms(0), 60_000).at(39_000).tick();
    let again = beat.at(40_000).failed(retry_after_ms(0));
    assert_eq!([begun, retried, beat, again].map(generation), [1, 1, 2, 2]);
}
