//! A modem and a server in virtual time: the board asks to sleep, and is woken by whatever happens first.

use std::collections::{BTreeMap, BTreeSet};

use leasebeat::Millis;
use leasebeat_firmware::messages::{FromModem, Woke};
use leasebeat_firmware::{Exchange, Wake};

use crate::Outcome;
use crate::board::Board;
use crate::faults::{Fault, Script};
use crate::http::{Request, error};
use crate::server::Server;

/// The counter at the start: it wraps after twenty minutes.
const TICKS_AT_START: u32 = u32::MAX - 1_200_000;
/// From the board to the server, and back: ms.
const ONE_WAY_MS: u64 = 80;
const SLOW_MS: u64 = 2_000;
/// The board's timers are up to so much late.
const LATE_MS: u64 = 20;
/// How often the board sleeps so deeply that its counter stands still, and how long.
const DEEP_SLEEP_EVERY_MS: u64 = 600_000;
const DEEP_SLEEP_MS: u64 = 1_500;

/// Something to come.
enum Due {
    /// A request reaches the server.
    Request(Exchange, Vec<u8>, Option<Fault>),
    Answer(Exchange, Vec<u8>),
    TimedOut(Exchange),
    Disconnected(Exchange),
}

/// Everything around the board.
struct World {
    server: Server,
    script: Script,
    now_ms: u64,
    /// How long the counter stood still.
    stood_ms: u64,
    deep_sleeps: u32,
    /// By instant, and in the order in which they were planned.
    due: BTreeMap<(u64, u64), Due>,
    planned: u64,
    /// First attempts that go through after lost timing: one failure then ends a lease.
    spared: usize,
    seen: BTreeSet<Vec<u8>>,
    failed: BTreeSet<u8>,
    lapses: u32,
    /// Leads above the true one.
    overstated: u32,
    wakes: u64,
}

/// Runs `program` to its end, and judges.
pub(crate) fn run(program: &[String]) -> Outcome {
    let mut board = Board::start(program)?;
    let mut world = World::new()?;
    board.send(&Woke { ticks: world.ticks(), wake: Wake::Timer })?;
    let mut done = Vec::new();
    let mut leases = 0;
    loop {
        match board.receive()? {
            FromModem::Send { exchange, request, timeout } => world.send(exchange, request, timeout)?,
            FromModem::Log { lease, lead, .. } => world.judge(lease, lead),
            FromModem::Done(stats) => {
                done.push(stats);
                leases = leases.max(world.server.extensions().len());
                if done.len() == leases {
                    break;
                }
            }
            FromModem::Sleep(wait) => {
                let woken = world.sleep(wait)?;
                let wake = match &woken {
                    None => Wake::Timer,
                    Some(Happened::Resumed) => Wake::Resumed,
                    Some(Happened::Due(Due::Answer(exchange, bytes))) => Wake::Answer(*exchange, bytes),
                    Some(Happened::Due(Due::TimedOut(exchange))) => Wake::TimedOut(*exchange),
                    Some(Happened::Due(Due::Disconnected(exchange))) => Wake::Disconnected(*exchange),
                    Some(Happened::Due(Due::Request(..))) => return Err("a request is no answer".into()),
                };
                board.send(&Woke { ticks: world.ticks(), wake })?;
            }
        }
    }
    let status = board.end()?;
    let extended: Vec<u32> = done.iter().map(|stats| stats.extensions).collect();
    world.report(&extended);

    let wrapped = u64::from(TICKS_AT_START) + world.now_ms > u64::from(u32::MAX);
    let retries: u32 = done.iter().map(|stats| stats.retries).sum();
    let checks = [
        (status.success(), format!("the board ended with {status}")),
        (world.lapses == 0, format!("{} lapses", world.lapses)),
        (world.overstated == 0, format!("{} leads above the true one", world.overstated)),
        (extended == world.server.extensions(), format!("proved {extended:?} extensions")),
        (retries == world.script.failures(), format!("{retries} retries")),
        (world.script.is_spent(), format!("not every fault happened: {:?}", world.script.counts)),
        (world.deep_sleeps > 0, "it never slept deeply".to_owned()),
        (wrapped, "the counter did not wrap".to_owned()),
    ];
    let wrong: Vec<&str> = checks.iter().filter(|(right, _)| !right).map(|(_, what)| what.as_str()).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ").into()) }
}

/// What ends a sleep early.
enum Happened {
    Resumed,
    Due(Due),
}

impl World {
    fn new() -> Outcome<Self> {
        Ok(Self {
            server: Server::new()?,
            script: Script::default(),
            now_ms: 0,
            stood_ms: 0,
            deep_sleeps: 0,
            due: BTreeMap::new(),
            planned: 0,
            spared: 0,
            seen: BTreeSet::new(),
            failed: BTreeSet::new(),
            lapses: 0,
            overstated: 0,
            wakes: 0,
        })
    }

    /// What the board's counter reads: the low half, and not what it slept through.
    #[allow(clippy::cast_possible_truncation)]
    fn ticks(&self) -> u32 {
        TICKS_AT_START.wrapping_add((self.now_ms - self.stood_ms) as u32)
    }

    fn plan(&mut self, at_ms: u64, due: Due) {
        self.planned += 1;
        self.due.insert((at_ms, self.planned), due);
    }

    /// A request leaves the board.
    fn send(&mut self, exchange: Exchange, request: &[u8], timeout: Millis) -> Outcome {
        // The same bytes again are a retry, and those go through.
        let fault = if !self.seen.insert(request.to_vec()) {
            None
        } else if self.spared > 0 {
            self.spared -= 1;
            None
        } else {
            self.script.next()
        };
        if fault.is_some_and(Fault::fails) {
            self.failed.insert(exchange.lease);
        } else {
            self.failed.remove(&exchange.lease);
        }
        Request::read(request)?;
        let arrives = self.now_ms + ONE_WAY_MS;
        if fault.is_some_and(|fault| matches!(fault, Fault::LostBefore | Fault::LostAfter | Fault::Late)) {
            self.plan(self.now_ms + timeout.get(), Due::TimedOut(exchange));
        }
        self.plan(arrives, Due::Request(exchange, request.to_vec(), fault));
        Ok(())
    }

    /// A request reaches the server, or would have.
    fn arrive(&mut self, exchange: Exchange, bytes: &[u8], fault: Option<Fault>) -> Outcome {
        let mut answer = Vec::new();
        if fault.is_none_or(Fault::applies) {
            answer = self.server.answer(&Request::read(bytes)?, self.now_ms)?;
        }
        let back = self.now_ms + ONE_WAY_MS;
        match fault {
            None => self.plan(back, Due::Answer(exchange, answer)),
            Some(Fault::Slow) => self.plan(back + SLOW_MS, Due::Answer(exchange, answer)),
            // Later than the longest timeout, when another attempt is long on its way or through.
            Some(Fault::Late) => self.plan(back + 10_500, Due::Answer(exchange, answer)),
            Some(Fault::LostBefore | Fault::LostAfter) => {}
            Some(Fault::Unavailable | Fault::UnavailableAfter) => {
                let answer = error(503, "INTERNAL_ERROR", "unavailable", None);
                self.plan(back, Due::Answer(exchange, answer));
            }
            Some(Fault::Throttled) => {
                let answer = error(429, "LIMIT_EXCEEDED", "too many requests", Some(1));
                self.plan(back, Due::Answer(exchange, answer));
            }
            Some(Fault::Cut) => {
                answer.truncate(answer.len() - 20);
                self.plan(back, Due::Answer(exchange, answer));
            }
            Some(Fault::Reset) => self.plan(back, Due::Disconnected(exchange)),
        }
        Ok(())
    }

    /// Time goes on until something reaches the board, or its timer fires.
    fn sleep(&mut self, wait: Millis) -> Outcome<Option<Happened>> {
        self.wakes += 1;
        let quiet = self.due.is_empty() && self.failed.is_empty() && self.spared == 0;
        let deep = u64::from(self.deep_sleeps + 1) * DEEP_SLEEP_EVERY_MS;
        if quiet && self.now_ms >= deep && wait.get() > DEEP_SLEEP_MS {
            self.pass(self.now_ms + DEEP_SLEEP_MS);
            self.stood_ms += DEEP_SLEEP_MS;
            self.deep_sleeps += 1;
            self.spared = self.server.extensions().len();
            return Ok(Some(Happened::Resumed));
        }
        let timer = self.now_ms.saturating_add(wait.get()).saturating_add(self.wakes % LATE_MS);
        while let Some(first) = self.due.first_entry() {
            let at_ms = first.key().0;
            if at_ms > timer {
                break;
            }
            let due = first.remove();
            self.pass(at_ms);
            match due {
                Due::Request(exchange, bytes, fault) => self.arrive(exchange, &bytes, fault)?,
                other => return Ok(Some(Happened::Due(other))),
            }
        }
        self.pass(timer);
        Ok(None)
    }

    /// The authority judges: a lease that has lapsed does not come back.
    fn pass(&mut self, to_ms: u64) {
        self.now_ms = to_ms;
        let lapsed = self.server.left(to_ms).iter().filter(|left| left.is_none()).count();
        self.lapses = self.lapses.max(u32::try_from(lapsed).unwrap_or(u32::MAX));
    }

    /// The lead that the board holds proved is never above the true one.
    fn judge(&mut self, lease: u8, lead: Millis) {
        let left = self.server.left(self.now_ms).get(usize::from(lease)).copied().flatten();
        if lead > left.unwrap_or(Millis::ZERO) {
            self.overstated += 1;
        }
    }

    fn report(&self, extended: &[u32]) {
        let faults: u32 = self.script.counts.values().sum();
        println!(
            "{} leases, {} s, {} extensions, {faults} faults lived through ({} of them failures), \
             {} deep sleeps, {} wakes, {} lapses, {} leads above the true one",
            extended.len(),
            self.now_ms / 1_000,
            extended.iter().sum::<u32>(),
            self.script.failures(),
            self.deep_sleeps,
            self.wakes,
            self.lapses,
            self.overstated
        );
        println!("{:?}", self.script.counts);
    }
}
