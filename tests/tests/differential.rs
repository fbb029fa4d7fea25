//! Whole random event sequences, decided by the kernel and by the naive reference: the same decisions, the same
//! lead, fence and danger, and the law of progress after every one.

use leasebeat::{Action, Instant, Millis};
use leasebeat_tests::both::Both;
use leasebeat_tests::reference::{RefConfig, RefDecision, RefEvent, RefFailure, RefKind, RefSuccess};
use proptest::prelude::*;
use proptest::sample::select;

/// An event whose time and attempt are chosen only when it is known what the kernel waits for.
#[derive(Clone, Debug)]
struct Move {
    event: RefEvent,
    when: When,
    /// Name the attempt in flight, or one before it, or none.
    attempt: Naming,
}

#[derive(Clone, Copy, Debug)]
enum When {
    Same,
    Later(u64),
    Earlier(u64),
    /// This many ns after (or, if negative, before) the deadline.
    Deadline(i64),
    At(u64),
}

#[derive(Clone, Copy, Debug)]
enum Naming {
    None,
    Right,
    Stale,
}

const MS: u64 = 1_000_000;

fn nanos() -> impl Strategy<Value = u64> {
    prop_oneof![
        4 => select(vec![0, 1, 999_999, MS, MS + 1, 10 * MS, 100 * MS, 500 * MS, 1_000 * MS]),
        4 => 0..5_000 * MS,
        2 => (0..120_000u64).prop_map(|ms| ms * MS),
        1 => any::<u64>(),
        1 => select(vec![u64::MAX, u64::MAX - 1, u64::MAX / 2, u64::MAX / MS * MS]),
    ]
}

fn millis() -> impl Strategy<Value = u64> {
    prop_oneof![
        3 => select(vec![0, 1, 999, 1_000, 2_000, 3_000, 3_001, 5_000, 11_000, 21_000, 60_000, 86_400_000]),
        5 => 0..130_000u64,
        1 => any::<u64>(),
        1 => select(vec![u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, u64::MAX / MS, u64::MAX / MS + 1]),
    ]
}

fn expiry() -> impl Strategy<Value = Option<u64>> {
    const EPOCH: u64 = 1_785_585_600_000;
    prop_oneof![
        8 => (0..200_000u64).prop_map(|ms| Some(EPOCH + ms)),
        2 => (0..10_000_000u64).prop_map(|ms| Some(EPOCH + ms)),
        1 => any::<u64>().prop_map(Some),
        1 => select(vec![Some(0), Some(u64::MAX), Some(u64::MAX - 1)]),
        1 => Just(None),
    ]
}

fn success(fields: u32) -> impl Strategy<Value = RefSuccess> {
    (prop::option::weighted(0.9, nanos()), millis(), prop::bool::weighted(f64::from(fields) / 10.0), expiry())
        .prop_map(|(rtt_ns, remaining, field, expires_at_ms)| RefSuccess {
            rtt_ns,
            remaining_ttl_ms: Some(remaining).filter(|_| field),
            expires_at_ms,
            attempt: None,
        })
}

fn code() -> impl Strategy<Value = Option<String>> {
    let codes = [
        "RESERVATION_EXPIRED",
        "RESERVATION_FINALIZED",
        "MAX_EXTENSIONS_EXCEEDED",
        "TENANT_CLOSED",
        "NOT_FOUND",
        "LIMIT_EXCEEDED",
        "FORBIDDEN",
        "no such code",
    ];
    prop_oneof![9 => Just(None), 1 => select(codes.map(|code| Some(code.to_owned())).to_vec())]
}

fn retry_after() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        2 => Just(Some("0".to_owned())),
        4 => (0..60u64).prop_map(|seconds| Some(seconds.to_string())),
        1 => any::<u64>().prop_map(|seconds| Some(seconds.to_string())),
        1 => select(vec![None, Some("86400".into()), Some("86401".into()), Some(" 1\t".into()), Some("-1".into()),
            Some(String::new()), Some("1.5".into()), Some("18446744073709552".into())]),
    ]
}

fn failure() -> impl Strategy<Value = RefKind> {
    let status = prop_oneof![
        4 => select(vec![429u16]),
        4 => select(vec![500, 502, 503, 599]),
        1 => select(vec![200, 204, 299, 400, 403, 404, 409, 410, 499]),
        1 => select(vec![0, 100, 199, 300, 307, 399, 600, u16::MAX]),
    ];
    prop_oneof![
        1 => Just(RefKind::Timeout),
        2 => Just(RefKind::Connection),
        1 => Just(RefKind::Ambiguous),
        6 => (status, code(), retry_after())
            .prop_map(|(status, code, retry_after)| RefKind::Http { status, code, retry_after }),
    ]
}

fn event(fields: u32) -> impl Strategy<Value = RefEvent> {
    prop_oneof![
        1 => Just(RefEvent::Begin),
        3 => success(fields).prop_map(RefEvent::Created),
        8 => success(fields).prop_map(RefEvent::Extended),
        8 => failure().prop_map(|kind| RefEvent::Failed(RefFailure { kind, attempt: None })),
        14 => Just(RefEvent::Tick),
        1 => Just(RefEvent::TimingLost),
        1 => select(vec![RefEvent::Denied(None), RefEvent::Close, RefEvent::Begin, RefEvent::TimingLost]),
    ]
}

fn when() -> impl Strategy<Value = When> {
    let edge = MS.cast_signed();
    prop_oneof![
        2 => Just(When::Same),
        4 => nanos().prop_map(When::Later),
        8 => select(vec![0, 1, -1, edge, -edge, 1 - edge, -edge - 1, edge * 900, edge * 10_000]).prop_map(When::Deadline),
        1 => select(vec![1, MS / 2, MS, MS + 1, 100 * MS, 100 * MS + 1, 60_000 * MS]).prop_map(When::Earlier),
        1 => select(vec![0, u64::MAX, u64::MAX - MS, u64::MAX - 60_000 * MS, 1 << 63]).prop_map(When::At),
    ]
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let naming = || prop_oneof![5 => Just(Naming::None), 4 => Just(Naming::Right), 1 => Just(Naming::Stale)];
    let one = move |fields| {
        (event(fields), when(), naming()).prop_map(|(event, when, attempt)| Move { event, when, attempt })
    };
    // Mostly a server of one kind: always the field, never, or a mixed fleet.
    prop_oneof![Just(10u32), Just(0), Just(5)]
        .prop_flat_map(move |fields| prop::collection::vec(one(fields), 1..28))
}

fn config() -> impl Strategy<Value = RefConfig> {
    let timeout = prop_oneof![
        8 => select(vec![1, 500, 999, 1_000, 1_001, 2_000, 10_000, 30_000]).prop_map(Some),
        1 => millis().prop_map(|ms| Some(ms.max(1))),
        1 => Just(None),
    ];
    let resolution = prop_oneof![
        6 => Just(0u64),
        2 => select(vec![1, MS, MS + 1, 100 * MS, 10_000_000_000]),
    ];
    let max_wait = prop_oneof![6 => Just(None), 1 => (1..5_000u64).prop_map(Some), 1 => Just(Some(u64::MAX))];
    let extend_by = prop_oneof![6 => select(vec![1, 999, 1_000, 2_000, 24_000, 60_000, 86_400_000]), 2 => 1..86_400_001u64];
    (extend_by, timeout, resolution, max_wait, prop::bool::weighted(0.05)).prop_map(
        |(extend_by_ms, request_timeout_ms, clock_resolution_ns, max_wait_ms, refuse)| RefConfig {
            extend_by_ms,
            request_timeout_ms,
            clock_resolution_ns,
            max_wait_ms,
            refuse,
        },
    )
}

/// The event with its attempt named, and its instant.
fn place(one: &Move, both: &Both, now: u64) -> (RefEvent, u64) {
    let attempts = both.kernel.stats().attempts;
    let name = match one.attempt {
        Naming::None => None,
        Naming::Right => Some(attempts),
        Naming::Stale => Some(attempts.wrapping_sub(1)),
    };
    let mut event = one.event.clone();
    match &mut event {
        RefEvent::Created(success) | RefEvent::Extended(success) => success.attempt = name,
        RefEvent::Denied(attempt) => *attempt = name,
        RefEvent::Failed(failure) => failure.attempt = name,
        _ => {}
    }
    let deadline = both.kernel.next_deadline().map_or(now, Instant::as_nanos);
    let at = match one.when {
        When::Same => now,
        When::Later(ns) => now.saturating_add(ns),
        When::Earlier(ns) => now.saturating_sub(ns),
        When::Deadline(offset) => deadline.saturating_add_signed(offset).max(now),
        When::At(ns) => ns,
    };
    (event, at)
}

/// What the kernel was told to wait for, uncapped.
#[derive(Clone, Copy)]
enum Waits {
    No,
    For(u64),
    ForEvent,
}

/// The law of progress (V4): after `handle` the deadline is absent or later than now, and nothing but a deadline
/// reached within the millisecond makes a tick act.
fn progresses(both: &Both, now: u64, waits: Waits) -> Result<(), TestCaseError> {
    let deadline = both.kernel.next_deadline().map(Instant::as_nanos);
    if let Some(deadline) = deadline.filter(|deadline| *deadline < u64::MAX) {
        prop_assert!(deadline > now, "the deadline {deadline} is not later than {now}");
    }
    match waits {
        Waits::For(ms) => {
            prop_assert!(ms > 0, "a wait of 0");
            let deadline = deadline.expect("a bounded wait has a deadline");
            let mut early = both.kernel;
            let before = now.max(deadline.saturating_sub(MS));
            if before > now {
                let action = early.tick(Instant::from_nanos(before)).action;
                prop_assert!(matches!(action, Action::Wait(_)), "{action:?} before the deadline");
            }
            let mut due = both.kernel;
            let action = due.tick(Instant::from_nanos(deadline)).action;
            let skipped = due.next_deadline() > Some(Instant::from_nanos(deadline)); // F5
            prop_assert!(!matches!(action, Action::Wait(_)) || skipped, "{action:?} at the deadline");
        }
        Waits::ForEvent => prop_assert_eq!(deadline, None),
        Waits::No => {}
    }
    Ok(())
}

fn views_agree(both: &Both, now: u64) -> Result<(), TestCaseError> {
    let (kernel, reference) = (&both.kernel, &both.reference);
    // An answer that took as long as the lease had left proves nothing; the kernel then has no fence.
    let fence = reference.fence_ns().filter(|_| reference.lead_floor_ms() > 0);
    prop_assert_eq!(kernel.fence().map(Instant::as_nanos), fence);
    prop_assert_eq!(
        kernel.danger().map(Instant::as_nanos),
        reference.danger_ns().filter(|_| fence.is_some())
    );
    for later in [0, 1, MS, 999 * MS, 30_000 * MS, u64::MAX] {
        let then = now.saturating_add(later);
        let lead = reference.lead_ms(then);
        prop_assert_eq!(kernel.lead(Instant::from_nanos(then)).get(), lead);
        // A lead is held, and nothing beyond the fence is.
        if let Some(fence) = fence {
            let left = fence.saturating_sub(then) / MS;
            let held = |ms| kernel.is_held_for(Millis::new(ms), Instant::from_nanos(then));
            prop_assert_eq!(held(left), then <= fence);
            prop_assert!(!held(left.saturating_add(1)));
        }
    }
    Ok(())
}

fn agree(config: &RefConfig, moves: &[Move]) -> Result<(), TestCaseError> {
    let mut both = Both::new(config);
    let mut now = 0;
    for one in moves {
        let (event, at) = place(one, &both, now);
        let before = both.kernel;
        let (answer, kernel, reference) = both.handle(&event, at);
        prop_assert_eq!(&kernel, &reference, "{:?} at {}", event, at);
        match &kernel {
            RefDecision::Error(_) => {
                prop_assert_eq!(before, both.kernel, "L2: an error changes nothing");
                continue;
            }
            // All but a proof that lost timing takes.
            RefDecision::Stop(_) if before.stopped().is_some() => {
                prop_assert_eq!(before.snapshot(), both.kernel.snapshot(), "L5");
                let kept = both.kernel.fence().is_some() && both.kernel.fence() != before.fence();
                prop_assert!(!kept, "L5");
            }
            _ => {}
        }
        // T5: a small step back is no step.
        let stepped_back = at < now && now - at <= MS.max(config.clock_resolution_ns);
        if before.stopped().is_none() && !stepped_back {
            now = at;
        }
        let waits = match kernel {
            RefDecision::Wait(Some(ms)) if config.max_wait_ms.is_none() => Waits::For(ms),
            RefDecision::Wait(None) => Waits::ForEvent,
            _ => Waits::No,
        };
        progresses(&both, now, waits)?;
        views_agree(&both, now)?;
        // Every decision explains itself.
        prop_assert!(
            !answer.map_or_else(|misuse| misuse.to_string(), |decision| decision.to_string()).is_empty()
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100_000, max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_kernel_decides_as_the_reference(config in config(), moves in moves()) {
        agree(&config, &moves)?;
    }
}
