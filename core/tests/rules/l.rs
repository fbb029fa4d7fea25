//! L · Life of a lease.

use leasebeat::{ErrorCode, Event, Failure, Misuse, Outcome, Rule, Settings, StopReason, Success};

use crate::table::{
    E, END_NS, Fresh, MS, Same, Table, beating, coded, http, minute, retry_after_ms, rtt_ms, table,
    timeout_ms,
};

fn creating() -> Table {
    table(minute()).at(0).begin().sends_a_create(Fresh, 1)
}

const EXTENDED: Outcome =
    Outcome::Extended(Success { rtt_ns: Some(0), remaining_ttl_ms: Some(60_000), expires_at_ms: Some(E) });
const CREATED: Outcome =
    Outcome::Created(Success { rtt_ns: Some(0), remaining_ttl_ms: Some(60_000), expires_at_ms: Some(E) });
const FAILED: Outcome = Outcome::Failed(Failure::Timeout);

#[test]
fn l1_begin_sends_the_create_with_a_fresh_key() {
    creating().by(Rule::L1).at(100).created(rtt_ms(100), 60_000).waits(38_900).by(Rule::P4);
}

#[test]
fn l1_begin_comes_first_and_once() {
    creating().begin().is_a_misuse(Misuse::UnexpectedEvent);
    creating().created(rtt_ms(0), 60_000).begin().is_a_misuse(Misuse::UnexpectedEvent);
    table(minute()).created(rtt_ms(0), 60_000).begin().is_a_misuse(Misuse::UnexpectedEvent);
    beating().begin().is_a_misuse(Misuse::UnexpectedEvent);
}

#[test]
fn l1_a_host_may_report_its_own_create() {
    table(minute()).at(7).created(rtt_ms(0), 60_000).waits(39_000).at(39_007).tick().sends(Fresh, 1);
    table(minute()).at(7).created_bare(rtt_ms(0), Some(E)).sends(Fresh, 1).by(Rule::F3);
}

#[test]
fn l1_nothing_but_a_create_can_be_adopted() {
    for outcome in [EXTENDED, Outcome::Denied, FAILED] {
        table(minute()).report(outcome).is_a_misuse(Misuse::UnexpectedEvent);
    }
}

#[test]
fn l1_before_anything_there_is_nothing_to_wait_for() {
    let idle = table(minute()).at(0).tick().waits_for_an_event().by(Rule::L1);
    idle.at_ns(END_NS).tick().waits_for_an_event();
    idle.at(5).timing_lost().waits_for_an_event().by(Rule::L1);
}

#[test]
fn l2_attempts_count_from_one_over_creates_and_extends() {
    let retried = creating().failed(http(503)).sends_a_create(Same, 2);
    let beat = retried.created(rtt_ms(0), 60_000).at(39_000).tick().sends(Fresh, 3);
    beat.answering(3).extended(rtt_ms(0), 60_000).waits(39_000).later(39_000).tick().sends(Fresh, 4);
}

#[test]
fn l2_a_report_of_another_attempt_is_stale() {
    for outcome in [CREATED, EXTENDED, FAILED, Outcome::Denied] {
        for attempt in [0, 2, u32::MAX] {
            // Checked first: before the kind of the report is.
            beating().answering(attempt).report(outcome).is_a_misuse(Misuse::StaleAttempt);
            creating().answering(attempt).report(outcome).is_a_misuse(Misuse::StaleAttempt);
        }
    }
}

#[test]
fn l2_a_report_of_the_wrong_kind_is_unexpected() {
    creating().report(EXTENDED).is_a_misuse(Misuse::UnexpectedEvent);
    creating().answering(1).report(EXTENDED).is_a_misuse(Misuse::UnexpectedEvent);
    beating().report(CREATED).is_a_misuse(Misuse::UnexpectedEvent);
    beating().answering(1).report(CREATED).is_a_misuse(Misuse::UnexpectedEvent);
    beating().report(Outcome::Denied).is_a_misuse(Misuse::UnexpectedEvent);
}

#[test]
fn l2_a_report_with_nothing_in_flight_is_unexpected() {
    let waits = [
        table(minute()).created(rtt_ms(0), 60_000).waits(39_000),
        beating().failed(http(503)).waits(5_250),
        table(minute()).created_bare(rtt_ms(0), Some(E)).failed(http(503)).waits(30_000),
    ];
    for waiting in waits {
        for outcome in [CREATED, EXTENDED, FAILED, Outcome::Denied] {
            waiting.report(outcome).is_a_misuse(Misuse::UnexpectedEvent);
            waiting.answering(1).report(outcome).is_a_misuse(Misuse::UnexpectedEvent);
            waiting.answering(9).report(outcome).is_a_misuse(Misuse::UnexpectedEvent);
        }
    }
}

#[test]
fn l2_an_error_leaves_the_clock_where_it_was() {
    let beat = beating().at_ns(END_NS).answering(7).report(EXTENDED).is_a_misuse(Misuse::StaleAttempt);
    let beat = beat.at_ns(0).report(CREATED).is_a_misuse(Misuse::UnexpectedEvent);
    beat.at(39_000).tick().waits(10_000).by(Rule::L3);
}

#[test]
fn l2_a_late_answer_after_a_timeout_does_no_harm() {
    let retried = table(timeout_ms(5_000)).at(0).begin().at(5_000).tick().sends_a_create(Same, 2);
    let stale = retried.at(5_100).answering(1).created(rtt_ms(5_100), 60_000);
    stale.is_a_misuse(Misuse::StaleAttempt).answering(2).created(rtt_ms(100), 60_000).waits(48_900);
}

#[test]
fn l2_the_number_of_an_adopted_create_is_ignored() {
    table(minute()).answering(42).created(rtt_ms(0), 60_000).waits(39_000).at(39_000).tick().sends(Fresh, 1);
}

#[test]
fn l3_the_kernel_enforces_the_timeout() {
    let begun = creating().at(0).tick().waits(10_000).by(Rule::L3);
    begun.at_ns(1).tick().waits(10_000);
    begun.at_ns(9_999 * MS).tick().waits(1);
    begun.at_ns(9_999 * MS + 1).tick().waits(1);
    begun.at_ns(10_000 * MS - 1).tick().waits(1);
    begun.at(10_000).tick().sends_a_create(Same, 2).by(Rule::L4);
    begun.at_ns(END_NS).tick().sends_a_create(Same, 2);
}

#[test]
fn l3_a_timed_out_extend_is_recovered() {
    let slow = table(timeout_ms(9_000)).at(0).created(rtt_ms(0), 60_000).waits(41_000).at(41_000).tick();
    // 10,000 left: exactly one more attempt and the margin.
    slow.at(49_999).tick().waits(1).at(50_000).tick().sends(Same, 2).by(Rule::R3);
}

#[test]
fn l3_an_answer_after_the_timeout_but_before_a_tick_still_counts() {
    creating().at(12_000).answering(1).created(rtt_ms(12_000), 90_000).waits(90_000 - 12_000 - 72_000);
}

#[test]
fn l3_without_a_known_timeout_the_wait_is_unbounded() {
    let begun = table(Settings::new(60_000)).at(0).begin().sends_a_create(Fresh, 1);
    begun.at_ns(END_NS).tick().waits_for_an_event().by(Rule::L3);
    begun.at(5).timing_lost().waits_for_an_event();
    begun.at(5).failed(Failure::Timeout).sends_a_create(Same, 2);
}

#[test]
fn l3_a_timeout_ends_at_the_end_of_the_clock_at_the_latest() {
    let begun = table(timeout_ms(u64::MAX)).at(1).begin().tick().waits(END_NS.div_ceil(MS) - 1);
    begun.at_ns(END_NS - 1).tick().waits(1).at_ns(END_NS).tick().sends_a_create(Same, 2);
    table(minute()).at_ns(END_NS - 5).begin().tick().waits(1).at_ns(END_NS).tick().sends_a_create(Same, 2);
}

#[test]
fn l4_a_create_is_retried_once_with_the_same_key() {
    for failure in
        [Failure::Timeout, Failure::Connection, Failure::Ambiguous, http(500), http(503), http(204)]
    {
        let retried = creating().at(100).failed(failure).sends_a_create(Same, 2).by(Rule::L4);
        retried.at(200).failed(failure).stops(StopReason::CreateAmbiguous).by(Rule::L4);
        retried.at(200).created(rtt_ms(100), 60_000).waits(38_900);
        retried.at(10_100).tick().stops(StopReason::CreateAmbiguous);
    }
}

#[test]
fn l4_the_retry_is_immediate() {
    // Without any time in between: R4 is the extend's.
    creating().failed(http(503)).sends_a_create(Same, 2).failed(http(503)).stops(StopReason::CreateAmbiguous);
}

#[test]
fn l4_a_throttled_create_stops() {
    creating().failed(http(429)).stops(StopReason::Throttled).by(Rule::L4);
    creating().failed(retry_after_ms(0)).stops(StopReason::Throttled).by(Rule::L4);
    creating().failed(http(503)).failed(retry_after_ms(5_000)).stops(StopReason::Throttled);
}

#[test]
fn l4_a_refused_create_stops() {
    creating().failed(http(400)).stops(StopReason::Rejected).by(Rule::C4);
    creating().failed(http(302)).stops(StopReason::UnexpectedStatus).by(Rule::C4);
    creating().failed(http(404)).stops(StopReason::NotFound).by(Rule::C3);
    creating().failed(coded(429, ErrorCode::TenantClosed)).stops(StopReason::TenantClosed).by(Rule::C3);
    creating().failed(http(503)).failed(http(409)).stops(StopReason::Rejected);
}

#[test]
fn l4_a_code_in_a_5xx_proves_nothing_to_a_create() {
    creating().failed(coded(503, ErrorCode::NotFound)).sends_a_create(Same, 2).by(Rule::L4);
}

#[test]
fn l4_a_denied_create_stops() {
    creating().at(100).denied().stops(StopReason::NotGranted).by(Rule::L4);
    creating().failed(http(503)).answering(2).denied().stops(StopReason::NotGranted);
}

#[test]
fn l5_close_stops_from_every_state() {
    let states = [
        table(minute()),
        creating(),
        table(minute()).created(rtt_ms(0), 60_000),
        beating(),
        beating().failed(http(503)),
        table(minute()).created_bare(rtt_ms(0), Some(E)),
        table(minute()).created_bare(rtt_ms(0), Some(E)).failed(http(503)),
    ];
    for state in states {
        state.close().stops(StopReason::Closed).by(Rule::L5);
    }
}

#[test]
fn l5_a_stopped_kernel_answers_everything_with_the_same_stop() {
    let stops = [(creating().denied(), StopReason::NotGranted), (creating().close(), StopReason::Closed)];
    for (stopped, reason) in stops {
        let events = [Event::Begin, Event::Tick, Event::TimingLost, Event::Close];
        let reports = [CREATED, EXTENDED, FAILED, Outcome::Denied];
        let reports = reports.into_iter().flat_map(|outcome| {
            [None, Some(1), Some(9)].map(|attempt| match attempt {
                None => Event::from(outcome),
                Some(number) => outcome.of(leasebeat::AttemptId::new(number)),
            })
        });
        for event in events.into_iter().chain(reports) {
            for at_ns in [0, 1, END_NS] {
                let still = stopped.at_ns(at_ns).event(event).stops(reason).by(Rule::L5);
                assert_eq!(still.kernel.snapshot(), stopped.kernel.snapshot());
            }
        }
    }
}

#[test]
fn l6_a_stop_takes_nothing_back() {
    // The kernel's own stops leave what was proved; it is for the host to decide what becomes of the work.
    let stopped = beating().at(49_001).failed(http(503)).stops(StopReason::NoSafeRetry).by(Rule::R2);
    assert_eq!(stopped.kernel.fence().unwrap().as_nanos(), 60_000 * MS);
    assert_eq!(stopped.kernel.stopped(), Some(StopReason::NoSafeRetry));
}

#[test]
fn l6_every_failure_says_what_was_decided_and_why() {
    beating().at(40_000).failed(http(503)).waits(5_000).by(Rule::R5);
    beating().at(40_000).failed(http(403)).stops(StopReason::Rejected).by(Rule::C4);
}
