//! Decides what the peer asks for, measures the stack of each call, and says everything that the kernel says.

use core::fmt::Write;

use heapless::String;
use leasebeat::wire::{Decoded, UnknownKeys, decode};
use leasebeat::{Config, ConfigError, Decision, Event, Heartbeat, Instant, Misuse, Operation, Settings};

use crate::link::{Link, receive, send};
use crate::messages::{Ask, Call, MESSAGE_MAX, Said, Stacks, View};

/// Room for what is said in words.
type Text = String<768>;

struct Configure {
    settings: Settings,
    made: Option<Result<Heartbeat, ConfigError>>,
}

struct Handle<'a> {
    heartbeat: &'a mut Heartbeat,
    event: Event,
    now: Instant,
    decision: Option<Result<Decision, Misuse>>,
}

struct Read<'a> {
    heartbeat: &'a Heartbeat,
    now: Instant,
    view: Option<View>,
}

struct Explain<'a> {
    heartbeat: &'a Heartbeat,
    decision: &'a Decision,
    text: &'a mut Text,
}

struct Decode<'a> {
    operation: Operation,
    status: u16,
    retry_after: Option<&'a [u8]>,
    body: &'a [u8],
    unknown_keys: UnknownKeys,
    decoded: Option<Decoded<'a>>,
}

/// The worst stack of each call.
struct Worst<'a, L> {
    link: &'a mut L,
    stacks: Stacks,
}

impl<L: Link> Worst<'_, L> {
    fn measure<A>(&mut self, which: Call, call: fn(&mut A), argument: &mut A) {
        let used = u16::try_from(self.link.measure(call, argument)).unwrap_or(u16::MAX);
        let worst = &mut self.stacks[which as usize];
        *worst = used.max(*worst);
    }
}

/// Does what the peer asks, until it asks for nothing more.
///
/// # Panics
/// Where the peer does not speak as agreed.
pub fn replay(link: &mut impl Link) {
    let mut frame = [0; MESSAGE_MAX];
    let mut heartbeat = None;
    loop {
        let mut worst = Worst { link, stacks: Stacks::default() };
        let mut text = Text::new();
        let mut id = [0; MESSAGE_MAX];
        let said = match receive(worst.link, &mut frame) {
            Ask::Configure(settings) => configure(settings, &mut heartbeat, &mut worst, &mut text),
            Ask::Handle(event, now) => {
                let heartbeat = heartbeat.as_mut().expect("it is configured first");
                handle(heartbeat, event, now, &mut worst, &mut text)
            }
            Ask::Decode { operation, status, retry_after, body, ignore_unknown_keys } => {
                let unknown_keys =
                    if ignore_unknown_keys { UnknownKeys::Ignore } else { UnknownKeys::Reject };
                let mut call = Decode { operation, status, retry_after, body, unknown_keys, decoded: None };
                decoded(&mut call, &mut worst, &mut id, &mut text)
            }
            Ask::End => return,
        };
        let stacks = worst.stacks;
        send(link, &(said, stacks));
    }
}

fn configure<'a>(
    settings: Settings,
    heartbeat: &mut Option<Heartbeat>,
    worst: &mut Worst<'_, impl Link>,
    text: &'a mut Text,
) -> Said<'a> {
    let mut call = Configure { settings, made: None };
    let run = |call: &mut Configure| call.made = Some(Config::new(call.settings).map(Heartbeat::new));
    worst.measure(Call::Config, run, &mut call);
    Said::Configured(match call.made.expect("it ran") {
        Ok(made) => {
            *heartbeat = Some(made);
            Ok(())
        }
        Err(error) => {
            write!(text, "{error}").expect("there is room");
            Err(text)
        }
    })
}

fn handle<'a>(
    heartbeat: &mut Heartbeat,
    event: Event,
    now: Instant,
    worst: &mut Worst<'_, impl Link>,
    text: &'a mut Text,
) -> Said<'a> {
    let mut call = Handle { heartbeat, event, now, decision: None };
    if event == Event::Tick {
        // Both ways to tick must decide alike.
        let mut copy = *call.heartbeat;
        let mut tick = Handle { heartbeat: &mut copy, event, now, decision: None };
        let run = |call: &mut Handle<'_>| call.decision = Some(Ok(call.heartbeat.tick(call.now)));
        worst.measure(Call::Tick, run, &mut tick);
        let ticked = tick.decision;
        worst.measure(Call::Handle, run_handle, &mut call);
        assert!(ticked == call.decision && copy == *call.heartbeat, "tick is not handle(Tick)");
    } else {
        worst.measure(Call::Handle, run_handle, &mut call);
    }
    let decision = call.decision.expect("it ran");

    let heartbeat = &*heartbeat;
    let mut read = Read { heartbeat, now, view: None };
    worst.measure(Call::View, |read| read.view = Some(View::of(read.heartbeat, read.now)), &mut read);
    if let Ok(decision) = &decision {
        let run = |call: &mut Explain<'_>| {
            write!(call.text, "{} {}", call.decision, call.heartbeat.explain(call.decision))
                .expect("there is room");
        };
        worst.measure(Call::Explain, run, &mut Explain { heartbeat, decision, text });
    }
    Said::Decided { decision, view: read.view.expect("it ran"), explanation: text }
}

fn run_handle(call: &mut Handle<'_>) {
    call.decision = Some(call.heartbeat.handle(call.event, call.now));
}

fn decoded<'a>(
    call: &mut Decode<'_>,
    worst: &mut Worst<'_, impl Link>,
    id: &'a mut [u8],
    text: &'a mut Text,
) -> Said<'a> {
    let run = |call: &mut Decode<'_>| {
        let Decode { operation, status, retry_after, body, unknown_keys, .. } = *call;
        call.decoded = Some(decode(operation, status, retry_after, body, unknown_keys));
    };
    worst.measure(Call::Decode, run, call);
    let decoded = call.decoded.expect("it ran");
    let reservation = decoded.reservation_id().map(|name| name.unescape(id).expect("there is room"));
    let problem = decoded.problem().map(|problem| {
        write!(text, "{problem}").expect("there is room");
        &**text
    });
    Said::Decoded { outcome: decoded.outcome(None), reservation, problem }
}
