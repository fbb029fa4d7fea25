//! What goes wrong, in an order that is always the same.

/// What happens to a request and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// Lost before the server saw it.
    LostBefore,
    /// Applied; the answer is lost.
    LostAfter,
    /// Applied; the answer takes two seconds.
    Slow,
    /// Applied; the answer comes after the modem has given up.
    Late,
    /// A 503, not applied.
    Unavailable,
    /// A 503 from a gateway, applied behind it.
    UnavailableAfter,
    /// A 429 with a Retry-After of 1 s.
    Throttled,
    /// Applied; half of the body arrives.
    Cut,
    /// Applied; the connection breaks.
    Reset,
}

impl Fault {
    const ALL: [Self; 9] = [
        Self::LostBefore,
        Self::LostAfter,
        Self::Slow,
        Self::Late,
        Self::Unavailable,
        Self::UnavailableAfter,
        Self::Throttled,
        Self::Cut,
        Self::Reset,
    ];

    /// Whether the server sees the request.
    pub(crate) fn applies(self) -> bool {
        !matches!(self, Self::LostBefore | Self::Unavailable | Self::Throttled)
    }

    /// Whether the kernel is told of a failure.
    pub(crate) fn fails(self) -> bool {
        self != Self::Slow
    }
}

/// Which first attempts are spoiled: two of three, by every fault in turn. The retry of each goes through, for that
/// is what the reserve is for.
#[derive(Debug, Default)]
pub(crate) struct Script {
    asked: usize,
    /// How often each happened.
    pub(crate) counts: std::collections::BTreeMap<Fault, u32>,
}

impl Script {
    /// What happens to the next first attempt.
    pub(crate) fn next(&mut self) -> Option<Fault> {
        self.asked += 1;
        if self.asked.is_multiple_of(3) {
            return None;
        }
        // Every third one is whole, so 9 faults and 4 leases never fall into step.
        let fault = Fault::ALL[(self.asked - self.asked / 3) % Fault::ALL.len()];
        *self.counts.entry(fault).or_default() += 1;
        Some(fault)
    }

    /// How many failures it caused.
    pub(crate) fn failures(&self) -> u32 {
        self.counts.iter().filter(|(fault, _)| fault.fails()).map(|(_, count)| count).sum()
    }

    /// Whether each happened.
    pub(crate) fn is_spent(&self) -> bool {
        self.counts.len() == Fault::ALL.len()
    }
}
