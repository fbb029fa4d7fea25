//! Calls the kernel with values that the linker cannot know, from an entry point that a bare board would have.

#![no_std]
#![no_main]

use core::panic::PanicInfo;
use core::ptr::{read_volatile, write_volatile};

use leasebeat::{
    Action, AttemptId, Decision, ErrorCode, Event, Failure, Fallback, HttpFailure, Instant, Millis, Outcome,
    Settings, Success,
};

unsafe extern "C" {
    /// Defined nowhere. If any code can panic, the link fails with this name.
    fn leasebeat_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    unsafe { leasebeat_can_panic() }
}

/// Words as a radio would deliver them: opaque to the optimiser.
static mut WORDS: [u64; 4] = [60_000, 10_000, 0, 0];

static mut CODE: Option<ErrorCode> = Some(ErrorCode::NotFound);

fn word(index: usize) -> u64 {
    unsafe { read_volatile((&raw const WORDS).cast::<u64>().add(index % 4)) }
}

fn keep(value: u64) {
    unsafe { write_volatile((&raw mut WORDS).cast::<u64>(), value) }
}

fn now() -> Instant {
    Instant::from_nanos(word(3))
}

/// Any settings there are.
#[unsafe(link_section = ".calling_program")]
fn settings() -> Settings {
    let known = |index| Some(word(index)).filter(|word| *word != 0);
    Settings {
        extend_by_ms: word(0),
        request_timeout_ms: known(1),
        clock_resolution_ns: word(2),
        max_wait_ms: known(3),
        fallback: if word(2) == 0 { Fallback::Band } else { Fallback::Refuse },
    }
}

/// Any event there is.
#[unsafe(link_section = ".calling_program")]
fn event() -> Event {
    let known = |index| Some(word(index)).filter(|word| *word != 0);
    let success = Success { rtt_ns: known(0), remaining_ttl_ms: known(1), expires_at_ms: known(2) };
    let outcome = match word(0) {
        0 => return Event::Begin,
        1 => return Event::TimingLost,
        2 => return Event::Close,
        3 => return Event::Tick,
        4 => Outcome::Created(success),
        5 => Outcome::Extended(success),
        6 => Outcome::Denied,
        7 => Outcome::Failed(Failure::Timeout),
        8 => Outcome::Failed(Failure::Connection),
        9 => Outcome::Failed(Failure::Ambiguous),
        status => Outcome::Failed(Failure::Http(HttpFailure {
            status: status as u16,
            code: unsafe { read_volatile(&raw const CODE) },
            retry_after: known(2).map(Millis::new),
        })),
    };
    Event::Report { attempt: known(1).map(|id| AttemptId::new(id as u32)), outcome }
}

/// What a firmware calls, each once and none of it inlined: with what they call, they are what the kernel costs.
mod kernel {
    use leasebeat::{Config, ConfigError, Decision, Event, Heartbeat, Instant, Millis, Misuse, Settings};

    #[inline(never)]
    pub fn start(settings: Settings) -> Result<Heartbeat, ConfigError> {
        Config::new(settings).map(Heartbeat::new)
    }

    #[inline(never)]
    pub fn handle(heartbeat: &mut Heartbeat, event: Event, now: Instant) -> Result<Decision, Misuse> {
        heartbeat.handle(event, now)
    }

    #[inline(never)]
    pub fn tick(heartbeat: &mut Heartbeat, now: Instant) -> Decision {
        heartbeat.tick(now)
    }

    #[inline(never)]
    pub fn lead(heartbeat: &Heartbeat, now: Instant) -> Millis {
        heartbeat.lead(now)
    }

    #[inline(never)]
    pub fn fence(heartbeat: &Heartbeat) -> Option<Instant> {
        heartbeat.fence()
    }
}

#[unsafe(no_mangle)]
#[unsafe(link_section = ".calling_program")]
extern "C" fn _start() -> ! {
    // Used where it was made: what a program moves is the program's.
    let mut started = kernel::start(settings());
    let heartbeat = match &mut started {
        Ok(heartbeat) => heartbeat,
        Err(error) => loop {
            keep(error.value.wrapping_add(error.field as u64));
        },
    };
    loop {
        match kernel::handle(heartbeat, event(), now()) {
            Ok(decision) => act(&decision),
            Err(misuse) => keep(misuse as u64),
        }
        let decision = kernel::tick(heartbeat, now());
        act(&decision);
        keep(kernel::lead(heartbeat, now()).get());
        keep(kernel::fence(heartbeat).map_or(0, Instant::as_nanos));
        #[cfg(feature = "everything")]
        everything::call(heartbeat, &decision);
        #[cfg(feature = "wire")]
        wire::call(heartbeat);
    }
}

/// Takes note of all that a decision says.
#[unsafe(link_section = ".calling_program")]
fn act(decision: &Decision) {
    keep(decision.rule as u64);
    match &decision.action {
        Action::Send(attempt) => {
            keep(u64::from(attempt.id.get()) + u64::from(attempt.key_generation));
            keep(attempt.extend_by.get());
            keep(attempt.timeout.map_or(0, Millis::get));
            keep(attempt.operation as u64 + attempt.key as u64);
        }
        Action::Wait(wait) => keep(wait.map_or(u64::MAX, Millis::get)),
        Action::Stop(reason) => keep(*reason as u64),
    }
}

#[cfg(feature = "everything")]
mod everything {
    use core::fmt::Write;
    use core::hint::black_box;
    use core::num::NonZeroU32;

    use leasebeat::{
        Config, Decision, ErrorCode, Failure, Heartbeat, Millis, Operation, Plan, Settings, TickWidener,
        classify, parse_retry_after,
    };

    use super::{keep, now};

    /// Counts what is written to it.
    pub struct Count(pub u64);

    impl Write for Count {
        fn write_str(&mut self, text: &str) -> core::fmt::Result {
            self.0 = self.0.saturating_add(text.len() as u64);
            Ok(())
        }
    }

    pub fn call(heartbeat: &mut Heartbeat, decision: &Decision) {
        let mut count = Count(0);
        let _ = write!(count, "{decision} {}", heartbeat.explain(decision));
        if let Err(error) = Config::new(Settings::new(now().as_nanos())) {
            let _ = write!(count, "{error}");
        }
        keep(count.0);
        keep(heartbeat.danger().map_or(0, leasebeat::Instant::as_nanos));
        keep(heartbeat.next_deadline().map_or(0, leasebeat::Instant::as_nanos));
        keep(u64::from(heartbeat.is_held_for(Millis::new(count.0), now())));
        keep(u64::from(heartbeat.stats().retries));
        let plan = Plan::new(heartbeat.config(), Millis::new(count.0), Millis::new(count.0));
        keep(plan.delay().map_or(0, Millis::get));
        keep(plan.largest_timeout().map_or(0, Millis::get));
        let header = black_box([b'5'; 3]);
        keep(parse_retry_after(&header).map_or(0, Millis::get));
        let _ = black_box(classify(black_box(Operation::Extend), black_box(&Failure::Timeout)));
        let _ = black_box(ErrorCode::from_name(core::str::from_utf8(&header).unwrap_or_default()));
        let mut widener = TickWidener::new(NonZeroU32::MAX);
        keep(widener.widen(black_box(3)).as_nanos());
        let (restored, _) = heartbeat.snapshot().restore(now());
        *heartbeat = restored;
    }
}

#[cfg(feature = "wire")]
mod wire {
    use core::hint::black_box;

    use leasebeat::wire::{UnknownKeys, decode};
    use leasebeat::{Heartbeat, Operation};

    use super::{act, keep, now, word};

    /// What a modem would have received.
    static mut BODY: [u8; 300] = [0; 300];

    pub fn call(heartbeat: &mut Heartbeat) {
        let body: &[u8] = black_box(unsafe { &*(&raw const BODY) });
        let operation = if word(0) == 0 { Operation::Create } else { Operation::Extend };
        let unknown_keys = if word(2) == 0 { UnknownKeys::Reject } else { UnknownKeys::Ignore };
        let decoded = decode(operation, word(1) as u16, Some(body), body, unknown_keys);
        if let Ok(decision) = heartbeat.handle(decoded.outcome(Some(word(2))).into(), now()) {
            act(&decision);
        }
        let mut buffer = [0; 64];
        if let Some(Ok(id)) = decoded.reservation_id().map(|id| id.unescape(&mut buffer)) {
            keep(id.len() as u64);
        }
        // To say what is wrong is not what every firmware does.
        #[cfg(feature = "everything")]
        {
            use core::fmt::Write;
            let mut count = super::everything::Count(0);
            if let Some(problem) = decoded.problem() {
                let _ = write!(count, "{problem}");
            }
            keep(count.0);
            keep(decoded.reservation_id().and_then(|id| id.as_str()).map_or(0, |id| id.len() as u64));
        }
    }
}
