//! What happens to messages: how long they take, what is lost, and what the server makes of them.

use leasebeat::{Failure, Millis, Operation, Outcome};
use leasebeat_authority::Digest;

use super::host::{FLIGHTS, Flight, Phase, Stage};
use super::random::{Concern, fate};
use super::server::{Reply, Request, http};
use super::{MS, World};
use crate::scenario::Mishap;
use crate::strategy::{Answer, Send, Strategy};

/// Messages sent within so many bits of a nanosecond share a fate: 17 ms, so that a retry has another one.
const MOMENT_BITS: u32 = 24;

impl<S: Strategy> World<S> {
    /// A strategy's request leaves.
    pub(super) fn send(&mut self, index: usize, send: &Send) {
        self.tally.requests += 1;
        if self.now_ns < self.cut_until_ns.max(self.brownout_until_ns).max(self.throttled_until_ns) {
            self.tally.outage_requests += 1;
        }
        let host = &mut self.hosts[index];
        host.attempts = host.attempts.saturating_add(1);
        host.last_id = send.id;
        let attempt = host.attempts;
        let request = Request {
            reservation: host.lease.reservation,
            key: key(index, host.leases, send.key_generation.into()),
            operation: send.operation,
            extend_by: send.extend_by,
        };
        self.launch(index, send.id, request, Some(attempt));
    }

    /// A message leaves. One without a number is not harmed: the create of a host that hands its lease in.
    pub(super) fn launch(&mut self, index: usize, id: u32, request: Request, attempt: Option<u32>) {
        let moment = (self.now_ns >> MOMENT_BITS) << 6 | index as u64;
        let chance = fate(self.scenario.seed, Concern::Fate, moment);
        #[allow(clippy::cast_possible_truncation)] // 32 bits for each way
        let (there, back) = ((chance >> 32) as u32, (chance >> 16) as u32 ^ chance as u32);
        #[allow(clippy::cast_possible_truncation)] // at most 64 hosts
        let host = index as u16;
        let mishap = attempt.and_then(|attempt| {
            let mishap = self.mishaps.of(host, attempt, chance)?;
            self.tally.counts.mishap(mishap);
            if let Some(happened) = &mut self.happened {
                happened.mishaps.push((host, attempt, mishap));
            }
            Some(mishap)
        });
        let mut back_ns = self.delays.at(back);
        if let Some(Mishap::Late { by_ms }) = mishap {
            back_ns += u64::from(by_ms) * MS;
        }
        if mishap == Some(Mishap::LostRequest) {
            return;
        }
        let host = &mut self.hosts[index];
        if host.flights.len() == FLIGHTS {
            self.tally.counts.crowded += 1;
            return;
        }
        host.flights.push(Flight {
            at_ns: self.now_ns + self.delays.at(there),
            stage: Stage::Request(request),
            id,
            sent: host.clock.read(self.now_ns),
            sent_ns: self.now_ns,
            back_ns,
            mishap,
        });
    }

    /// A message arrives, at the server or back at its host.
    #[inline]
    pub(super) fn arrive(&mut self, index: usize, flight: usize) {
        let arrived = self.hosts[index].flights.swap_remove(flight);
        let creates_itself = self.hosts[index].phase == Phase::Creating;
        if self.now_ns < self.cut_until_ns && !creates_itself {
            self.tally.counts.cut_off += 1;
            return;
        }
        match arrived.stage {
            Stage::Request(request) => {
                let Some(outcome) = self.serve(index, &request, arrived.mishap) else { return };
                let at_ns = self.now_ns + arrived.back_ns;
                self.hosts[index].flights.push(Flight { at_ns, stage: Stage::Answer(outcome), ..arrived });
            }
            Stage::Answer(outcome) => self.deliver(index, &arrived, outcome),
        }
    }

    /// The server's side; `None` where nothing comes back.
    #[inline]
    fn serve(&mut self, index: usize, request: &Request, mishap: Option<Mishap>) -> Option<Outcome> {
        let creates_itself = self.hosts[index].phase == Phase::Creating;
        if let Some(outcome) = self.unwell(mishap).filter(|_| !creates_itself) {
            return Some(outcome);
        }
        let (seed, now_ns) = (self.scenario.seed, self.now_ns);
        let chance = || fate(seed, Concern::Fleet, now_ns);
        let Reply { outcome, expires_ns } = self.server.answer(request, chance, now_ns);
        if let Some(expires_ns) = expires_ns {
            self.applied(index, request.operation, expires_ns);
        }
        match mishap {
            Some(Mishap::LostAnswer) => None,
            Some(Mishap::Reset { .. }) => Some(Outcome::Failed(Failure::Connection)),
            Some(Mishap::Malformed) => Some(Outcome::Failed(Failure::Ambiguous)),
            Some(Mishap::Unavailable { .. }) => Some(http(503, None, None)),
            _ => Some(outcome),
        }
    }

    /// What is answered before the rules are even looked at.
    #[inline]
    fn unwell(&self, mishap: Option<Mishap>) -> Option<Outcome> {
        let throttled = |seconds: Option<u32>| {
            let code = leasebeat::ErrorCode::LimitExceeded;
            Some(http(429, Some(code), seconds.map(|seconds| Millis::new(u64::from(seconds) * 1_000))))
        };
        match mishap {
            Some(Mishap::Reset { applied: false }) => Some(Outcome::Failed(Failure::Connection)),
            Some(Mishap::Unavailable { applied: false }) => Some(http(503, None, None)),
            Some(Mishap::Throttled { retry_after_s }) => throttled(retry_after_s),
            _ if self.now_ns < self.brownout_until_ns => Some(http(503, None, None)),
            _ if self.now_ns < self.throttled_until_ns => throttled(self.throttled_for),
            _ => None,
        }
    }

    /// The server has granted or moved the lease.
    #[inline]
    fn applied(&mut self, index: usize, operation: Operation, expires_ns: u64) {
        let lease = &mut self.hosts[index].lease;
        if operation == Operation::Create {
            lease.since_ns = Some(self.now_ns);
            if self.hosts[index].phase == Phase::Working {
                self.work(index);
            }
        } else {
            self.tally.extensions += 1;
        }
        let lease = &mut self.hosts[index].lease;
        let before_ns = std::mem::replace(&mut lease.expires_ns, expires_ns);
        if before_ns != super::NEVER && expires_ns < before_ns {
            // The server has taken back what it granted (A10).
            self.hosts[index].strategy.distrust(self.now_ns);
        }
    }

    #[inline]
    fn deliver(&mut self, index: usize, flight: &Flight, outcome: Outcome) {
        if self.hosts[index].phase == Phase::Creating {
            self.created(index, flight, outcome);
            return;
        }
        self.tally.counts.stale += u64::from(flight.id != self.hosts[index].last_id);
        let answer = Answer { id: flight.id, outcome, sent: flight.sent };
        self.call(index, |strategy, now, truth| strategy.answer(&answer, now, truth));
    }
}

/// The idempotency key of a host's lease with this number: spread over all bits, as digests are.
pub(super) fn key(host: usize, lease: u64, generation: u64) -> Digest {
    let low = (host as u64) << 58 ^ lease << 28 ^ generation;
    Digest(u128::from(fate(low, Concern::Host, 0)) << 64 | u128::from(low))
}
