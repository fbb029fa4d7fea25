//! The same calls as a program in C makes them: what the C ABI costs over the kernel.

use std::fs::File;
use std::io::BufReader;

use leasebeat::{AttemptId, Event, Failure, Instant, Millis, Outcome, Settings, Success};
use leasebeat_ffi::*;
use leasebeat_tests::vectors;
use leasebeat_trace::{Replay, ReplayError};

#[inline(never)]
#[allow(unsafe_code)]
fn measured_c(h: &mut leasebeat_heartbeat_t, e: &leasebeat_event_t, now: u64, d: &mut leasebeat_decision_t) -> leasebeat_status_t {
    unsafe { leasebeat_handle(h, e, now, d) }
}

fn event(event: &Event) -> leasebeat_event_t {
    let mut out = leasebeat_event_t::default();
    let set = |out: &mut leasebeat_event_t, s: &Success| {
        if let Some(v) = s.rtt_ns { out.rtt_ns = v; out.present |= 2; }
        if let Some(v) = s.remaining_ttl_ms { out.remaining_ttl_ms = v; out.present |= 4; }
        if let Some(v) = s.expires_at_ms { out.expires_at_ms = v; out.present |= 8; }
    };
    match event {
        Event::Begin => out.kind = 1,
        Event::Tick => out.kind = 6,
        Event::TimingLost => out.kind = 7,
        Event::Close => out.kind = 8,
        Event::Report { attempt, outcome } => {
            if let Some(a) = attempt { out.attempt = a.get(); out.present |= 1; }
            match outcome {
                Outcome::Created(s) => { out.kind = 2; set(&mut out, s); }
                Outcome::Denied => out.kind = 3,
                Outcome::Extended(s) => { out.kind = 4; set(&mut out, s); }
                Outcome::Failed(f) => {
                    out.kind = 5;
                    match f {
                        Failure::Timeout => out.failure = 1,
                        Failure::Connection => out.failure = 2,
                        Failure::Ambiguous => out.failure = 3,
                        Failure::Http(h) => {
                            out.failure = 4;
                            out.http_status = h.status;
                            if let Some(c) = h.code { out.error_code = c as u8 + 1; out.present |= 16; }
                            if let Some(r) = h.retry_after { out.retry_after_ms = r.get(); out.present |= 32; }
                        }
                    }
                }
            }
        }
    }
    out
}

#[allow(unsafe_code)]
pub(crate) fn replay() {
    let _ = (AttemptId::new(0), Millis::ZERO);
    for vector in vectors::all() {
        let trace = BufReader::new(File::open(&vector.trace).expect("the vector is there"));
        let mut replay = match Replay::new(trace) {
            Err(ReplayError::Config { .. }) => continue,
            replay => replay.expect("a vector is well-formed"),
        };
        let s = Settings::from(*replay.heartbeat().config());
        let mut c = leasebeat_config_t { size: 48, present: 0, extend_by_ms: s.extend_by_ms, request_timeout_ms: s.request_timeout_ms.unwrap_or(0), clock_resolution_ns: s.clock_resolution_ns, max_wait_ms: s.max_wait_ms.unwrap_or(0), fallback: s.fallback as u8, reserved: [0; 7] };
        if s.request_timeout_ms.is_some() { c.present |= 1 }
        if s.max_wait_ms.is_some() { c.present |= 2 }
        let mut h = leasebeat_heartbeat_t { opaque: [0; 32] };
        assert_eq!(unsafe { leasebeat_init(&raw mut h, 256, &raw const c) } as i32, 0);
        let mut last = Instant::ORIGIN;
        while let Some(step) = replay.next_step().expect("a vector is well-formed") {
            let mut d = leasebeat_decision_t::default();
            let e = event(&step.event);
            let status = measured_c(&mut h, &e, step.at.as_nanos(), &mut d);
            assert_eq!(step.decision.is_ok(), status as i32 == 0);
            let class = if step.at < last { "back-in-time" } else { crate::class(&step.event, &step.decision) };
            println!("{class} {} {}", vector.name, step.line);
            last = step.at;
        }
    }
}
