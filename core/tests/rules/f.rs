//! F · Fallback: the success does not say what remains.

use leasebeat::{ErrorCode, Failure, Fallback, Rule, Settings, StopReason};

use crate::table::{
    E, END_NS, Fresh, MS, Same, Table, UNTIMED, beating, coded, http, minute, retry_after_ms, rtt_ms, table,
    timeout_ms,
};

/// A lease whose create did not say what remains; its first extend is in flight at 0.
fn bare(extend_by_ms: u64) -> Table {
    let settings = Settings { extend_by_ms, ..timeout_ms(500) };
    table(settings).at(0).created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1).by(Rule::F3)
}

#[test]
fn f1_the_latest_success_decides_the_mode() {
    let bare = beating().at(39_000).extended_bare(rtt_ms(0), E + 20_000).waits(10_000).by(Rule::F4);
    assert_eq!((bare.kernel.fence(), bare.kernel.danger()), (None, None));
    let beat = bare.at(49_000).tick().sends(Fresh, 2);
    // A refusal is not the end in fallback, and is on the primary path again.
    beat.failed(http(403)).waits(10_000).by(Rule::F6);
    let primary = beat.extended(rtt_ms(0), 60_000).waits(39_000).by(Rule::P4).later(39_000).tick();
    primary.failed(http(403)).stops(StopReason::Rejected).by(Rule::C4);
}

#[test]
fn f1_a_host_may_refuse_to_guess() {
    let refusing = table(Settings { fallback: Fallback::Refuse, ..minute() }).at(0);
    refusing.created_bare(rtt_ms(0), Some(E)).stops(StopReason::RemainingTtlAbsent).by(Rule::F1);
    let beat = refusing.created(rtt_ms(0), 60_000).at(39_000).tick();
    beat.extended_bare(rtt_ms(0), E).stops(StopReason::RemainingTtlAbsent).by(Rule::F1);
    // A lease that always says what remains notices nothing.
    beat.extended(rtt_ms(0), 60_000).waits(39_000);
}

#[test]
fn f1_unknown_local_timing_is_no_fallback() {
    let untimed = beating().extended(UNTIMED, 60_000).sends(Fresh, 2).by(Rule::P5);
    untimed.failed(http(403)).stops(StopReason::Rejected);
    let refusing = table(Settings { fallback: Fallback::Refuse, ..minute() });
    refusing.created(UNTIMED, 60_000).sends(Fresh, 1).by(Rule::P5);
}

#[test]
fn f2_the_ledger_is_kept_on_the_primary_path() {
    beating().extended_bare(rtt_ms(0), E + 20_000).waits(10_000);
    let beat = beating().extended_until(rtt_ms(0), 60_000, E + 20_000).waits(39_000).later(39_000).tick();
    beat.extended_bare(rtt_ms(0), E + 60_000).waits(30_000).later(30_000).tick().sends(Fresh, 3);
    beat.extended_bare(rtt_ms(0), E + 32_000).waits(6_000);
}

#[test]
fn f2_a_create_without_an_expiry_starts_no_ledger() {
    let first = table(minute()).at(0).created_bare(rtt_ms(0), None).sends(Fresh, 1).by(Rule::F3);
    // Unmeasured: held. The next is measured.
    let waiting = first.extended_bare(rtt_ms(0), E + 20_000).waits(30_000).by(Rule::F4);
    waiting.at(30_000).tick().sends(Fresh, 2).extended_bare(rtt_ms(0), E + 40_000).waits(10_000);
}

#[test]
fn f2_an_expiry_that_goes_back_is_no_grant() {
    let first = bare(60_000).extended_bare(rtt_ms(0), E - 1).waits(30_000);
    // The next grant counts from the latest expiry, not from the largest.
    first.at(30_000).tick().sends(Fresh, 2).extended_bare(rtt_ms(0), E + 19_999).waits(10_000);
}

#[test]
fn f3_a_fieldless_create_is_extended_at_once() {
    let first = bare(60_000);
    assert_eq!(first.kernel.fence(), None);
    first.at(500).tick().waits(30_000).by(Rule::F6);
}

#[test]
fn f3_held_is_half_the_extension_within_bounds() {
    for (extend_by, held) in [(1, 500), (1_001, 500), (1_002, 501), (59_999, 29_999), (60_000, 30_000)] {
        bare(extend_by).extended_bare(rtt_ms(0), E).waits(held).by(Rule::F4);
        bare(extend_by).failed(http(503)).waits(held).by(Rule::F6);
    }
    bare(86_400_000).extended_bare(rtt_ms(0), E).waits(30_000);
}

#[test]
fn f3_held_is_the_cadence_until_an_extension() {
    let retried = bare(10_000).failed(http(503)).waits(5_000).at(5_000).tick().sends(Same, 2).by(Rule::F6);
    retried.failed(http(503)).waits(5_000).at(10_000).tick().sends(Same, 3);
}

#[test]
fn f4_half_the_grant_within_bounds() {
    for (grant, wait) in
        [(1, 500), (1_001, 500), (1_002, 501), (59_998, 29_999), (60_000, 30_000), (1 << 50, 30_000)]
    {
        let waiting = bare(60_000).extended_bare(rtt_ms(0), E + grant).waits(wait).by(Rule::F4);
        waiting.at(wait - 1).tick().waits(1).by(Rule::T4);
    }
    bare(86_400_000).extended_bare(rtt_ms(0), E + (1 << 50)).waits(43_200_000);
    bare(600).extended_bare(rtt_ms(0), E + 600).waits(500);
}

#[test]
fn f4_then_it_beats_with_a_fresh_key() {
    let waiting = bare(60_000).extended_bare(rtt_ms(0), E + 20_000).waits(10_000);
    let beat = waiting.at(9_999).tick().waits(1).at(10_000).tick().sends(Fresh, 2).by(Rule::F4);
    beat.at(10_100).extended_bare(rtt_ms(100), E + 40_000).waits(10_000);
}

/// An extend answered `elapsed_ms` after the answer before it, with a grant of `grant_ms`.
fn granted(elapsed_ms: u64, grant_ms: u64) -> Table {
    table(timeout_ms(3_600_000))
        .at(0)
        .created_bare(rtt_ms(0), Some(E))
        .at(elapsed_ms)
        .extended_bare(rtt_ms(0), E + grant_ms)
}

#[test]
fn f4_a_grant_that_echoes_the_time_passed_is_clamped() {
    // 3·elapsed ≤ 4·grant ≤ 5·elapsed
    granted(40_000, 30_000).waits(30_000);
    granted(40_001, 30_000).waits(15_000);
    granted(24_000, 30_000).waits(30_000);
    granted(23_999, 30_000).waits(15_000);
    // 10·grant < 9·extend_by
    granted(53_999, 53_999).waits(30_000);
    granted(54_000, 54_000).waits(27_000);
}

#[test]
fn f4_the_time_passed_counts_a_quantum() {
    let coarse = Settings { clock_resolution_ns: 1_000 * MS, ..timeout_ms(3_600_000) };
    let sent = table(coarse).at(0).created_bare(rtt_ms(0), Some(E));
    sent.at(39_000).extended_bare(rtt_ms(0), E + 30_000).waits(30_000);
    sent.at_ns(39_000 * MS + 1).extended_bare(rtt_ms(0), E + 30_000).waits(15_000);
}

#[test]
fn f4_the_time_passed_is_that_between_successes() {
    // Two failures in between: 30,000 granted in 40,000 all the same.
    let retried =
        table(minute()).at(0).created_bare(rtt_ms(0), Some(E)).at(5_000).failed(http(503)).waits(30_000);
    let retried = retried.at(35_000).tick().sends(Same, 2).at(40_000);
    retried.extended_bare(rtt_ms(0), E + 30_000).waits(30_000);
}

/// Two grants of 2,000 ms in no time: 4,000 ms proved at 0, and a beat due at 1,000.
fn ahead() -> Table {
    let first = bare(2_000).extended_bare(rtt_ms(0), E + 2_000).waits(1_000);
    first.at(1_000).tick().sends(Fresh, 2).extended_bare(rtt_ms(0), E + 4_000).waits(1_000)
}

#[test]
fn f5_a_beat_is_skipped_while_one_and_a_half_grants_are_proved() {
    // 4,000 proved; 2,000 consumed at 2,000: below 3,000.
    ahead().at(2_000).tick().sends(Fresh, 3).by(Rule::F4);
    let beat = ahead().at(2_000).tick().sends(Fresh, 3).extended_bare(rtt_ms(0), E + 6_000).waits(1_000);
    // 6,000 - 3,000 = 3,000: just enough.
    let skipped = beat.at(3_000).tick().waits(1_000).by(Rule::F5);
    skipped.at(3_999).tick().waits(1).at(4_000).tick().sends(Fresh, 4).by(Rule::F4);
    beat.at_ns(3_000 * MS + 1).tick().sends(Fresh, 4).by(Rule::F4);
}

#[test]
fn f5_a_skip_waits_the_cadence_again_from_now() {
    let far = bare(2_000).extended_bare(rtt_ms(0), E + 2_000).waits(1_000);
    let far = far.at(1_000).tick().extended_bare(rtt_ms(0), E + 9_000).waits(1_000);
    // A grant of 7,000 needs 10,500.
    far.at(2_000).tick().sends(Fresh, 3);
    let far = far.at(2_000).tick().extended_bare(rtt_ms(0), E + 11_000).waits(1_000);
    let late = far.at(3_700).tick().waits(1_000).by(Rule::F5);
    let late = late.at(4_699).tick().waits(1).at(4_700).tick().waits(1_000).by(Rule::F5);
    late.at(5_700)
        .tick()
        .waits(1_000)
        .at(6_700)
        .tick()
        .waits(1_000)
        .at(7_700)
        .tick()
        .waits(1_000)
        .at(8_700)
        .tick()
        .sends(Fresh, 4);
}

#[test]
fn f5_a_coarse_clock_proves_a_quantum_less() {
    let coarse = Settings { extend_by_ms: 2_000, clock_resolution_ns: 1, ..timeout_ms(500) };
    let first = table(coarse).at(0).created_bare(rtt_ms(0), Some(E)).extended_bare(rtt_ms(0), E + 4_000);
    let beat = first.at(1_000).tick().sends(Fresh, 2).extended_bare(rtt_ms(0), E + 6_000).waits(1_000);
    // 6,000 - 3,000 is one and a half grants.
    beat.at_ns(3_000 * MS - 1).tick().waits(1_000).by(Rule::F5);
    beat.at_ns(3_000 * MS).tick().sends(Fresh, 3).by(Rule::F4);
}

#[test]
fn f5_a_clamped_lease_skips_nothing() {
    // 60,000 proved at once, then an expiry that does not move: the grant is 0, clamped.
    let first = bare(2_000).extended_bare(rtt_ms(0), E + 60_000).waits(1_000);
    let clamped = first.at(1_000).tick().sends(Fresh, 2).extended_bare(rtt_ms(0), E + 60_000).waits(1_000);
    clamped.at(2_000).tick().sends(Fresh, 3).by(Rule::F4);
}

#[test]
fn f5_a_retry_is_no_scheduled_beat() {
    let beat = bare(2_000).extended_bare(rtt_ms(0), E + 60_000).at(1_000).tick().sends(Fresh, 2);
    beat.failed(http(503)).waits(1_000).at(2_000).tick().sends(Same, 3).by(Rule::F6);
}

#[test]
fn f5_sends_where_the_clock_has_no_room_for_a_skip() {
    let origin = END_NS - 3_000 * MS;
    let settings = Settings { extend_by_ms: 2_000, ..timeout_ms(500) };
    let first = table(settings).at_ns(origin).created_bare(rtt_ms(0), Some(E));
    let first = first.extended_bare(rtt_ms(0), E + 60_000).waits(1_000).later(1_000).tick().sends(Fresh, 2);
    let beat = first.extended_bare(rtt_ms(0), E + 62_000).waits(1_000);
    beat.later(1_000).tick().waits(1_000).by(Rule::F5);
    beat.at_ns(END_NS).tick().sends(Fresh, 3).by(Rule::F5);
}

#[test]
fn f6_any_passing_failure_is_retried_after_the_cadence() {
    let beat =
        bare(60_000).extended_bare(rtt_ms(0), E + 20_000).waits(10_000).at(10_000).tick().sends(Fresh, 2);
    for failure in [
        Failure::Timeout,
        Failure::Connection,
        Failure::Ambiguous,
        http(503),
        http(429),
        http(403),
        http(302),
    ] {
        let waiting = beat.at(10_100).failed(failure).waits(10_000).by(Rule::F6);
        waiting.at(20_099).tick().waits(1).at(20_100).tick().sends(Same, 3).by(Rule::F6);
    }
    // Without end: no window, no progress is asked for.
    let again = beat.failed(http(503)).waits(10_000).later(10_000).tick().failed(http(503)).waits(10_000);
    again.later(10_000).tick().sends(Same, 4).failed(http(503)).waits(10_000);
}

#[test]
fn f6_a_permanent_failure_stops() {
    bare(60_000)
        .failed(coded(409, ErrorCode::ReservationFinalized))
        .stops(StopReason::ReservationFinalized)
        .by(Rule::C3);
}

#[test]
fn f6_a_429_waits_the_longer_of_the_two_and_never_less() {
    let throttled = bare(60_000).failed(retry_after_ms(45_000)).waits(45_000).by(Rule::F6);
    throttled.at_ns(45_000 * MS - 1).tick().waits(1).at(45_000).tick().sends(Same, 2).by(Rule::F6);
    // The cadence is longer, and still a wait that honours a Retry-After.
    let throttled = bare(60_000).failed(retry_after_ms(0)).waits(30_000).by(Rule::F6);
    throttled.at_ns(30_000 * MS - 1).tick().waits(1).at(30_000).tick().sends(Same, 2);
    // Nor does any other retry come early (T4).
    let again = bare(60_000).failed(http(429)).waits(30_000).at_ns(30_000 * MS - 1).tick().waits(1);
    again.at(30_000).tick().sends(Same, 2);
}

#[test]
fn f6_a_retry_after_longer_than_any_lease_stops() {
    bare(60_000).failed(retry_after_ms(86_400_000)).waits(86_400_000).by(Rule::F6);
    bare(60_000).failed(retry_after_ms(86_400_001)).stops(StopReason::Throttled).by(Rule::F6);
    bare(60_000).failed(retry_after_ms(u64::MAX)).stops(StopReason::Throttled);
}

#[test]
fn f7_a_fieldless_success_resets_the_count_of_zero_delays() {
    let zero = table(minute()).at(0).created(rtt_ms(0), 21_000).sends(Fresh, 1).by(Rule::P5);
    let bare = zero.extended_bare(rtt_ms(0), E + 60_000).waits(30_000).later(30_000).tick().sends(Fresh, 2);
    let zero = bare.extended(rtt_ms(0), 21_000).sends(Fresh, 3).by(Rule::P5);
    zero.extended(rtt_ms(0), 21_000).stops(StopReason::LeaseTooShort);
}

#[test]
fn f7_there_is_no_zero_delay_rule() {
    let end = table(minute()).at_ns(END_NS).created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1);
    let end = end.extended_bare(rtt_ms(0), E + 60_000).sends(Fresh, 2).extended_bare(rtt_ms(0), E + 120_000);
    end.sends(Fresh, 3).by(Rule::F4);
}
