//! Decides what the peer asks for, measures the stack of each call, and says everything that the kernel says.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod board {
    use core::fmt::Write;

    use cortex_m_rt::entry;
    use heapless::String;
    use leasebeat::wire::{Decoded, UnknownKeys, decode};
    use leasebeat::{Config, ConfigError, Decision, Event, Heartbeat, Instant, Misuse, Operation, Settings};
    use leasebeat_firmware::device::{Uart, exit, print_sizes, stack};
    use leasebeat_firmware::messages::{Ask, Call, MESSAGE_MAX, Said, Stacks, View};

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
    struct Worst(Stacks);

    impl Worst {
        fn measure<A>(&mut self, which: Call, call: fn(&mut A), argument: &mut A) {
            let used = u16::try_from(stack::of(call, argument)).unwrap_or(u16::MAX);
            let worst = &mut self.0[which as usize];
            *worst = used.max(*worst);
        }
    }

    #[entry]
    fn main() -> ! {
        stack::paint();
        let mut uart = Uart::new();
        let mut frame = [0; MESSAGE_MAX];
        let mut heartbeat = None;
        loop {
            let mut worst = Worst(Stacks::default());
            let length = uart.receive_into(&mut frame);
            let ask = postcard::from_bytes_cobs(&mut frame[..length]).expect("the peer speaks as agreed");
            let mut text = Text::new();
            let said = match ask {
                Ask::Configure(settings) => configure(settings, &mut heartbeat, &mut worst, &mut text),
                Ask::Handle(event, now) => {
                    let heartbeat = heartbeat.as_mut().expect("it is configured first");
                    handle(heartbeat, event, now, &mut worst, &mut text)
                }
                Ask::Decode { operation, status, retry_after, body, ignore_unknown_keys } => {
                    let unknown_keys =
                        if ignore_unknown_keys { UnknownKeys::Ignore } else { UnknownKeys::Reject };
                    let mut ask =
                        Decode { operation, status, retry_after, body, unknown_keys, decoded: None };
                    decoded(&mut ask, &mut worst, &mut uart);
                    continue;
                }
                Ask::End => break,
            };
            uart.send(&(said, worst.0));
        }
        print_sizes();
        exit(true)
    }

    fn configure<'a>(
        settings: Settings,
        heartbeat: &mut Option<Heartbeat>,
        worst: &mut Worst,
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
        worst: &mut Worst,
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

    fn decoded(call: &mut Decode<'_>, worst: &mut Worst, uart: &mut Uart) {
        let run = |call: &mut Decode<'_>| {
            let Decode { operation, status, retry_after, body, unknown_keys, .. } = *call;
            call.decoded = Some(decode(operation, status, retry_after, body, unknown_keys));
        };
        worst.measure(Call::Decode, run, call);
        let decoded = call.decoded.expect("it ran");
        let mut id = [0; MESSAGE_MAX];
        let reservation =
            decoded.reservation_id().map(|id_text| id_text.unescape(&mut id).expect("there is room"));
        let mut text = Text::new();
        let problem = decoded.problem().map(|problem| {
            write!(text, "{problem}").expect("there is room");
            &*text
        });
        uart.send(&(Said::Decoded { outcome: decoded.outcome(None), reservation, problem }, worst.0));
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this runs on a board: cargo xtask firmware");
}
