//! What a program in C cannot test: that no number of the kernel is without one here, and, under Miri, that no wrong
//! argument is undefined behaviour.

use core::ffi::CStr;
use std::collections::BTreeSet;

use leasebeat::{ErrorCode, Key, Operation, Rule, StopReason};

use crate::codes::leasebeat_status_t::*;
use crate::convert::*;
use crate::*;

fn text(name: *const core::ffi::c_char) -> &'static str {
    // SAFETY: every name function gives a static text that ends with a NUL.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap()
}

/// Each has a number of its own that is not 0, leads back, and has the kernel's name.
#[track_caller]
fn numbered<T: Copy + PartialEq + core::fmt::Debug>(
    all: &[T],
    number: impl Fn(T) -> u8,
    of: impl Fn(u8) -> Option<T>,
    name: impl Fn(u8) -> *const core::ffi::c_char,
    kernels_name: impl Fn(T) -> &'static str,
) {
    let mut numbers = BTreeSet::new();
    for value in all {
        let found = number(*value);
        assert!(found != 0 && numbers.insert(found), "{value:?} has no number of its own: {found}");
        assert_eq!(of(found), Some(*value));
        assert_eq!(text(name(found)), kernels_name(*value));
    }
    for other in (0..=u8::MAX).filter(|number| !numbers.contains(number)) {
        assert_eq!((of(other), text(name(other))), (None, "unknown"));
    }
}

#[test]
fn every_enumeration_of_the_kernel_has_its_numbers_and_names() {
    numbered(Rule::ALL, rule_number, rule_of, |n| leasebeat_rule_name(n), Rule::id);
    numbered(StopReason::ALL, stop_number, stop_of, |n| leasebeat_stop_name(n), StopReason::as_str);
    numbered(ErrorCode::ALL, code_number, code_of, |n| leasebeat_error_code_name(n), ErrorCode::as_str);
    numbered(Key::ALL, key_number, key_of, |n| leasebeat_key_name(n), Key::as_str);
    numbered(
        Operation::ALL,
        operation_number,
        operation_of,
        |n| leasebeat_operation_name(n),
        Operation::as_str,
    );
}

/// What a library without the feature `fleet` cannot return, and so has no words for.
const ONLY_OF_A_FLEET: [i32; 8] = [2, -25, -26, -60, -61, -62, -63, -64];

#[test]
fn every_status_has_a_number_a_name_and_a_text_of_its_own() {
    let declared = include_str!("codes.rs").split("pub enum leasebeat_event_kind_t").next().unwrap();
    let declared = declared.lines().filter_map(|line| line.trim().split_once(" = "));
    let (mut numbers, mut names, mut texts) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for (name, number) in declared {
        let number: i32 = number.trim_end_matches(',').parse().unwrap();
        let short = name.strip_prefix("LEASEBEAT_").unwrap();
        let short = short.strip_prefix("ERROR_").unwrap_or(short);
        assert!(numbers.insert(number), "{name} has the number of another");
        if !cfg!(feature = "fleet") && ONLY_OF_A_FLEET.contains(&number) {
            assert_eq!(text(leasebeat_status_name(number)), "unknown");
            continue;
        }
        assert_eq!(text(leasebeat_status_name(number)), short.to_lowercase().replace('_', "-"));
        assert!(names.insert(text(leasebeat_status_name(number))), "{name}");
        assert!(texts.insert(text(leasebeat_status_text(number))), "{name}");
    }
    assert_eq!(numbers.len(), 36);
    assert_eq!(text(leasebeat_status_name(-1_000)), "unknown");
}

fn config() -> leasebeat_config_t {
    let mut config = core::mem::MaybeUninit::uninit();
    // SAFETY: memory of its own; it is written in full where the call succeeds.
    unsafe {
        assert_eq!(leasebeat_config_init(config.as_mut_ptr(), 48, 60_000), LEASEBEAT_OK);
        let mut config: leasebeat_config_t = config.assume_init();
        config.request_timeout_ms = 10_000;
        config.present = 1;
        config
    }
}

#[test]
fn a_lease_from_its_create_to_its_close_in_uninitialised_memory() {
    let mut memory = core::mem::MaybeUninit::<leasebeat_heartbeat_t>::uninit();
    let heartbeat = memory.as_mut_ptr();
    let mut decision = leasebeat_decision_t::default();
    let mut event = leasebeat_event_t { kind: 2, present: 6, remaining_ttl_ms: 60_000, ..Default::default() };
    let (mut fence, mut buffer, mut length) = (0, [0x7f; 64], 0);
    // SAFETY: all are this test's own.
    unsafe {
        assert_eq!(leasebeat_init(heartbeat, 256, &config()), LEASEBEAT_OK);
        assert_eq!(leasebeat_handle(heartbeat, &raw const event, 5, &raw mut decision), LEASEBEAT_OK);
        assert_eq!((decision.action, decision.wait_ms), (2, 39_000));
        assert_eq!(leasebeat_fence(heartbeat, &raw mut fence), LEASEBEAT_OK);
        let explained =
            leasebeat_explain(heartbeat, &raw const decision, buffer.as_mut_ptr(), 64, &raw mut length);
        assert_eq!((explained, buffer[63]), (LEASEBEAT_OK, 0));
        let mut bytes = [0u8; LEASEBEAT_SNAPSHOT_SIZE];
        assert_eq!(leasebeat_snapshot(heartbeat, bytes.as_mut_ptr().cast(), 96), LEASEBEAT_OK);
        let restored = leasebeat_restore(heartbeat, 256, bytes.as_ptr().cast(), 96, 9, &raw mut decision);
        assert_eq!((restored, decision.action), (LEASEBEAT_OK, 1));
        event.kind = 8;
        event.present = 0;
        assert_eq!(leasebeat_handle(heartbeat, &raw const event, 10, &raw mut decision), LEASEBEAT_OK);
    }
    assert_eq!((decision.action, decision.reason), (3, 1));
}

#[test]
fn no_address_that_can_be_seen_to_be_wrong_is_followed() {
    let mut heartbeat = leasebeat_heartbeat_t { opaque: [0; LEASEBEAT_HEARTBEAT_WORDS] };
    let heartbeat = &raw mut heartbeat;
    let mut decision = leasebeat_decision_t::default();
    let decision = &raw mut decision;
    let event = leasebeat_event_t { kind: 6, ..Default::default() };
    let event = &raw const event;
    // SAFETY: what is not this test's own is NULL, misaligned, without an object, or said to have no bytes.
    unsafe {
        assert_eq!(leasebeat_tick(heartbeat, 0, decision), LEASEBEAT_ERROR_UNINITIALIZED);
        assert_eq!(leasebeat_init(heartbeat, 256, &config()), LEASEBEAT_OK);
        for (handle, from, to, error) in [
            (core::ptr::null_mut(), event, decision, LEASEBEAT_ERROR_NULL),
            (heartbeat, core::ptr::null(), decision, LEASEBEAT_ERROR_NULL),
            (heartbeat, event, core::ptr::null_mut(), LEASEBEAT_ERROR_NULL),
            (heartbeat.byte_add(1), event, decision, LEASEBEAT_ERROR_MISALIGNED),
            (heartbeat, event.byte_add(2), decision, LEASEBEAT_ERROR_MISALIGNED),
            (heartbeat, event, decision.byte_add(4), LEASEBEAT_ERROR_MISALIGNED),
            (heartbeat, event, heartbeat.cast(), LEASEBEAT_ERROR_OVERLAP),
            (heartbeat, event, heartbeat.byte_add(248).cast(), LEASEBEAT_ERROR_OVERLAP),
            (heartbeat, event, heartbeat.wrapping_byte_sub(8).cast(), LEASEBEAT_ERROR_OVERLAP),
        ] {
            assert_eq!(leasebeat_handle(handle, from, 0, to), error);
        }
        let nowhere = core::ptr::without_provenance_mut(usize::MAX - 7);
        assert_eq!(leasebeat_describe(decision, nowhere, 64, core::ptr::null_mut()), LEASEBEAT_ERROR_SIZE);
        assert_eq!(leasebeat_parse_retry_after(nowhere, 64, decision.cast()), LEASEBEAT_ERROR_SIZE);
        assert_eq!(leasebeat_tick(heartbeat, 0, decision), LEASEBEAT_OK, "nothing has changed");
    }
}

#[test]
fn any_words_of_a_snapshot_with_the_right_checksum_are_refused_or_restored() {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    for round in 0..if cfg!(miri) { 20 } else { 20_000 } {
        let mut bytes = [0u8; LEASEBEAT_SNAPSHOT_SIZE];
        for byte in &mut bytes[8..88] {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            *byte = if random.trailing_zeros() >= 2 { random.to_le_bytes()[4] % 8 } else { 0 };
        }
        bytes[9] = u8::from(round % 2 == 0);
        bytes[..4].copy_from_slice(b"LBS\x01");
        let checksum = crate::snapshot::crc32(&bytes[8..]).to_le_bytes();
        bytes[4..8].copy_from_slice(&checksum);
        let mut heartbeat = leasebeat_heartbeat_t { opaque: [0; LEASEBEAT_HEARTBEAT_WORDS] };
        let mut decision = leasebeat_decision_t::default();
        // SAFETY: all are this test's own.
        unsafe {
            let heartbeat = &raw mut heartbeat;
            match leasebeat_restore(heartbeat, 256, bytes.as_ptr().cast(), 96, 7, &raw mut decision) {
                LEASEBEAT_OK => {
                    // T6: whatever it says, nothing is proved by it.
                    assert_eq!(leasebeat_fence(heartbeat, &raw mut decision.wait_ms), LEASEBEAT_NONE);
                    leasebeat_tick(heartbeat, u64::MAX, &raw mut decision);
                }
                refused => assert_eq!(refused, LEASEBEAT_ERROR_SNAPSHOT_VALUE),
            }
        }
    }
}
