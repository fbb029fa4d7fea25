//! R · Recovery on the primary path: an extend failed transiently.

use leasebeat::{Failure, Rule, StopReason};

use crate::table::{
    END_NS, Fresh, MS, Same, Table, beating, http, minute, resolution_ms, retry_after_ms, rtt_ms, table,
    timeout_ms,
};

/// An extend in flight at 0, with `lead_ms` proved at 0 and a window of `lead_ms - timeout_ms - 1,000`.
fn proved(lead_ms: u64, timeout: u64) -> Table {
    table(timeout_ms(timeout)).at(0).created(rtt_ms(0), lead_ms).sends(Fresh, 1).by(Rule::P5)
}

#[test]
fn r1_the_lead_shrinks_from_the_receipt_of_the_last_success() {
    beating().at(39_000).failed(http(503)).waits(21_000 / 4);
    beating().at(40_000).failed(http(503)).waits(20_000 / 4);
    // A retry does not restart it.
    let retried = beating().at(40_000).failed(http(503)).at(45_000).tick().sends(Same, 2);
    retried.at(45_100).failed(http(503)).waits(14_900 / 4);
}

#[test]
fn r1_the_round_trip_is_already_off_the_lead() {
    let beat = table(minute()).at(0).created(rtt_ms(400), 60_000).waits(38_600).at(38_600).tick();
    beat.at(40_000).failed(http(503)).waits(19_600 / 4);
}

#[test]
fn r2_a_negative_window_stops() {
    for failure in [http(503), http(429), retry_after_ms(0), Failure::Timeout] {
        beating().at_ns(49_000 * MS + 1).failed(failure).stops(StopReason::NoSafeRetry).by(Rule::R2);
        beating().at_ns(END_NS).failed(failure).stops(StopReason::NoSafeRetry).by(Rule::R2);
    }
}

#[test]
fn r3_a_zero_window_allows_one_immediate_retry() {
    for failure in [http(503), Failure::Timeout, retry_after_ms(0)] {
        beating().at(49_000).failed(failure).sends(Same, 2).by(Rule::R3);
        beating().at_ns(48_999 * MS + 1).failed(failure).sends(Same, 2).by(Rule::R3);
    }
    beating().at(48_999).failed(http(503)).waits(1).by(Rule::R5);
}

#[test]
fn r3_a_second_zero_window_stops() {
    let retried = beating().at(49_000).failed(http(503)).sends(Same, 2);
    retried.at(49_000).failed(http(503)).stops(StopReason::ZeroWindowSpent).by(Rule::R3);
    retried.at(49_000).failed(retry_after_ms(0)).stops(StopReason::ZeroWindowSpent).by(Rule::R3);
    retried.at(49_000).failed(http(429)).stops(StopReason::ZeroWindowSpent).by(Rule::R3);
    retried.at(49_001).failed(http(503)).stops(StopReason::NoSafeRetry).by(Rule::R2);
}

#[test]
fn r3_a_429_is_retried_only_if_it_says_so() {
    beating().at(49_000).failed(http(429)).stops(StopReason::Throttled).by(Rule::R6);
    beating().at(49_000).failed(retry_after_ms(1)).stops(StopReason::Throttled).by(Rule::R6);
    beating().at(49_000).failed(retry_after_ms(0)).sends(Same, 2).by(Rule::R3);
}

#[test]
fn r4_no_time_between_two_failures_stops() {
    let retried = beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2);
    for failure in [http(503), http(429), retry_after_ms(0), retry_after_ms(5_000)] {
        retried.at(40_000).failed(failure).stops(StopReason::NoProgress).by(Rule::R4);
        // A step back within T5 is no time either.
        retried.at(39_999).failed(failure).stops(StopReason::NoProgress).by(Rule::R4);
    }
    retried.at_ns(40_000 * MS + 1).failed(http(503)).waits(4_999).by(Rule::R5);
}

#[test]
fn r4_compares_with_the_failure_before_and_no_earlier_one() {
    let second = beating().at(40_000).failed(retry_after_ms(0)).at(40_001).failed(http(503)).waits(4_999);
    let third = second.at(45_000).tick().sends(Same, 3).at(45_000).failed(http(503)).waits(3_750);
    third.at(48_750).tick().sends(Same, 4).at(48_750).failed(http(503)).waits(250).by(Rule::R5);
}

#[test]
fn r5_waits_a_quarter_of_the_lead() {
    beating().at(40_000).failed(http(503)).waits(5_000).by(Rule::R5);
    beating().at(40_001).failed(http(503)).waits(4_999);
    let waiting = beating().at(40_000).failed(http(503));
    waiting.at(44_999).tick().waits(1).by(Rule::T4);
    waiting.at(45_000).tick().sends(Same, 2).by(Rule::R5);
}

#[test]
fn r5_waits_no_longer_than_the_window() {
    // Of a lead of 14,666 a quarter is 3,666, as is the window.
    proved(14_666, 10_000).failed(http(503)).waits(3_666);
    proved(14_665, 10_000).failed(http(503)).waits(3_665);
    proved(12_000, 10_000).failed(http(503)).waits(1_000);
    proved(11_001, 10_000).failed(http(503)).waits(1);
}

#[test]
fn r5_waits_no_longer_than_thirty_seconds() {
    proved(119_999, 60_000).failed(http(503)).waits(29_999);
    proved(120_000, 60_000).failed(http(503)).waits(30_000);
    proved(121_000, 60_000).failed(http(503)).waits(30_000);
}

#[test]
fn r5_counts_from_the_failure() {
    proved(121_000, 60_000).at(7_000).failed(http(503)).waits(114_000 / 4).at(35_499).tick().waits(1);
}

#[test]
fn r6_waits_exactly_the_retry_after_if_it_fits() {
    // 20,000 left: a window of 9,000.
    let waiting = beating().at(40_000).failed(retry_after_ms(9_000)).waits(9_000).by(Rule::R6);
    waiting.at_ns(49_000 * MS - 1).tick().waits(1).at(49_000).tick().sends(Same, 2).by(Rule::R6);
    beating().at(40_000).failed(retry_after_ms(1)).waits(1).by(Rule::R6);
}

#[test]
fn r6_stops_if_the_retry_after_does_not_fit() {
    beating().at(40_000).failed(retry_after_ms(9_001)).stops(StopReason::Throttled).by(Rule::R6);
    beating().at(40_000).failed(retry_after_ms(u64::MAX)).stops(StopReason::Throttled).by(Rule::R6);
    beating().at(40_000).failed(http(429)).stops(StopReason::Throttled).by(Rule::R6);
}

#[test]
fn t4_a_host_that_polls_cannot_retry_twice_in_a_millisecond() {
    let last = beating().at(48_998).failed(http(503)).waits(2);
    let spent = last.at(49_000).tick().sends(Same, 2).by(Rule::R5);
    let window = beating().at(48_999).failed(http(503)).waits(1).by(Rule::R5);
    window.at_ns(48_999 * MS + 1).tick().waits(1);
    window.at_ns(49_000 * MS - 1).tick().waits(1).at(49_000).tick().sends(Same, 2);
    // Nothing is left of the window then but R3's one retry.
    spent.failed(http(503)).sends(Same, 3).by(Rule::R3).failed(http(503)).stops(StopReason::ZeroWindowSpent);
}

#[test]
fn r6_a_zero_is_taken_at_its_word() {
    beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2).by(Rule::R6);
}

#[test]
fn r6_only_the_first_zero_is_taken_at_its_word() {
    let retried = beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2);
    let waiting = retried.at(41_000).failed(retry_after_ms(0)).waits(19_000 / 4).by(Rule::R6);
    waiting.at_ns(45_750 * MS - 1).tick().waits(1);
    let again = waiting.at(45_750).tick().sends(Same, 3).by(Rule::R5);
    again.at(46_000).failed(retry_after_ms(0)).waits(14_000 - 11_000).by(Rule::R6);
}

#[test]
fn r6_another_failure_between_zeros_changes_nothing() {
    let retried = beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2);
    let waiting = retried.at(41_000).failed(http(503)).waits(4_750).at(45_750).tick().sends(Same, 3);
    waiting.at(46_000).failed(retry_after_ms(0)).waits(14_000 - 11_000);
}

#[test]
fn r6_a_zero_does_not_bar_a_later_retry_after() {
    let retried = beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2);
    retried.at(41_000).failed(retry_after_ms(6_000)).waits(6_000).by(Rule::R6);
}

#[test]
fn r7_the_window_speaks_before_the_memory() {
    // Negative, though no time has passed since the failure before: R2 before R4.
    let retried = proved(11_001, 10_000).failed(retry_after_ms(0)).sends(Same, 2);
    retried.at(2).failed(http(503)).stops(StopReason::NoSafeRetry).by(Rule::R2);
    // Zero before no progress: R3 before R4.
    retried.at(1).failed(http(503)).sends(Same, 3).by(Rule::R3);
    // No progress before a Retry-After that does not fit: R4 before R6.
    retried.at(0).failed(retry_after_ms(u64::MAX)).stops(StopReason::NoProgress).by(Rule::R4);
}

#[test]
fn r7_a_success_clears_the_zero_window() {
    let retried = beating().at(49_000).failed(http(503)).sends(Same, 2).by(Rule::R3);
    let beat = retried.extended(rtt_ms(0), 11_000).sends(Fresh, 3).by(Rule::P5);
    beat.failed(http(503)).sends(Same, 4).by(Rule::R3);
}

#[test]
fn r7_a_success_clears_the_last_failure() {
    let retried = beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2);
    let beat = retried.extended(rtt_ms(0), 15_000).sends(Fresh, 3).by(Rule::P5);
    beat.at(40_000).failed(http(503)).waits(3_750).by(Rule::R5);
}

#[test]
fn r7_a_success_clears_the_zero_retry_after() {
    let retried = beating().at(40_000).failed(retry_after_ms(0)).sends(Same, 2);
    let beat = retried.at(41_000).extended(rtt_ms(0), 15_000).sends(Fresh, 3);
    beat.at(42_000).failed(retry_after_ms(0)).sends(Same, 4).by(Rule::R6);
}

#[test]
fn r8_a_late_timer_may_use_the_margin_but_not_the_attempt() {
    // 12,000 left at 48,000: the window is 1,000.
    let waiting = beating().at(48_000).failed(http(503)).waits(1_000).by(Rule::R5);
    waiting.at(49_000).tick().sends(Same, 2).by(Rule::R5);
    waiting.at(50_000).tick().sends(Same, 2).by(Rule::R5);
    waiting.at_ns(50_000 * MS + 1).tick().stops(StopReason::NoSafeRetry).by(Rule::R8);
    waiting.at_ns(END_NS).tick().stops(StopReason::NoSafeRetry).by(Rule::R8);
}

#[test]
fn r8_holds_after_a_retry_after_too() {
    let waiting = beating().at(48_000).failed(retry_after_ms(1_000)).waits(1_000).by(Rule::R6);
    waiting.at(50_000).tick().sends(Same, 2).by(Rule::R6);
    waiting.at(50_001).tick().stops(StopReason::NoSafeRetry).by(Rule::R8);
}

#[test]
fn r8_counts_a_quantum_of_a_coarse_clock() {
    let beat = table(resolution_ms(16)).at(0).created(rtt_ms(0), 60_000).at(38_984).tick().sends(Fresh, 1);
    // 59,984 - 48,016 = 11,968: a window of 968.
    let waiting = beat.at(48_000).failed(http(503)).waits(968);
    waiting.at(49_968).tick().sends(Same, 2);
    waiting.at(49_969).tick().stops(StopReason::NoSafeRetry).by(Rule::R8);
}

#[test]
fn r8_is_not_asked_of_an_immediate_retry_nor_of_a_beat() {
    table(minute()).at(0).created(rtt_ms(0), 60_000).at(59_999).tick().sends(Fresh, 1).by(Rule::P4);
}
