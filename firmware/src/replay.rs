//! Decides what the peer asks for, measures the stack of each call, and says everything that the kernel says.

use core::fmt::Write;

use heapless::String;
use leasebeat::wire::{Decoded, UnknownKeys, decode};
use leasebeat::{Config, ConfigError, Decision, Event, Heartbeat, Instant, Misuse, Operation, Settings};

use crate::link::{Link, receive, send};
use crate::messages::{Ask, Call, MESSAGE_MAX, Said, Stacks, View};

/// Room for what is said in words.
type Text = String<768>;

/// The line, and the worst stack of each call since the last answer.
struct Measured<'a, L> {
    link: &'a mut L,
    stacks: Stacks,
}

impl<L: Link> Measured<'_, L> {
    fn call<A, B, C, R>(&mut self, which: Call, call: fn(A, B, C) -> R, a: A, b: B, c: C) -> R {
        let (result, used) = self.link.measure(call, a, b, c);
        let worst = &mut self.stacks[which as usize];
        *worst = u16::try_from(used).unwrap_or(u16::MAX).max(*worst);
        result
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
        let ask = receive(link, &mut frame);
        let mut measured = Measured { link, stacks: Stacks::default() };
        let mut text = Text::new();
        let mut id = [0; MESSAGE_MAX];
        let said = match ask {
            Ask::Configure(settings) => {
                let made = measured.call(Call::Config, start, settings, (), ());
                Said::Configured(match made {
                    Ok(made) => {
                        heartbeat = Some(made);
                        Ok(())
                    }
                    Err(error) => {
                        write!(text, "{error}").expect("there is room");
                        Err(&text)
                    }
                })
            }
            Ask::Handle(event, now) => {
                let heartbeat = heartbeat.as_mut().expect("it is configured first");
                handled(heartbeat, event, now, &mut measured, &mut text)
            }
            Ask::Decode { operation, status, retry_after, body, ignore_unknown_keys } => {
                let unknown = if ignore_unknown_keys { UnknownKeys::Ignore } else { UnknownKeys::Reject };
                let answer = (operation, status, retry_after, body);
                let decoded = measured.call(Call::Decode, decoded, &answer, unknown, ());
                let problem = decoded.problem().map(|problem| {
                    write!(text, "{problem}").expect("there is room");
                    &*text
                });
                Said::Decoded {
                    outcome: decoded.outcome(None),
                    reservation: decoded
                        .reservation_id()
                        .map(|name| name.unescape(&mut id).expect("there is room")),
                    problem,
                }
            }
            Ask::End => return,
        };
        let stacks = measured.stacks;
        send(link, &(said, stacks));
    }
}

fn handled<'a>(
    heartbeat: &mut Heartbeat,
    event: Event,
    now: Instant,
    measured: &mut Measured<'_, impl Link>,
    text: &'a mut Text,
) -> Said<'a> {
    let mut copy = *heartbeat;
    let decision = measured.call(Call::Handle, handle, heartbeat, event, now);
    if event == Event::Tick {
        // Both ways to tick must decide alike.
        let ticked = measured.call(Call::Tick, tick, &mut copy, now, ());
        assert!(Ok(ticked) == decision && copy == *heartbeat, "tick is not handle(Tick)");
    }
    let view = measured.call(Call::View, view, heartbeat, now, ());
    if let Ok(decision) = &decision {
        measured.call(Call::Explain, explain, heartbeat, decision, &mut *text);
    }
    Said::Decided { decision, view, explanation: text }
}

fn start(settings: Settings, (): (), (): ()) -> Result<Heartbeat, ConfigError> {
    Config::new(settings).map(Heartbeat::new)
}

fn handle(heartbeat: &mut Heartbeat, event: Event, now: Instant) -> Result<Decision, Misuse> {
    heartbeat.handle(event, now)
}

fn tick(heartbeat: &mut Heartbeat, now: Instant, (): ()) -> Decision {
    heartbeat.tick(now)
}

fn view(heartbeat: &mut Heartbeat, now: Instant, (): ()) -> View {
    View::of(heartbeat, now)
}

fn explain(heartbeat: &mut Heartbeat, decision: &Decision, text: &mut Text) {
    write!(text, "{decision} {}", heartbeat.explain(decision)).expect("there is room");
}

/// An operation, a status, a `Retry-After` and a body.
type Answer<'a> = (Operation, u16, Option<&'a [u8]>, &'a [u8]);

fn decoded<'a>(answer: &Answer<'a>, unknown_keys: UnknownKeys, (): ()) -> Decoded<'a> {
    let (operation, status, retry_after, body) = *answer;
    decode(operation, status, retry_after, body, unknown_keys)
}
