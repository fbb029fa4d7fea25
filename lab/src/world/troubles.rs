//! Troubles as they come: partitions, brownouts, throttling, sleep, and clocks that step back.

use super::host::Phase;
use super::{MS, World};
use crate::scenario::Trouble;
use crate::strategy::Strategy;

impl<S: Strategy> World<S> {
    /// The next trouble has come.
    #[cold]
    pub(super) fn trouble(&mut self) {
        let trouble = self.troubles.take();
        self.next_trouble_ns = self.troubles.next_ns();
        let Some(trouble) = trouble else { return };
        self.tally.counts.trouble(trouble);
        if let Some(happened) = &mut self.happened {
            happened.troubles.push((self.now_ns, trouble));
        }
        let now_ns = self.now_ns;
        let until = |ms: u64| now_ns.saturating_add(ms.saturating_mul(MS));
        match trouble {
            Trouble::Partition { ms } => {
                self.cut_until_ns = self.cut_until_ns.max(until(ms));
                self.outage();
            }
            Trouble::Brownout { ms } => {
                self.brownout_until_ns = self.brownout_until_ns.max(until(ms));
                self.outage();
            }
            Trouble::Throttling { ms, retry_after_s } => {
                self.throttled_until_ns = self.throttled_until_ns.max(until(ms));
                self.throttled_for = retry_after_s;
                self.outage();
            }
            Trouble::Suspend { host, ms, counted, told } => {
                self.suspend(host.into(), until(ms), counted, told);
            }
            Trouble::StepBack { host, us } => {
                if let Some(host) = self.hosts.get_mut(usize::from(host)) {
                    host.clock.step_back(now_ns, us.saturating_mul(1_000));
                    host.strategy.distrust(now_ns);
                    // A timer runs on, whatever the clock says.
                }
            }
        }
    }

    fn outage(&mut self) {
        let met = self.hosts.iter().any(|host| host.phase == Phase::Working && host.lease.since_ns.is_some());
        self.tally.outages += u64::from(met);
    }

    fn suspend(&mut self, index: usize, until_ns: u64, counted: bool, told: bool) {
        let Some(host) = self.hosts.get_mut(index) else { return };
        // One at a time.
        if self.now_ns < host.asleep_until_ns {
            return;
        }
        (host.asleep_from_ns, host.asleep_until_ns) = (self.now_ns, until_ns);
        if !counted {
            host.clock.stand_still(self.now_ns, until_ns);
        }
        host.to_be_told = told && host.phase != Phase::Between;
        if !counted && !told {
            host.strategy.distrust(until_ns);
        }
        host.next_ns = host.due().0;
    }
}
