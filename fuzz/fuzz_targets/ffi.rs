//! Raw bytes as a program in C: every function, with arguments a program would pass and with any other. A refused call has
//! changed nothing.
//!
//! Addresses are NULL, or lie anywhere in an arena whose bytes are the input's too, or in one of two heartbeats: at their
//! start, or where they are misaligned or overlap an output. Nobody can see an address that is not the caller's, nor words
//! of a live heartbeat that were written over, so neither is passed.

#![no_main]
#![allow(clippy::wildcard_imports, clippy::enum_glob_use)] // every function is called

use std::ptr::null_mut;

use leasebeat_ffi::leasebeat_status_t::*;
use leasebeat_ffi::*;
use libfuzzer_sys::fuzz_target;

const ARENA: usize = 768;
const CALLS_MAX: usize = 40;

#[repr(C, align(16))]
#[derive(Clone, PartialEq)]
struct Memory {
    arena: [u8; ARENA],
    heartbeats: [[u64; LEASEBEAT_HEARTBEAT_WORDS]; 2],
    ticks: [u64; LEASEBEAT_TICKS_WORDS],
}

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// Small numbers, large ones and edges.
    fn number(&mut self) -> u64 {
        let shape = self.byte();
        match shape & 7 {
            0 => 0,
            1 => u64::MAX - u64::from(shape >> 3),
            2 => u64::from(self.byte()),
            3 => u64::from(self.byte()) * 1_000,
            4 => u64::from(self.byte()) * 1_000_000_000,
            5 => 1 << (shape >> 3),
            _ => u64::from_le_bytes(std::array::from_fn(|_| self.byte())),
        }
    }

    fn size(&mut self, right: usize) -> usize {
        match self.byte() {
            0..200 => right,
            200 => 0,
            201 => usize::MAX,
            202 => right.wrapping_sub(1),
            203 => isize::MAX as usize + 1,
            other => usize::from(other),
        }
    }
}

impl Memory {
    /// An address of the arena with room for `bytes` behind it, aligned or not; or NULL.
    fn at<T>(&mut self, input: &mut Input<'_>, bytes: usize) -> *mut T {
        let choice = input.byte();
        if choice == 255 {
            return null_mut();
        }
        let room = ARENA - bytes.min(ARENA);
        let mut offset = usize::from(choice) * 3 % (room + 1);
        if choice & 1 == 0 {
            offset &= !7;
        }
        self.arena.as_mut_ptr().wrapping_add(offset).cast()
    }

    fn output<T>(&mut self, input: &mut Input<'_>) -> *mut T {
        self.at(input, size_of::<T>())
    }

    /// A buffer of the arena, and a capacity that it has or that no object has.
    fn buffer(&mut self, input: &mut Input<'_>) -> (*mut core::ffi::c_char, usize) {
        let capacity = input.size(64);
        (self.at(input, if capacity > ARENA { 0 } else { capacity }), capacity)
    }

    /// A heartbeat; or NULL, one misaligned, or memory of the arena that is none.
    fn handle<T>(&mut self, input: &mut Input<'_>, live: *mut u64, bytes: usize) -> *mut T {
        match input.byte() {
            0..230 => live.cast(),
            230..236 => null_mut(),
            236..242 => live.wrapping_byte_add(4).cast(),
            _ => {
                let foreign: *mut u8 = self.at(input, bytes);
                if !foreign.is_null() {
                    // Whatever the input has found out, this is no handle's first byte.
                    unsafe { foreign.write(0xff) };
                }
                foreign.cast()
            }
        }
    }

    fn heartbeat(&mut self, input: &mut Input<'_>) -> *mut leasebeat_heartbeat_t {
        let which = usize::from(input.byte() & 1);
        let live = self.heartbeats[which].as_mut_ptr();
        self.handle(input, live, size_of::<leasebeat_heartbeat_t>())
    }

    /// An output, sometimes in the very heartbeat it is asked of.
    fn output_of<T>(&mut self, input: &mut Input<'_>, handle: *mut leasebeat_heartbeat_t) -> *mut T {
        let (start, end) = (self.heartbeats.as_mut_ptr().addr(), self.ticks.as_mut_ptr().addr());
        let live = (start..end).contains(&handle.addr()) && (handle.addr() - start).is_multiple_of(256);
        if live && input.byte() > 245 {
            return handle.wrapping_byte_add(usize::from(input.byte()) & !7).cast();
        }
        self.output(input)
    }
}

/// Writes what a program would into the arena, so that calls succeed too.
fn prepare(memory: &mut Memory, input: &mut Input<'_>) {
    let choice = input.byte();
    unsafe {
        match choice % 5 {
            0 => {
                let length = usize::from(input.byte()) % 128;
                let to: *mut u8 = memory.at(input, length);
                for at in 0..if to.is_null() { 0 } else { length } {
                    to.wrapping_add(at).write(input.byte());
                }
            }
            1 | 2 => {
                let event: *mut leasebeat_event_t = memory.output(input);
                let filled = leasebeat_event_t {
                    kind: input.byte() % 10,
                    failure: input.byte() % 6,
                    error_code: input.byte() % 19,
                    present: input.byte(),
                    attempt: u32::from(input.byte() % 8),
                    http_status: [200, 429, 503, 409, 410, 302, 0, u16::MAX][usize::from(input.byte() % 8)],
                    reserved: [0, 0, 0, 0, 0, u8::from(input.byte() == 255)],
                    rtt_ns: input.number(),
                    remaining_ttl_ms: input.number(),
                    expires_at_ms: input.number(),
                    retry_after_ms: input.number(),
                };
                if !event.is_null() {
                    event.write_unaligned(filled);
                }
            }
            3 => {
                let config: *mut leasebeat_config_t = memory.output(input);
                let mut filled = std::mem::zeroed::<leasebeat_config_t>();
                filled.size = [48, 48, 48, 56, 40, 0, u32::MAX, 64][usize::from(input.byte() % 8)];
                filled.present = u32::from(input.byte() % 5);
                filled.extend_by_ms = input.number();
                filled.request_timeout_ms = input.number();
                filled.clock_resolution_ns = input.number();
                filled.max_wait_ms = input.number();
                filled.fallback = input.byte() % 3;
                // As large as it says, where it lies in the arena.
                let end = memory.arena.as_ptr().addr() + ARENA;
                if !config.is_null() && config.addr() + (filled.size.max(48) as usize) <= end {
                    config.write_unaligned(filled);
                }
            }
            _ => {
                let body = memory.at::<u8>(input, 128);
                let length = input.size(128);
                let answer: *mut leasebeat_answer_t = memory.output(input);
                let mut filled = std::mem::zeroed::<leasebeat_answer_t>();
                filled.operation = input.byte() % 4;
                filled.unknown_keys = input.byte() % 3;
                filled.status = [200, 429, 503, 404][usize::from(input.byte() % 4)];
                filled.present = input.byte() % 3;
                filled.body = body.cast();
                filled.body_length = if (129..=isize::MAX as usize).contains(&length) { 128 } else { length };
                filled.retry_after = body.cast();
                filled.retry_after_length = usize::from(input.byte() % 8);
                if !answer.is_null() {
                    answer.write_unaligned(filled);
                }
            }
        }
    }
}

/// A config of the arena that the whole of its size lies in, for no more of it is the caller's.
fn readable(memory: &Memory, config: *const leasebeat_config_t) -> bool {
    if config.is_null() || !config.is_aligned() {
        return true;
    }
    let size = unsafe { (*config).size } as usize;
    size > 4_096 || config.addr() + size <= memory.arena.as_ptr().addr() + ARENA
}

/// An answer whose parts lie in the arena, are NULL, or are longer than any object.
fn points_into(memory: &Memory, answer: *const leasebeat_answer_t) -> bool {
    if answer.is_null() || !answer.is_aligned() {
        return true;
    }
    let start = memory.arena.as_ptr().addr();
    let inside = |part: usize, length: usize| {
        length == 0
            || part == 0
            || length > isize::MAX as usize
            || (part >= start && part.checked_add(length).is_some_and(|end| end <= start + ARENA))
    };
    let answer = unsafe { *answer };
    inside(answer.body.addr(), answer.body_length)
        && inside(answer.retry_after.addr(), answer.retry_after_length)
}

/// One call; what it returned, and whether it may have written although it refused.
fn call(memory: &mut Memory, input: &mut Input<'_>) -> (leasebeat_status_t, bool) {
    let choice = input.byte();
    unsafe {
        let heartbeat = memory.heartbeat(input);
        let writes = |status| (status, false);
        match choice % 26 {
            0..5 => {
                let event: *const leasebeat_event_t = memory.output(input);
                let out = memory.output_of(input, heartbeat);
                writes(leasebeat_handle(heartbeat, event, input.number(), out))
            }
            5..8 => {
                let out = memory.output_of(input, heartbeat);
                writes(leasebeat_tick(heartbeat, input.number(), out))
            }
            8 => {
                let config: *const leasebeat_config_t = memory.output(input);
                if !readable(memory, config) {
                    return (LEASEBEAT_OK, true);
                }
                writes(leasebeat_init(heartbeat, input.size(256).min(256), config))
            }
            9 => writes(leasebeat_next_deadline(heartbeat, memory.output_of(input, heartbeat))),
            10 => writes(leasebeat_lead(heartbeat, input.number(), memory.output_of(input, heartbeat))),
            11 => writes(leasebeat_fence(heartbeat, memory.output_of(input, heartbeat))),
            12 => writes(leasebeat_danger(heartbeat, memory.output_of(input, heartbeat))),
            13 => writes(leasebeat_held_for(
                heartbeat,
                input.number(),
                input.number(),
                memory.output_of(input, heartbeat),
            )),
            14 => writes(leasebeat_in_flight(heartbeat, memory.output_of(input, heartbeat))),
            15 => writes(leasebeat_stopped(heartbeat, memory.output_of(input, heartbeat))),
            16 => writes(if input.byte() & 1 == 0 {
                leasebeat_stats(heartbeat, memory.output_of(input, heartbeat))
            } else {
                leasebeat_plan(heartbeat, memory.output_of(input, heartbeat))
            }),
            17 => {
                let decision: *const leasebeat_decision_t = memory.output(input);
                let (buffer, capacity) = memory.buffer(input);
                let length = memory.output(input);
                writes(if input.byte() & 1 == 0 {
                    leasebeat_explain(heartbeat, decision, buffer, capacity, length)
                } else {
                    leasebeat_describe(decision, buffer, capacity, length)
                })
            }
            18 => {
                writes(leasebeat_numbers(heartbeat, memory.output(input), memory.output_of(input, heartbeat)))
            }
            19 => writes(leasebeat_classify(input.byte() % 4, memory.output(input), memory.output(input))),
            20 => {
                let (header, length) = memory.buffer(input);
                writes(leasebeat_parse_retry_after(header, length, memory.output(input)))
            }
            21 => {
                let answer: *const leasebeat_answer_t = memory.output(input);
                if !points_into(memory, answer) {
                    return (LEASEBEAT_OK, true);
                }
                let (buffer, capacity) = memory.buffer(input);
                let length = memory.output(input);
                match input.byte() % 3 {
                    0 => writes(leasebeat_decode(answer, memory.output(input))),
                    1 => (leasebeat_decode_reservation_id(answer, buffer, capacity, length), true),
                    _ => writes(leasebeat_decode_problem(answer, buffer, capacity, length)),
                }
            }
            22 => {
                let size = input.size(96);
                let out: *mut u8 = memory.at(input, if size > ARENA { 0 } else { size.max(96) });
                writes(leasebeat_snapshot(heartbeat, out.cast(), size))
            }
            23 => {
                let (bytes, length) = (memory.at::<u8>(input, 96), input.size(96));
                let length = if (97..=isize::MAX as usize).contains(&length) { 96 } else { length };
                let out = memory.output_of(input, heartbeat);
                writes(leasebeat_restore(
                    heartbeat,
                    input.size(256).min(256),
                    bytes.cast(),
                    length,
                    input.number(),
                    out,
                ))
            }
            24 => {
                let live = memory.ticks.as_mut_ptr();
                let ticks: *mut leasebeat_ticks_t = memory.handle(input, live, 32);
                let out = memory.output(input);
                writes(match input.byte() % 3 {
                    0 => leasebeat_ticks_init(ticks, input.size(32).min(32), u32::from(input.byte())),
                    1 => leasebeat_ticks_widen(ticks, input.number() as u32, out),
                    _ => leasebeat_ticks_lap(ticks, out),
                })
            }
            _ => {
                let config: *mut leasebeat_config_t = memory.output(input);
                if input.byte() & 1 == 0 {
                    return writes(leasebeat_config_init(config, input.size(48).min(48), input.number()));
                }
                if !readable(memory, config) {
                    return (LEASEBEAT_OK, true);
                }
                if input.byte() & 1 == 0 {
                    return writes(leasebeat_plan_config(
                        config,
                        input.number(),
                        input.number(),
                        memory.output(input),
                    ));
                }
                let (buffer, capacity) = memory.buffer(input);
                (leasebeat_config_check(config, buffer, capacity, memory.output(input)), true)
            }
        }
    }
}

fn named(number: u8) {
    let text =
        |name: *const core::ffi::c_char| assert!(!unsafe { core::ffi::CStr::from_ptr(name) }.is_empty());
    text(leasebeat_rule_name(number));
    text(leasebeat_stop_name(number));
    text(leasebeat_error_code_name(number));
    text(leasebeat_action_name(number));
    text(leasebeat_operation_name(number));
    text(leasebeat_key_name(number));
    text(leasebeat_status_name(i32::from(number as i8)));
    text(leasebeat_status_text(i32::from(number as i8)));
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let mut memory = Box::new(Memory {
        arena: [0; ARENA],
        heartbeats: [[0; LEASEBEAT_HEARTBEAT_WORDS]; 2],
        ticks: [0; LEASEBEAT_TICKS_WORDS],
    });
    named(input.byte());
    let mut before = memory.clone();
    for _ in 0..CALLS_MAX {
        if input.0.is_empty() {
            break;
        }
        prepare(&mut memory, &mut input);
        // What `handle` writes into the arena happens before the call, and so does not count.
        before.clone_from(&memory);
        let (status, may_write) = call(&mut memory, &mut input);
        if status != LEASEBEAT_OK && !may_write {
            if memory.arena != before.arena {
                // `handle` marks foreign memory as no handle's: that byte alone may differ.
                let changed =
                    memory.arena.iter().zip(&before.arena).filter(|(now, then)| now != then && **now != 0xff);
                assert_eq!(changed.count(), 0, "{status:?} wrote an output");
            }
            assert!(memory.heartbeats == before.heartbeats, "{status:?} changed a heartbeat");
            assert!(memory.ticks == before.ticks, "{status:?} changed a widener");
        }
    }
});
