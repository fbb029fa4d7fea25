//! What a program under QEMU and its peer on the host say to each other over the UART: postcard, a zero byte after each
//! message (COBS).

use leasebeat::{Decision, Event, Instant, Millis, Misuse, Operation, Outcome, Settings, Stats};
use serde::{Deserialize, Serialize};

use crate::board::{Exchange, Wake};

/// The longest message, framed.
pub const MESSAGE_MAX: usize = 2048;

/// What the program `keep` says.
#[derive(Debug, Serialize, Deserialize)]
pub enum FromModem<'a> {
    /// See [`Board::send`](crate::Board::send).
    Send {
        /// Whose request it is.
        exchange: Exchange,
        /// Its bytes.
        #[serde(borrow)]
        request: &'a [u8],
        /// When the modem gives up.
        timeout: Millis,
    },
    /// See [`Board::sleep`](crate::Board::sleep). Answered with [`Woke`].
    Sleep(Millis),
    /// See [`Board::log`](crate::Board::log).
    Log {
        /// Whose.
        lease: u8,
        /// What was decided.
        decision: Decision,
        /// What is proved.
        lead: Millis,
    },
    /// It is over: what each lease has come to.
    Done(Stats),
}

/// What the peer says to `keep`, once at the start and then after each sleep.
#[derive(Debug, Serialize, Deserialize)]
pub struct Woke<'a> {
    /// The counter now.
    pub ticks: u32,
    /// Why.
    #[serde(borrow)]
    pub wake: Wake<'a>,
}

/// What the peer asks of the program `replay`.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask<'a> {
    /// A new kernel. Answered with [`Said::Configured`].
    Configure(Settings),
    /// One event of a trace. Answered with [`Said::Decided`].
    Handle(Event, Instant),
    /// A raw answer. Answered with [`Said::Decoded`].
    Decode {
        /// What it answers.
        operation: Operation,
        /// Its status.
        status: u16,
        /// Its `Retry-After`.
        #[serde(borrow)]
        retry_after: Option<&'a [u8]>,
        /// Its body.
        #[serde(borrow)]
        body: &'a [u8],
        /// Rule W6.
        ignore_unknown_keys: bool,
    },
    /// That was all.
    End,
}

/// What `replay` answers.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub enum Said<'a> {
    /// There is a new kernel, or this is wrong with its settings.
    Configured(#[serde(borrow)] Result<(), &'a str>),
    /// What was decided, and all that can be read after it.
    Decided {
        /// What was decided.
        decision: Result<Decision, Misuse>,
        /// The kernel after it.
        view: View,
        /// The explanation, or nothing after a misuse.
        #[serde(borrow)]
        explanation: &'a str,
    },
    /// What an answer says.
    Decoded {
        /// For the kernel.
        outcome: Outcome,
        /// The reservation, written out.
        #[serde(borrow)]
        reservation: Option<&'a str>,
        /// The first thing that is wrong.
        problem: Option<&'a str>,
    },
}

/// All that can be read from a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // each is the kernel's method of that name
pub struct View {
    pub lead: Millis,
    pub fence: Option<Instant>,
    pub danger: Option<Instant>,
    pub next_deadline: Option<Instant>,
    pub stats: Stats,
}

impl View {
    /// What `heartbeat` says at `now`.
    #[must_use]
    pub fn of(heartbeat: &leasebeat::Heartbeat, now: Instant) -> Self {
        Self {
            lead: heartbeat.lead(now),
            fence: heartbeat.fence(),
            danger: heartbeat.danger(),
            next_deadline: heartbeat.next_deadline(),
            stats: heartbeat.stats(),
        }
    }
}

/// What a call took of the stack, in bytes, by [`Call`]; the worst so far. Follows each [`Said`].
pub type Stacks = [u16; Call::ALL.len()];

/// A call that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `Config::new` and `Heartbeat::new`
    Config,
    /// `Heartbeat::handle`
    Handle,
    /// `Heartbeat::tick`
    Tick,
    /// `lead`, `fence`, `danger`, `next_deadline`, `stats`
    View,
    /// `explain`, written as text
    Explain,
    /// `wire::decode`
    Decode,
}

impl Call {
    /// Every one there is.
    pub const ALL: [Self; 6] =
        [Self::Config, Self::Handle, Self::Tick, Self::View, Self::Explain, Self::Decode];

    /// As `benches/budgets.toml` names it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Handle => "handle",
            Self::Tick => "tick",
            Self::View => "view",
            Self::Explain => "explain",
            Self::Decode => "decode",
        }
    }
}
