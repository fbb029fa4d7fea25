//! The cases, each with a group and a name, handed one after the other to whatever measures them.

use std::fmt::{self, Write};

use leasebeat::{Config, Event, Millis, Plan};

use crate::handles::{at, settings, waiting};
use crate::{decodes, handles};

/// A way to measure a call.
pub trait Measure {
    /// Measures `call` on a copy of `state`.
    fn measure<S: Copy, T>(&mut self, group: &str, name: &str, state: S, call: impl Fn(&mut S) -> T);
}

/// Measures every case.
pub fn all(measure: &mut impl Measure) {
    handles::all(measure);
    decodes::all(measure);
    rest(measure);
}

/// What a host asks beside events.
fn rest(measure: &mut impl Measure) {
    let config = Config::new(settings()).expect("in range");
    measure.measure("rest", "config", settings(), |settings| Config::new(*settings));
    measure.measure("rest", "plan", config, |config| {
        Plan::new(config, Millis::new(60_000), Millis::new(20)).delay()
    });
    let mut heartbeat = waiting();
    let decision = heartbeat.handle(Event::Tick, at(1)).expect("a tick can always come");
    measure.measure("rest", "lead", heartbeat, |heartbeat| heartbeat.lead(at(2)));
    measure.measure("rest", "fence", heartbeat, |heartbeat| heartbeat.fence());
    measure.measure("rest", "danger", heartbeat, |heartbeat| heartbeat.danger());
    measure.measure("rest", "explain", (heartbeat, decision), |(heartbeat, decision)| {
        heartbeat.explain(decision)
    });
    measure.measure("rest", "explain, written as text", (heartbeat, decision), |(heartbeat, decision)| {
        let mut length = Length(0);
        let _ = write!(length, "{}", heartbeat.explain(decision));
        length.0
    });
    measure.measure("rest", "snapshot", heartbeat, |heartbeat| heartbeat.snapshot());
    measure.measure("rest", "restore", heartbeat.snapshot(), |snapshot| snapshot.restore(at(3)));
}

/// Where text goes of which only the length is kept.
struct Length(usize);

impl Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}
