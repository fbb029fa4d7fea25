//! Calls the kernel with values that the linker cannot know, from an entry point that a bare board would have.

#![no_std]
#![no_main]

use core::hint::black_box;
use core::panic::PanicInfo;
use core::ptr::{read_volatile, write_volatile};

use leasebeat::{Config, Event, Heartbeat, Instant, Settings};

unsafe extern "C" {
    /// Defined nowhere. If any code can panic, the link fails with this name.
    fn leasebeat_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    unsafe { leasebeat_can_panic() }
}

/// What would come from a radio: opaque to the optimiser.
static mut EVENT: Event = Event::Begin;
static mut SETTINGS: Settings = Settings::new(60_000);
static mut NOW_NS: u64 = 0;
static mut SINK: u64 = 0;

fn now() -> Instant {
    Instant::from_nanos(unsafe { read_volatile(&raw const NOW_NS) })
}

fn keep(value: u64) {
    unsafe { write_volatile(&raw mut SINK, value) }
}

#[unsafe(no_mangle)]
extern "C" fn _start() -> ! {
    let Ok(config) = Config::new(unsafe { read_volatile(&raw const SETTINGS) }) else { loop {} };
    let mut heartbeat = Heartbeat::new(config);
    loop {
        let event = unsafe { read_volatile(&raw const EVENT) };
        let _ = black_box(heartbeat.handle(black_box(event), now()));
        let decision = black_box(heartbeat.tick(now()));
        keep(heartbeat.lead(now()).get());
        keep(heartbeat.fence().map_or(0, Instant::as_nanos));
        #[cfg(feature = "everything")]
        everything::call(&mut heartbeat, &decision);
        #[cfg(feature = "wire")]
        wire::call(&mut heartbeat);
        #[cfg(not(feature = "everything"))]
        let _ = decision;
    }
}

#[cfg(feature = "everything")]
mod everything {
    use core::fmt::Write;
    use core::num::NonZeroU32;

    use leasebeat::{
        Config, Decision, ErrorCode, Failure, Heartbeat, Millis, Operation, Plan, Settings, TickWidener,
        classify, parse_retry_after,
    };

    use super::{black_box, keep, now};

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
    use core::ptr::read_volatile;

    use leasebeat::wire::{UnknownKeys, decode};
    use leasebeat::{Event, Heartbeat, Operation};

    use super::{black_box, keep, now};

    /// What would come from a radio.
    static BODY: [u8; 300] = [b' '; 300];
    static mut STATUS: u16 = 0;

    pub fn call(heartbeat: &mut Heartbeat) {
        let body = black_box(BODY.as_slice());
        let status = unsafe { read_volatile(&raw const STATUS) };
        let operation = black_box(Operation::Extend);
        let decoded = decode(operation, status, Some(body), body, black_box(UnknownKeys::Reject));
        let _ = black_box(heartbeat.handle(Event::from(decoded.outcome(Some(1))), now()));
        let mut buffer = [0; 64];
        if let Some(Ok(id)) = decoded.reservation_id().map(|id| id.unescape(&mut buffer)) {
            keep(id.len() as u64);
        }
        // To say what is wrong is not what a firmware does.
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
