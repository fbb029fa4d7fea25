//! T6 · Lost timing, in every phase: reported by the host, and seen as a jump of the clock.

use leasebeat::{Instant, Millis, Rule, Settings, StopReason};

use crate::table::{
    E, Fresh, MS, Same, Table, UNTIMED, beating, http, minute, retry_after_ms, rtt_ms, table, timeout_ms,
};

/// The host reports the loss 5 s later, or its clock is found to have gone back by 2 s.
const LOSSES: [fn(Table) -> Table; 2] =
    [|timeline| timeline.later(5_000).timing_lost(), |timeline| timeline.earlier_ns(2_000 * MS).tick()];

/// A fieldless lease with an extend in flight since 10,000 ms.
fn bare() -> Table {
    table(minute()).at(10_000).created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1)
}

#[test]
fn t6_before_anything_only_the_adopted_create_is_tainted() {
    for lose in LOSSES {
        let idle = lose(table(minute()).at(10_000).tick()).waits_for_an_event().by(Rule::L1);
        idle.later(1).created(rtt_ms(0), 60_000).sends(Fresh, 1).by(Rule::P5);
        // A create sent after the loss is timed anew.
        let begun = idle.later(1).begin().sends_a_create(Fresh, 1);
        begun.later(1).created(rtt_ms(0), 60_000).waits(39_000);
    }
}

#[test]
fn t6_a_create_adopted_in_the_call_that_jumps_is_tainted() {
    let idle = table(minute()).at(10_000).tick();
    idle.at(8_000).created(rtt_ms(0), 60_000).sends(Fresh, 1).by(Rule::P5);
    idle.at(10_000).created(rtt_ms(0), 60_000).waits(39_000);
}

#[test]
fn t6_a_create_in_flight_has_its_timeout_restarted() {
    for lose in LOSSES {
        let begun = lose(table(minute()).at(10_000).begin().later(1_000)).waits(10_000).by(Rule::L3);
        begun.later(9_999).tick().waits(1).later(1).tick().sends_a_create(Same, 2).by(Rule::L4);
        begun.later(1).created(rtt_ms(0), 60_000).sends(Fresh, 2).by(Rule::P5);
    }
}

#[test]
fn t6_an_extend_in_flight_has_its_timeout_restarted() {
    for lose in LOSSES {
        let beat = lose(beating().later(1_000)).waits(10_000).by(Rule::L3);
        beat.later(9_999).tick().waits(1);
        beat.later(10_000).tick().stops(StopReason::NoSafeRetry).by(Rule::R2);
        beat.later(1).failed(http(503)).stops(StopReason::NoSafeRetry).by(Rule::R2);
    }
}

#[test]
fn t6_the_success_of_a_tainted_extend_proves_nothing() {
    for lose in LOSSES {
        let late = lose(beating()).later(1).extended(rtt_ms(0), 60_000).sends(Fresh, 2).by(Rule::P5);
        assert_eq!(late.kernel.fence(), None);
        // Only that one: the next is timed anew, though a second zero delay would stop it.
        late.later(1).extended(rtt_ms(0), 60_000).waits(39_000);
        late.later(1).extended(rtt_ms(0), 21_000).stops(StopReason::LeaseTooShort);
    }
}

#[test]
fn t6_a_tainted_round_trip_makes_no_margin() {
    for lose in LOSSES {
        let late = lose(beating()).later(1).extended(rtt_ms(8_000), 60_000).sends(Fresh, 2);
        late.later(1).extended(rtt_ms(0), 60_000).waits(39_000);
    }
}

#[test]
fn t6_a_jump_in_the_call_of_the_report_taints_it() {
    let beat = beating().earlier_ns(MS + 1);
    beat.extended(rtt_ms(0), 60_000).sends(Fresh, 2).by(Rule::P5);
    beat.failed(http(503)).stops(StopReason::NoSafeRetry).by(Rule::R2);
    beat.close().stops(StopReason::Closed);
    assert_eq!(beat.close().kernel.fence(), None);
}

#[test]
fn t6_lost_timing_makes_no_network_faster() {
    for lose in LOSSES {
        let slow = table(minute()).at(10_000).created(rtt_ms(1_500), 60_000).waits(35_500);
        let beat = lose(slow).sends(Fresh, 1).by(Rule::T6);
        beat.later(1).extended(rtt_ms(0), 60_000).waits(37_000);
    }
}

#[test]
fn t6_a_wait_for_a_beat_sends_now() {
    for lose in LOSSES {
        let beat = lose(table(minute()).at(10_000).created(rtt_ms(0), 60_000)).sends(Fresh, 1).by(Rule::T6);
        assert_eq!((beat.kernel.fence(), beat.kernel.danger()), (None, None));
        beat.later(1).extended(rtt_ms(0), 60_000).waits(39_000);
    }
}

#[test]
fn t6_a_wait_for_a_beat_counts_as_a_zero_delay_success() {
    for lose in LOSSES {
        let beat = lose(table(minute()).at(10_000).created(rtt_ms(0), 60_000)).later(1);
        beat.extended(rtt_ms(0), 21_000).stops(StopReason::LeaseTooShort).by(Rule::P5);
        beat.extended(rtt_ms(0), 21_001).waits(1);
    }
}

#[test]
fn t6_an_unmeasured_success_after_it_stops_too() {
    for lose in LOSSES {
        let beat = lose(table(minute()).at(10_000).created(rtt_ms(0), 60_000)).later(1);
        beat.extended(UNTIMED, 60_000).stops(StopReason::LeaseTooShort).by(Rule::P5);
    }
}

#[test]
fn t6_a_waiting_recovery_stops() {
    for lose in LOSSES {
        let recovering = beating().at(40_000).failed(http(503)).waits(5_000);
        lose(recovering).stops(StopReason::NoSafeRetry).by(Rule::T6);
        let throttled = beating().at(40_000).failed(retry_after_ms(6_000)).waits(6_000);
        lose(throttled).stops(StopReason::NoSafeRetry).by(Rule::T6);
    }
}

#[test]
fn t6_a_fallback_beat_is_sent_now_and_never_skipped() {
    // Four seconds proved in the ledger and a grant of two: a beat at the deadline would be skipped.
    let short = Settings { extend_by_ms: 2_000, ..timeout_ms(500) };
    let waiting =
        table(short).at(10_000).created_bare(rtt_ms(0), Some(E)).extended_bare(rtt_ms(0), E + 4_000);
    let waiting = waiting.waits(1_000).later(1_000).tick().sends(Fresh, 2);
    let waiting = waiting.extended_bare(rtt_ms(0), E + 6_000).waits(1_000);
    waiting.later(1_000).tick().waits(1_000).by(Rule::F5);
    for lose in LOSSES {
        lose(waiting).sends(Fresh, 3).by(Rule::T6);
    }
}

#[test]
fn t6_a_fallback_retry_is_sent_now_with_the_key_it_was_holding() {
    for lose in LOSSES {
        lose(bare().failed(http(503)).waits(30_000)).sends(Same, 2).by(Rule::T6);
    }
}

#[test]
fn t6_a_fallback_wait_for_a_retry_after_starts_over() {
    for lose in LOSSES {
        let waiting = bare().failed(retry_after_ms(45_000)).waits(45_000).later(20_000).tick().waits(25_000);
        let over = lose(waiting).waits(45_000).by(Rule::T6);
        let over = over.later_ns(45_000 * MS - 1).tick().waits(1);
        over.later_ns(1).tick().sends(Same, 2).by(Rule::F6);
        // The next loss finds it at its full length again.
        lose(lose(waiting)).waits(45_000);
    }
}

#[test]
fn t6_a_retry_after_of_a_whole_day_starts_over_whole() {
    for lose in LOSSES {
        lose(bare().failed(retry_after_ms(86_400_000)).waits(86_400_000)).waits(86_400_000);
    }
}

#[test]
fn t6_a_fallback_extend_in_flight_goes_on_after_its_timeout() {
    for lose in LOSSES {
        let beat = lose(bare()).waits(10_000).by(Rule::L3);
        beat.later(10_000).tick().waits(30_000).by(Rule::F6);
    }
}

#[test]
fn t6_the_ledger_starts_over_at_a_tainted_success() {
    for lose in LOSSES {
        // The grant of 20,000 is measured against nothing, so the cadence is the held one.
        let late = lose(bare()).later(1).extended_bare(rtt_ms(0), E + 20_000).waits(30_000).by(Rule::F4);
        let next = late.later(30_000).tick().sends(Fresh, 2);
        next.extended_bare(rtt_ms(0), E + 40_000).waits(10_000);
    }
}

#[test]
fn t6_a_tainted_fieldless_round_trip_makes_no_margin() {
    for lose in LOSSES {
        let late = lose(bare()).later(1).extended_bare(rtt_ms(8_000), E + 60_000).waits(30_000);
        let next = late.later(30_000).tick().sends(Fresh, 2);
        next.extended(rtt_ms(0), 60_000).waits(39_000);
    }
}

#[test]
fn t6_a_stopped_kernel_stays_stopped() {
    for lose in LOSSES {
        let stopped = beating().close().stops(StopReason::Closed);
        let lost = lose(stopped).stops(StopReason::Closed).by(Rule::L5);
        assert_eq!(lost.kernel.snapshot(), stopped.kernel.snapshot());
        // What the stop had kept is proved no more: nobody knows how much of it has passed.
        assert!(stopped.kernel.fence().is_some());
        assert_eq!((lost.kernel.fence(), lost.kernel.lead(Instant::ORIGIN)), (None, Millis::ZERO));
    }
}

#[test]
fn t6_the_new_reading_is_the_base_from_then_on() {
    let back = table(minute()).at(10_000).begin().at(3_000).tick().waits(10_000);
    back.at(5_000).tick().waits(8_000).at(12_999).tick().waits(1).at(13_000).tick().sends_a_create(Same, 2);
}
