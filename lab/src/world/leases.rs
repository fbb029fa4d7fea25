//! A lease's life as the host sees it, and what is counted when it ends.

use leasebeat::{Millis, Operation, Outcome};
use leasebeat_authority::ReservationId;
use rand_distr::{Distribution, Exp1};

use super::host::{Flight, Lease, NEVER, Phase};
use super::network::key;
use super::server::Request;
use super::{MS, World, count_unknowing};
use crate::strategy::{End, Strategy};

/// How long a host waits before it begins with another lease.
const PAUSE_NS: u64 = 30_000 * MS;

impl<S: Strategy> World<S> {
    /// A host begins with another lease.
    pub(super) fn begin(&mut self, index: usize) {
        let host = &mut self.hosts[index];
        host.leases += 1;
        host.flights.clear();
        host.last_id = 0;
        host.strategy = host.strategy.fresh(host.leases);
        let reservation = ReservationId(key(index, host.leases, u64::MAX).0);
        host.lease = Lease {
            reservation,
            since_ns: None,
            expires_ns: NEVER,
            done_ns: NEVER,
            counted_to_ns: 0,
            unknowing_ns: 0,
        };
        if !self.scenario.adopts {
            host.phase = Phase::Working;
            let (now, truth) = (host.clock.read(self.now_ns), host.truth(self.now_ns));
            if let Some(step) = host.strategy.begin(now, &truth) {
                self.tally.events += 1;
                self.follow(index, &step);
                return;
            }
        }
        let host = &mut self.hosts[index];
        host.phase = Phase::Creating;
        host.wake_ns = NEVER;
        let request = Request {
            reservation,
            key: key(index, host.leases, 0),
            operation: Operation::Create,
            extend_by: Millis::new(self.scenario.settings.extend_by_ms),
        };
        self.tally.requests += 1;
        self.launch(index, 0, request, None);
    }

    /// The create of a host that hands its lease in has been answered.
    pub(super) fn created(&mut self, index: usize, flight: &Flight, outcome: Outcome) {
        let Outcome::Created(success) = outcome else {
            self.rest(index);
            self.tally.not_granted += 1;
            return;
        };
        self.hosts[index].phase = Phase::Working;
        self.work(index);
        let (sent, sent_ns) = (flight.sent, flight.sent_ns);
        self.call(index, |strategy, now, truth| strategy.adopt(success, sent, sent_ns, now, truth));
    }

    /// The work begins, and with it the time it takes.
    pub(super) fn work(&mut self, index: usize) {
        let host = &mut self.hosts[index];
        if self.scenario.work_ms > 0 {
            let unit: f64 = Exp1.sample(&mut host.random);
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
            // a float cast saturates
            let length_ms = (unit * self.scenario.work_ms as f64) as u64;
            host.lease.done_ns = self.now_ns.saturating_add(length_ms.saturating_mul(MS)).max(1);
        }
    }

    /// The work is done: the host closes the strategy and releases the lease.
    pub(super) fn done(&mut self, index: usize) {
        let host = &mut self.hosts[index];
        host.lease.done_ns = NEVER;
        if host.phase != Phase::Working {
            return;
        }
        if self.now_ns >= host.lease.expires_ns {
            count_unknowing(host, self.now_ns);
        }
        let (now, truth) = (host.clock.read(self.now_ns), host.truth(self.now_ns));
        self.tally.events += 1;
        host.strategy.close(now, &truth);
        self.over(index, End::Closed);
    }

    /// The strategy has ended by itself.
    pub(super) fn ended(&mut self, index: usize, end: End) {
        self.over(index, end);
    }

    /// Counts a lease that is over for its host, and releases it.
    fn over(&mut self, index: usize, end: End) {
        let host = &mut self.hosts[index];
        let lease = host.lease;
        match lease.since_ns {
            None => self.tally.not_granted += 1,
            Some(since_ns) => {
                self.tally.leases += 1;
                self.tally.lease_ns += u128::from(self.now_ns - since_ns);
                self.tally.unknowing_ns += lease.unknowing_ns;
                self.tally.unknowing_max_ns = self.tally.unknowing_max_ns.max(lease.unknowing_ns);
                let expired = self.now_ns >= lease.expires_ns;
                match end {
                    End::Closed if !expired => self.tally.done += 1,
                    End::Refused if !expired => self.tally.refused += 1,
                    _ => {
                        self.tally.lapses += 1;
                        self.tally.unnoticed += u64::from(lease.unknowing_ns > 0);
                    }
                }
                let leases = host.leases;
                self.server.release(
                    lease.reservation,
                    key(index, leases, u64::from(u32::MAX) + 1),
                    self.now_ns,
                );
            }
        }
        self.rest(index);
    }

    pub(super) fn rest(&mut self, index: usize) {
        let host = &mut self.hosts[index];
        host.phase = Phase::Between;
        host.flights.clear();
        host.wake_ns = self.now_ns + PAUSE_NS;
        host.lease.done_ns = NEVER;
        host.to_be_told = false;
    }

    /// The horizon: leases that are still held are counted as far as they came.
    pub(super) fn conclude(&mut self) {
        for index in 0..self.hosts.len() {
            let host = &mut self.hosts[index];
            let Some(since_ns) = host.lease.since_ns.filter(|_| host.phase == Phase::Working) else {
                continue;
            };
            if self.now_ns >= host.lease.expires_ns {
                count_unknowing(host, self.now_ns);
                self.over(index, End::Closed);
                continue;
            }
            self.tally.leases += 1;
            self.tally.done += 1;
            self.tally.lease_ns += u128::from(self.now_ns - since_ns);
        }
    }
}
