//! Small tests of a fleet, for Miri too; `tests/c/fleet.c` is the large one.

use crate::codes::leasebeat_status_t::{
    self, LEASEBEAT_ERROR_BEATS_PER_SECOND, LEASEBEAT_ERROR_FLEET_CLASS, LEASEBEAT_ERROR_FLEET_CLASSES_FULL,
    LEASEBEAT_ERROR_FLEET_COUNTS, LEASEBEAT_ERROR_FLEET_FULL, LEASEBEAT_ERROR_FLEET_ID,
    LEASEBEAT_ERROR_JITTER_PERMILLE, LEASEBEAT_ERROR_MISALIGNED, LEASEBEAT_ERROR_NULL,
    LEASEBEAT_ERROR_OVERLAP, LEASEBEAT_ERROR_RESERVED, LEASEBEAT_ERROR_SIZE, LEASEBEAT_ERROR_UNINITIALIZED,
    LEASEBEAT_NONE, LEASEBEAT_NOTHING_DUE, LEASEBEAT_OK,
};
use crate::*;

/// Memory as malloc gives it: not written yet.
type Buffer = Vec<core::mem::MaybeUninit<u64>>;

fn buffer(leases: u32, classes: u32, seconds: u32) -> (Buffer, usize) {
    let bytes = leasebeat_fleet_size(leases, classes, seconds);
    (vec![core::mem::MaybeUninit::uninit(); bytes.div_ceil(8)], bytes)
}

fn config() -> leasebeat_config_t {
    let mut config = core::mem::MaybeUninit::uninit();
    // SAFETY: memory of its own; it is written in full where the call succeeds.
    unsafe {
        assert_eq!(leasebeat_config_init(config.as_mut_ptr(), 48, 60_000), LEASEBEAT_OK);
        let mut config: leasebeat_config_t = config.assume_init();
        config.request_timeout_ms = 10_000;
        config.present = LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
        config
    }
}

fn created() -> leasebeat_event_t {
    leasebeat_event_t { kind: 2, present: 6, remaining_ttl_ms: 60_000, ..Default::default() }
}

#[test]
fn two_leases_from_their_create_to_their_removal_in_uninitialised_memory() {
    let (mut memory, bytes) = buffer(2, 1, 4);
    let fleet: *mut leasebeat_fleet_t = memory.as_mut_ptr().cast();
    let pace = leasebeat_pace_t { size: 24, jitter_permille: 100, beats_per_second: 1, reserved: 0, seed: 3 };
    let (mut class, mut ids, mut other, mut ns) = (9, [0; 3], 0, 0);
    let mut decision = leasebeat_decision_t::default();
    let mut single = leasebeat_heartbeat_t { opaque: [0; LEASEBEAT_HEARTBEAT_WORDS] };
    let mut totals = leasebeat_fleet_totals_t::default();
    // SAFETY: all are this test's own.
    unsafe {
        assert_eq!(leasebeat_fleet_init(fleet, bytes, 2, 1, 4, &raw const pace), LEASEBEAT_OK);
        assert_eq!(leasebeat_fleet_insert(fleet, 0, &raw mut other), LEASEBEAT_ERROR_FLEET_CLASS);
        assert_eq!(leasebeat_fleet_add_class(fleet, &config(), &raw mut class), LEASEBEAT_OK);
        assert_eq!(
            leasebeat_fleet_add_class(fleet, &config(), &raw mut class),
            LEASEBEAT_ERROR_FLEET_CLASSES_FULL
        );
        assert_eq!((class, leasebeat_fleet_next_deadline(fleet, &raw mut ns)), (0, LEASEBEAT_NONE));
        assert_eq!(leasebeat_fleet_insert(fleet, 0, &raw mut ids[0]), LEASEBEAT_OK);
        assert_eq!(leasebeat_init(&raw mut single, 256, &config()), LEASEBEAT_OK);
        assert_eq!(leasebeat_handle(&raw mut single, &created(), 5, &raw mut decision), LEASEBEAT_OK);
        let alone = decision;
        assert_eq!(leasebeat_fleet_adopt(fleet, 0, &raw const single, &raw mut ids[1]), LEASEBEAT_OK);
        assert_eq!(leasebeat_fleet_insert(fleet, 0, &raw mut ids[2]), LEASEBEAT_ERROR_FLEET_FULL);
        assert_eq!(ids[2], 0);
        assert_eq!(leasebeat_fleet_handle(fleet, ids[0], &created(), 5, &raw mut decision), LEASEBEAT_OK);
        assert_eq!(decision, alone);
        assert_eq!(leasebeat_fleet_poll(fleet, 5, &raw mut other, &raw mut decision), LEASEBEAT_NOTHING_DUE);
        assert_eq!(leasebeat_fleet_next_deadline(fleet, &raw mut ns), LEASEBEAT_OK);
        assert!(ns <= 39_000_000_005);
        assert_eq!(leasebeat_fleet_poll(fleet, ns, &raw mut other, &raw mut decision), LEASEBEAT_OK);
        assert!(decision.action == 1 && ids[..2].contains(&other));
        assert_eq!(leasebeat_fleet_in_danger(fleet, 0, 0, &raw mut other, &raw mut ns), LEASEBEAT_NONE);
        let mut after = 0;
        for id in &ids[..2] {
            assert_eq!(
                leasebeat_fleet_fenced(fleet, u64::MAX, after, &raw mut after, &raw mut ns),
                LEASEBEAT_OK
            );
            assert_eq!((after, ns), (*id, 60_000_000_005));
        }
        assert_eq!(leasebeat_fleet_next(fleet, after, &raw mut other), LEASEBEAT_NONE);
        assert_eq!(leasebeat_fleet_get(fleet, ids[0], &raw mut single, 256), LEASEBEAT_OK);
        assert_eq!(leasebeat_fence(&raw const single, &raw mut ns), LEASEBEAT_OK);
        assert_eq!(leasebeat_fleet_remove(fleet, ids[0]), LEASEBEAT_OK);
        for error in [
            leasebeat_fleet_remove(fleet, ids[0]),
            leasebeat_fleet_handle(fleet, ids[0], &created(), 5, &raw mut decision),
            leasebeat_fleet_get(fleet, ids[0], &raw mut single, 256),
            leasebeat_fleet_remove(fleet, 0),
        ] {
            assert_eq!(error, LEASEBEAT_ERROR_FLEET_ID);
        }
        // A fleet has no address in it: its bytes go on elsewhere.
        let mut moved = memory.clone();
        assert_eq!(leasebeat_fleet_totals(moved.as_mut_ptr().cast(), &raw mut totals), LEASEBEAT_OK);
    }
    assert_eq!((totals.leases, totals.inserted, totals.removed, totals.sends), (1, 2, 1, 1));
}

#[test]
fn what_init_cannot_do_is_named_and_changes_nothing() {
    let (memory, bytes) = buffer(2, 1, 1);
    let mut memory: Vec<u64> = vec![7; memory.len() + 1];
    let fleet: *mut leasebeat_fleet_t = memory.as_mut_ptr().cast();
    let good = leasebeat_pace_t { size: 24, ..Default::default() };
    let init = |fleet, bytes, counts: [u32; 3], pace| {
        // SAFETY: what is not this test's own is NULL, misaligned, or said to be too short.
        unsafe { leasebeat_fleet_init(fleet, bytes, counts[0], counts[1], counts[2], pace) }
    };
    let pace = |pace: leasebeat_pace_t, seconds| init(fleet, bytes, [2, 1, seconds], &raw const pace);
    let null = core::ptr::null();
    let counts = [2, 1, 1];
    let nowhere: *mut leasebeat_fleet_t = core::ptr::without_provenance_mut(usize::MAX - 7);
    let within = fleet.cast::<leasebeat_pace_t>();
    // SAFETY: the memory is longer.
    unsafe { within.write(good) };
    let before = memory.clone();
    let found: [(leasebeat_status_t, leasebeat_status_t); 12] = [
        (init(core::ptr::null_mut(), bytes, counts, null), LEASEBEAT_ERROR_NULL),
        (init(fleet.wrapping_byte_add(4), bytes, counts, null), LEASEBEAT_ERROR_MISALIGNED),
        (init(fleet, bytes - 1, counts, null), LEASEBEAT_ERROR_SIZE),
        (init(fleet, usize::MAX, counts, null), LEASEBEAT_ERROR_SIZE),
        (init(nowhere, bytes, counts, null), LEASEBEAT_ERROR_SIZE),
        (init(fleet, bytes, [0, 1, 1], null), LEASEBEAT_ERROR_FLEET_COUNTS),
        (init(fleet, bytes, [2, 65_536, 1], null), LEASEBEAT_ERROR_FLEET_COUNTS),
        (init(fleet, bytes, counts, within), LEASEBEAT_ERROR_OVERLAP),
        (pace(leasebeat_pace_t { size: 16, ..good }, 1), LEASEBEAT_ERROR_SIZE),
        (pace(leasebeat_pace_t { reserved: 1, ..good }, 1), LEASEBEAT_ERROR_RESERVED),
        (pace(leasebeat_pace_t { jitter_permille: 501, ..good }, 1), LEASEBEAT_ERROR_JITTER_PERMILLE),
        (pace(leasebeat_pace_t { beats_per_second: 1, ..good }, 0), LEASEBEAT_ERROR_BEATS_PER_SECOND),
    ];
    for (number, (found, expected)) in found.into_iter().enumerate() {
        assert_eq!(found, expected, "{number}");
    }
    assert!(memory == before);
    assert_eq!(
        [(0, 1, 0), (u32::MAX, 1, 0), (1, 0, 0)].map(|(l, c, s)| leasebeat_fleet_size(l, c, s)),
        [0; 3]
    );
    let a_lease = leasebeat_fleet_size(1_000_001, 1, 0) - leasebeat_fleet_size(1_000_000, 1, 0);
    assert_eq!(a_lease, 160);
}

#[test]
fn foreign_memory_and_outputs_within_the_fleet_are_refused() {
    let (mut memory, bytes) = buffer(2, 1, 0);
    let fleet: *mut leasebeat_fleet_t = memory.as_mut_ptr().cast();
    let (mut zeros, mut id, mut decision) = ([0u64; 64], 0, leasebeat_decision_t::default());
    let (id, decision) = (&raw mut id, &raw mut decision);
    // SAFETY: what is not this test's own is NULL or misaligned.
    unsafe {
        assert_eq!(
            leasebeat_fleet_poll(zeros.as_mut_ptr().cast(), 0, id, decision),
            LEASEBEAT_ERROR_UNINITIALIZED
        );
        assert_eq!(leasebeat_fleet_init(fleet, bytes, 2, 1, 0, core::ptr::null()), LEASEBEAT_OK);
        let last: *mut u64 = fleet.byte_add(bytes - 8).cast();
        for (poll, expected) in [
            (leasebeat_fleet_poll(core::ptr::null_mut(), 0, id, decision), LEASEBEAT_ERROR_NULL),
            (leasebeat_fleet_poll(fleet.byte_add(4), 0, id, decision), LEASEBEAT_ERROR_MISALIGNED),
            (leasebeat_fleet_poll(fleet, 0, core::ptr::null_mut(), decision), LEASEBEAT_ERROR_NULL),
            (leasebeat_fleet_poll(fleet, 0, last, decision), LEASEBEAT_ERROR_OVERLAP),
            (leasebeat_fleet_poll(fleet, 0, id, fleet.cast()), LEASEBEAT_ERROR_OVERLAP),
            (leasebeat_fleet_poll(fleet, 0, decision.cast(), decision), LEASEBEAT_ERROR_OVERLAP),
            (leasebeat_fleet_next(fleet, 0, last), LEASEBEAT_ERROR_OVERLAP),
            (leasebeat_fleet_poll(fleet, 0, id, decision), LEASEBEAT_NOTHING_DUE),
        ] {
            assert_eq!(poll, expected);
        }
        // Counts that were written over would lead out of the memory.
        for word in 2..5 {
            let counts: *mut u32 = fleet.cast::<u32>().add(word);
            *counts ^= 0x100;
            assert_eq!(leasebeat_fleet_poll(fleet, 0, id, decision), LEASEBEAT_ERROR_UNINITIALIZED);
            *counts ^= 0x100;
        }
        assert_eq!(leasebeat_fleet_poll(fleet, 0, id, decision), LEASEBEAT_NOTHING_DUE);
    }
}
