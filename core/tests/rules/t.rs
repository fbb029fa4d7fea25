//! T · Time, but for lost timing, which has its own file.

use leasebeat::{Event, Failure, Heartbeat, Instant, Outcome, Rule, Settings, StopReason};

use crate::table::{
    E, END_NS, Fresh, MS, Same, Table, UNTIMED, beating, http, minute, resolution_ms, retry_after_ms, rtt_ms,
    rtt_ns, table, timeout_ms,
};

/// A life with every phase in it, counted from `origin_ns`.
fn life(origin_ns: u64) -> Vec<String> {
    let mut timeline = table(minute());
    let mut decided = Vec::new();
    let mut step = |after_ms: u64, event: fn(Table) -> Table| {
        timeline = event(timeline.at_ns(origin_ns + after_ms * MS));
        decided.push(format!("{:?}", timeline.kernel.next_deadline().map(|at| at.as_nanos() - origin_ns)));
        decided.push(format!("{:?}", timeline.kernel.lead(Instant::from_nanos(origin_ns + after_ms * MS))));
        decided.push(format!("{:?} {:?}", timeline.kernel.stats(), timeline.kernel.stopped()));
    };
    step(5, Table::begin);
    step(500, |timeline| timeline.created(rtt_ms(495), 60_000));
    step(20_000, Table::tick);
    step(39_500, Table::tick);
    step(39_900, |timeline| timeline.failed(http(503)));
    step(45_000, Table::tick);
    step(45_100, |timeline| timeline.failed(retry_after_ms(1_000)));
    step(46_100, Table::tick);
    step(46_200, |timeline| timeline.extended_bare(rtt_ms(100), E + 60_000));
    step(76_200, Table::tick);
    step(76_300, |timeline| timeline.failed(Failure::Connection));
    step(70_000, Table::tick);
    step(70_100, |timeline| timeline.extended(rtt_ms(100), 60_000));
    step(80_000, Table::close);
    decided
}

#[test]
fn t1_the_origin_of_the_clock_changes_no_decision() {
    let first = life(0);
    for origin_ns in [1, 999_999, 1 << 33, 1 << 63, END_NS - 200_000 * MS] {
        assert_eq!(life(origin_ns), first, "{origin_ns}");
    }
}

#[test]
fn t1_a_clock_may_start_anywhere() {
    let begun = table(minute()).at_ns(END_NS / 2).begin().sends_a_create(Fresh, 1);
    begun.later(9_999).tick().waits(1).later(1).tick().sends_a_create(Same, 2);
}

#[test]
fn t1_many_kernels_live_side_by_side() {
    let mut kernels = [Heartbeat::new(*beating().kernel.config()); 3];
    for (kernel, at_ms) in kernels.iter_mut().zip([0, 7, 1_000_000]) {
        kernel.handle(Event::Begin, Instant::from_nanos(at_ms * MS)).unwrap();
    }
    let deadlines = kernels.map(|kernel| kernel.next_deadline().unwrap().as_nanos() / MS);
    assert_eq!(deadlines, [10_000, 10_007, 1_010_000]);
}

#[test]
fn t2_a_round_trip_rounds_up() {
    table(minute()).at(0).created(rtt_ns(0), 60_000).waits(39_000);
    table(minute()).at(0).created(rtt_ns(1), 60_000).waits(38_999);
    table(minute()).at(0).created(rtt_ns(MS), 60_000).waits(38_999);
    table(minute()).at(0).created(rtt_ns(MS + 1), 60_000).waits(38_998);
}

#[test]
fn t2_what_is_consumed_rounds_up() {
    beating().at(40_000).failed(http(503)).waits(5_000);
    beating().at_ns(40_000 * MS + 1).failed(http(503)).waits(4_999);
}

#[test]
fn t2_a_wait_rounds_down() {
    let waiting = table(minute()).at(0).created(rtt_ms(0), 60_000);
    waiting.at_ns(1).tick().waits(38_999);
    waiting.at(1).tick().waits(38_999);
}

#[test]
fn t2_a_positive_overflow_is_infinity() {
    let all_of_it = END_NS / MS;
    table(timeout_ms(1)).at(0).created(rtt_ms(0), u64::MAX).waits(all_of_it).by(Rule::P4);
    table(timeout_ms(1)).at(0).created(rtt_ns(u64::MAX), u64::MAX).waits(all_of_it).by(Rule::P4);
    table(timeout_ms(u64::MAX)).at(0).created(rtt_ms(0), u64::MAX).sends(Fresh, 1).by(Rule::P5);
    table(timeout_ms(1 << 63)).at(0).created(rtt_ms(0), u64::MAX).sends(Fresh, 1).by(Rule::P5);
    let coarse = Settings { clock_resolution_ns: 10_000 * MS, ..timeout_ms(1) };
    table(coarse).at(0).created(rtt_ns(u64::MAX), u64::MAX).waits(all_of_it);
}

#[test]
fn t3_a_coarse_clock_adds_a_quantum_to_each_round_trip() {
    table(resolution_ms(16)).at(0).created(rtt_ms(0), 60_000).waits(38_984);
    // Twice 506 ms is more than the margin's least.
    table(resolution_ms(16)).at(0).created(rtt_ms(490), 60_000).waits(59_494 - 20_000 - 1_012);
}

#[test]
fn t3_a_coarse_clock_adds_a_quantum_to_what_is_consumed() {
    let beating = table(resolution_ms(16)).at(0).created(rtt_ms(0), 60_000).at(38_984).tick().sends(Fresh, 1);
    // 59,984 - (40,000 + 16) = 19,968
    beating.at(40_000).failed(http(503)).waits(4_992).by(Rule::R5);
}

#[test]
fn t3_a_quantum_below_a_millisecond_counts_whole() {
    let fine = Settings { clock_resolution_ns: 1, ..minute() };
    table(fine).at(0).created(rtt_ms(0), 60_000).waits(38_999);
    table(fine).at(0).created(rtt_ns(MS - 1), 60_000).waits(38_999);
}

#[test]
fn t3_a_retry_after_is_waited_one_quantum_longer() {
    let beating = table(resolution_ms(16)).at(0).created(rtt_ms(0), 60_000).at(38_984).tick().sends(Fresh, 1);
    let throttled = |ms| beating.at(40_000).failed(retry_after_ms(ms)).by(Rule::R6);
    throttled(5_000).waits(5_016).at(45_000).tick().waits(16).at(45_016).tick().sends(Same, 2);
    // The window is 8,968 ms: what must fit is the wait, quantum and all.
    throttled(8_000).waits(8_016);
    throttled(9_000).stops(StopReason::Throttled);
    // None at all cannot seem longer than it was.
    throttled(0).sends(Same, 2);
}

#[test]
fn t3_a_retry_after_just_fits_with_its_quantum() {
    // Window: 59,980 - (38,980 + 20) - 11,000 = 9,980 ms, and 10,020 do not fit.
    let beating = |resolution, at| {
        table(resolution_ms(resolution)).at(0).created(rtt_ms(0), 60_000).at(at).tick().sends(Fresh, 1)
    };
    beating(20, 38_980).failed(retry_after_ms(9_000)).waits(9_020);
    // Window: 59,500 - (38,500 + 500) - 11,000 = 9,500 ms: 9,000 and its quantum fit exactly.
    beating(500, 38_500).failed(retry_after_ms(9_000)).waits(9_500);
    beating(500, 38_500).at_ns(38_500 * MS + 1).failed(retry_after_ms(9_000)).stops(StopReason::Throttled);
}

#[test]
fn t4_an_ordinary_wait_is_due_when_no_whole_millisecond_is_left() {
    let waiting = table(minute()).at(0).created(rtt_ms(0), 60_000).waits(39_000).by(Rule::P4);
    waiting.at_ns(38_999 * MS).tick().waits(1).by(Rule::T4);
    waiting.at_ns(38_999 * MS + 1).tick().sends(Fresh, 1).by(Rule::P4);
    waiting.at(39_000).tick().sends(Fresh, 1);
    waiting.at(39_001).tick().sends(Fresh, 1);
    waiting.at_ns(END_NS).tick().sends(Fresh, 1);
}

#[test]
fn t4_a_wait_for_a_retry_after_is_never_cut_short() {
    let waiting = beating().at(40_000).failed(retry_after_ms(5_000)).waits(5_000).by(Rule::R6);
    waiting.at_ns(44_999 * MS).tick().waits(1).by(Rule::T4);
    waiting.at_ns(44_999 * MS + 1).tick().waits(1);
    waiting.at_ns(45_000 * MS - 1).tick().waits(1);
    waiting.at(45_000).tick().sends(Same, 2).by(Rule::R6);
}

#[test]
fn t4_early_ticks_change_no_deadline() {
    let mut waiting = table(minute()).at(0).created(rtt_ms(0), 60_000);
    for at_ms in [0, 1, 1, 20_000, 38_998] {
        waiting = waiting.at(at_ms).tick().waits(39_000 - at_ms);
    }
    waiting.at(39_000).tick().sends(Fresh, 1);
}

#[test]
fn t4_a_delay_is_cut_to_what_the_clock_can_express() {
    // 5,000.5 ms before the end of the clock.
    let near = table(minute()).at_ns(END_NS - 5_000 * MS - MS / 2);
    let waiting = near.created(rtt_ms(0), 60_000).waits(5_000).by(Rule::P4);
    assert_eq!(waiting.kernel.next_deadline(), Some(Instant::from_nanos(END_NS - MS / 2)));
    waiting.later(4_999).tick().waits(1).later(1).tick().sends(Fresh, 1);
}

#[test]
fn t4_a_cut_recovery_wait_is_due_at_the_end() {
    let sent = table(timeout_ms(60_000)).at_ns(END_NS - 5_000 * MS).created(rtt_ms(0), 120_000);
    let waiting = sent.sends(Fresh, 1).failed(http(503)).waits(5_000).by(Rule::R5);
    waiting.at_ns(END_NS).tick().sends(Same, 2).by(Rule::R5);
    let throttled = sent.failed(retry_after_ms(40_000)).waits(5_000).by(Rule::R6);
    throttled.at_ns(END_NS - 1).tick().waits(1).at_ns(END_NS).tick().sends(Same, 2);
}

#[test]
fn t4_a_delay_cut_to_nothing_is_a_zero_delay_to_p5() {
    let near = table(minute()).at_ns(END_NS - MS + 1).created(rtt_ms(0), 60_000).sends(Fresh, 1).by(Rule::P5);
    near.extended(rtt_ms(0), 60_000).stops(StopReason::LeaseTooShort);
    table(minute()).at_ns(END_NS - MS).created(rtt_ms(0), 60_000).waits(1);
}

#[test]
fn t4_a_delay_cut_to_nothing_sends_in_recovery_and_fallback() {
    let end = table(minute()).at_ns(END_NS);
    end.created(rtt_ms(0), 15_000).sends(Fresh, 1).failed(http(503)).sends(Same, 2).by(Rule::R5);
    let bare = end.created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1);
    bare.failed(http(503)).sends(Same, 2).by(Rule::F6);
    bare.failed(retry_after_ms(5_000)).sends(Same, 2).by(Rule::F6);
    bare.extended_bare(rtt_ms(0), E + 60_000).sends(Fresh, 2).by(Rule::F4);
}

#[test]
fn t4_a_host_s_longest_timer_only_caps_what_it_is_told() {
    let capped = Settings { max_wait_ms: Some(10_000), ..minute() };
    let waiting = table(capped).at(0).created(rtt_ms(0), 60_000).waits(10_000);
    let waiting = waiting.at(10_000).tick().waits(10_000).at(29_000).tick().waits(10_000);
    let waiting = waiting.at(29_001).tick().waits(9_999);
    assert_eq!(waiting.kernel.next_deadline(), Some(Instant::from_nanos(39_000 * MS)));
    waiting.at(39_000).tick().sends(Fresh, 1);
}

#[test]
fn t4_the_cap_holds_for_every_bounded_wait() {
    let capped = Settings { max_wait_ms: Some(1), ..minute() };
    let created = table(capped).at(0).tick().waits_for_an_event().created(rtt_ms(0), 15_000).sends(Fresh, 1);
    created.tick().waits(1).by(Rule::L3);
    created.failed(http(503)).waits(1).by(Rule::R5);
    created.failed(retry_after_ms(2_000)).waits(1).at(1).tick().waits(1).at(2_000).tick().sends(Same, 2);
    created.extended_bare(rtt_ms(0), E + 60_000).waits(1).by(Rule::F4);
    let unbounded = Settings { request_timeout_ms: None, ..capped };
    table(unbounded).at(0).begin().tick().waits_for_an_event();
}

#[test]
fn t5_a_step_back_of_a_millisecond_is_no_step() {
    let waiting = table(minute()).at(5_000).created(rtt_ms(0), 60_000).waits(39_000);
    waiting.at(4_999).tick().waits(39_000).by(Rule::T4);
    waiting.at_ns(4_999 * MS - 1).tick().sends(Fresh, 1).by(Rule::T6);
}

#[test]
fn t5_a_step_back_of_one_quantum_is_no_step() {
    let waiting = table(resolution_ms(16)).at(5_000).created(rtt_ms(0), 60_000).waits(38_984);
    waiting.at(4_984).tick().waits(38_984).by(Rule::T4);
    waiting.at_ns(4_984 * MS - 1).tick().sends(Fresh, 1).by(Rule::T6);
}

#[test]
fn t5_small_steps_do_not_add_up() {
    let mut waiting = table(minute()).at(5_000).created(rtt_ms(0), 60_000);
    for _ in 0..3 {
        waiting = waiting.at(4_999).tick().waits(39_000);
    }
    waiting.at(5_001).tick().waits(38_999).at(4_999).tick().sends(Fresh, 1).by(Rule::T6);
}

#[test]
fn t5_holds_for_every_event() {
    let begun = table(minute()).at(5_000).tick().at(4_999).begin().sends_a_create(Fresh, 1);
    // The attempt was sent at 5,000 ms, not at 4,999.
    begun.at(14_999).tick().waits(1).by(Rule::L3);
    // Received at 4,999 ms and read at 5,000: the answer took a millisecond longer, and the fence is the true one.
    let created = begun.at(4_999).created(rtt_ms(0), 60_000).waits(38_999);
    assert_eq!(created.kernel.next_deadline(), Some(Instant::from_nanos(43_999 * MS)));
    assert_eq!(created.at(4_999).close().kernel.fence(), Some(Instant::from_nanos(64_999 * MS)));

    let beat = begun.at(5_000).created(rtt_ms(0), 60_000).at(44_000).tick().sends(Fresh, 2);
    // The lead is that of 44,000 ms: 21,000.
    beat.at(43_999).failed(http(503)).waits(5_250);
    let bare = beat.at(43_999).extended_bare(rtt_ms(0), E + 20_000).waits(10_000);
    assert_eq!(bare.kernel.next_deadline(), Some(Instant::from_nanos(54_000 * MS)));
    let lost = begun.at(4_999).timing_lost().waits(10_000);
    assert_eq!(lost.kernel.next_deadline(), Some(Instant::from_nanos(15_000 * MS)));
}

#[test]
fn t5_the_ledger_starts_at_the_reading_its_success_came_with() {
    let fourth_beat = |created_at_ms| {
        let begun = table(Settings { extend_by_ms: 2_000, ..minute() }).at(1_000).begin();
        let primed = begun.at(created_at_ms).created_bare(rtt_ms(0), Some(E)).at(1_000);
        let first = primed.extended_bare(rtt_ms(0), E + 2_000).at(2_000).tick();
        let second = first.extended_bare(rtt_ms(0), E + 4_000).at(3_000).tick();
        second.extended_bare(rtt_ms(0), E + 6_000).at(4_000).tick()
    };
    // 6,000 ms gained, 3,000 passed: exactly 1.5 grants are proved; a millisecond more has passed, and they are not.
    fourth_beat(1_000).waits(1_000).by(Rule::F5);
    fourth_beat(999).sends(Fresh, 5).by(Rule::F4);
}

#[test]
fn t5_a_small_step_keeps_the_measured_round_trip() {
    let beat = table(minute()).at(5_000).begin();
    beat.at(4_999).created(rtt_ms(0), 60_000).waits(38_999);
    beat.at_ns(4_999 * MS - 1).created(rtt_ms(0), 60_000).sends(Fresh, 2).by(Rule::P5);
}

#[test]
fn t7_an_answer_handled_later_proves_no_more() {
    let send = table(timeout_ms(1_000)).at(1_000);
    let fence = |timeline: Table| timeline.kernel.fence().map(|at| at.as_nanos() / MS);
    let at_once = send.at(1_100).created(rtt_ms(100), 60_000);
    let later = send.at(4_100).created(rtt_ms(3_100), 60_000);
    assert_eq!((fence(at_once), fence(later)), (Some(61_000), Some(61_000)));
}

#[test]
fn t7_a_delay_counts_from_the_receipt() {
    // 55,000 proved at 5,000 ms; the reserve has grown to 30,000.
    let waiting = table(minute()).at(5_000).created(rtt_ms(5_000), 60_000).waits(25_000);
    waiting.at(29_999).tick().waits(1).at(30_000).tick().sends(Fresh, 1);
}

#[test]
fn t7_an_unmeasured_round_trip_proves_nothing() {
    let unmeasured = table(minute()).at(0).created(UNTIMED, 60_000).sends(Fresh, 1).by(Rule::P5);
    assert_eq!(unmeasured.kernel.fence(), None);
    unmeasured.report(Outcome::Failed(Failure::Timeout)).stops(StopReason::NoSafeRetry).by(Rule::R2);
}
