//! What a host sets, parsed once: a [`Config`] is never invalid.

use core::fmt::Write;

use crate::time::{Millis, Nanos};
use crate::words::{Line, Words};

/// The longest extension the protocol allows, and the longest lease: 24 hours.
pub(crate) const EXTEND_BY_MAX_MS: u64 = 86_400_000;
const CLOCK_RESOLUTION_MAX_NS: u64 = 10_000_000_000;

/// What the host wants where a success carries no `remaining_ttl_ms` (F1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Fallback {
    /// Measure grants and beat on a best effort (F2–F7). Nothing is proved, so the kernel prefers to over-beat.
    #[default]
    Band,
    /// Stop with [`StopReason::RemainingTtlAbsent`](crate::StopReason): proof or nothing.
    Refuse,
}

/// Unchecked settings. Parse them with [`Config::new`].
///
/// ```
/// use leasebeat::{Config, Settings};
///
/// let settings = Settings { request_timeout_ms: Some(10_000), ..Settings::new(60_000) };
/// assert!(Config::new(settings).is_ok());
///
/// let error = Config::new(Settings::new(0)).unwrap_err();
/// assert_eq!(error.to_string(), "extend_by_ms is 0; it must be from 1 to 86400000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Settings {
    /// How much each extension asks for, in ms: 1 to 86,400,000. Usually the TTL the lease was created with.
    pub extend_by_ms: u64,
    /// How long one whole attempt may take until its failure is reported, in ms: 1 or more. `None` is unknown:
    /// then no delay can be proved safe, and the primary path stops soon (P3, P5).
    ///
    /// It bounds connect, write, read **and noticing the failure**, late timers included, so a host enforces
    /// less than this on the wire. One that enforces exactly this has used up the reserve by the time it
    /// reports a timeout, and is told to stop (R2) rather than to retry. On a coarse clock leave one
    /// `clock_resolution_ns` more: what is measured may be that much longer.
    #[cfg_attr(feature = "serde", serde(default))]
    pub request_timeout_ms: Option<u64>,
    /// By how much two readings of the host's clock may understate the time between them, in ns: 0 to
    /// 10,000,000,000 (T3). Set it to one tick of a coarse clock.
    #[cfg_attr(feature = "serde", serde(default))]
    pub clock_resolution_ns: u64,
    /// The longest wait the host's timer can take, in ms: 1 or more. Longer waits are cut to it and re-armed.
    #[cfg_attr(feature = "serde", serde(default))]
    pub max_wait_ms: Option<u64>,
    /// What to do with a server that does not say how long the lease still lives.
    #[cfg_attr(feature = "serde", serde(default))]
    pub fallback: Fallback,
}

impl Settings {
    /// Settings with the one required value and every default.
    #[must_use]
    pub const fn new(extend_by_ms: u64) -> Self {
        Self {
            extend_by_ms,
            request_timeout_ms: None,
            clock_resolution_ns: 0,
            max_wait_ms: None,
            fallback: Fallback::Band,
        }
    }
}

/// Settings that were found in range. 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Settings", into = "Settings")
)]
pub struct Config {
    /// [`Millis::MAX`] where it is unknown, which is what P3 computes with; `timed` tells the two apart.
    request_timeout: Millis,
    /// [`Millis::MAX`] where there is no cap: the two mean the same.
    max_wait: Millis,
    clock_resolution_ns: u64,
    extend_by_ms: u32,
    /// The resolution rounded up to ms, at most 10,000: kept, so that no decision divides for it.
    resolution_ms: u16,
    timed: bool,
    fallback: Fallback,
}

impl Config {
    /// Parses `settings`.
    ///
    /// # Errors
    /// [`ConfigError`] names the first field out of range, its value and the range.
    #[allow(clippy::cast_possible_truncation)] // both are in range by then: 86,400,000 and 10,000 at most
    pub const fn new(settings: Settings) -> Result<Self, ConfigError> {
        let Settings { extend_by_ms, request_timeout_ms, clock_resolution_ns, max_wait_ms, fallback } =
            settings;
        if let Some(error) = ConfigField::ExtendByMs.refuses(Some(extend_by_ms)) {
            return Err(error);
        }
        if let Some(error) = ConfigField::RequestTimeoutMs.refuses(request_timeout_ms) {
            return Err(error);
        }
        if let Some(error) = ConfigField::ClockResolutionNs.refuses(Some(clock_resolution_ns)) {
            return Err(error);
        }
        if let Some(error) = ConfigField::MaxWaitMs.refuses(max_wait_ms) {
            return Err(error);
        }
        Ok(Self {
            request_timeout: or_max(request_timeout_ms),
            max_wait: or_max(max_wait_ms),
            clock_resolution_ns,
            extend_by_ms: extend_by_ms as u32,
            resolution_ms: Nanos(clock_resolution_ns).ceil().get() as u16,
            timed: request_timeout_ms.is_some(),
            fallback,
        })
    }

    /// How much each extension asks for.
    #[must_use]
    pub const fn extend_by(&self) -> Millis {
        Millis::new(self.extend_by_ms as u64)
    }

    pub(crate) const fn extend_by_ms(&self) -> u32 {
        self.extend_by_ms
    }

    /// The enforced bound of one attempt, where it is known.
    #[must_use]
    pub fn request_timeout(&self) -> Option<Millis> {
        self.timed.then_some(self.request_timeout)
    }

    /// By how much a measured difference may understate, in ns (T3).
    #[must_use]
    pub const fn clock_resolution_ns(&self) -> u64 {
        self.clock_resolution_ns
    }

    /// The cap of every bounded wait, where there is one. One of `u64::MAX` ms caps nothing.
    #[must_use]
    pub fn max_wait(&self) -> Option<Millis> {
        Some(self.max_wait).filter(|most| *most < Millis::MAX)
    }

    /// P3: the request timeout, infinite where it is unknown.
    pub(crate) const fn timeout_or_infinity(&self) -> Millis {
        self.request_timeout
    }

    pub(crate) fn cap(&self, wait: Millis) -> Millis {
        wait.min(self.max_wait)
    }

    /// What happens where `remaining_ttl_ms` is absent.
    #[must_use]
    pub const fn fallback(&self) -> Fallback {
        self.fallback
    }

    pub(crate) const fn resolution(&self) -> Nanos {
        Nanos(self.clock_resolution_ns)
    }

    pub(crate) const fn resolution_ceil(&self) -> Millis {
        Millis::new(self.resolution_ms as u64)
    }
}

impl TryFrom<Settings> for Config {
    type Error = ConfigError;

    fn try_from(settings: Settings) -> Result<Self, ConfigError> {
        Self::new(settings)
    }
}

impl From<Config> for Settings {
    fn from(config: Config) -> Self {
        Self {
            extend_by_ms: config.extend_by().get(),
            request_timeout_ms: config.request_timeout().map(Millis::get),
            clock_resolution_ns: config.clock_resolution_ns,
            max_wait_ms: config.max_wait().map(Millis::get),
            fallback: config.fallback,
        }
    }
}

/// A field of [`Settings`] that has a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConfigField {
    /// `extend_by_ms`
    ExtendByMs,
    /// `request_timeout_ms`
    RequestTimeoutMs,
    /// `clock_resolution_ns`
    ClockResolutionNs,
    /// `max_wait_ms`
    MaxWaitMs,
}

impl ConfigField {
    /// The field's name, as in [`Settings`] and in a trace.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ExtendByMs => "extend_by_ms",
            Self::RequestTimeoutMs => "request_timeout_ms",
            Self::ClockResolutionNs => "clock_resolution_ns",
            Self::MaxWaitMs => "max_wait_ms",
        }
    }

    /// The values it may have.
    #[must_use]
    pub const fn range(self) -> core::ops::RangeInclusive<u64> {
        match self {
            Self::ExtendByMs => 1..=EXTEND_BY_MAX_MS,
            Self::RequestTimeoutMs | Self::MaxWaitMs => 1..=u64::MAX,
            Self::ClockResolutionNs => 0..=CLOCK_RESOLUTION_MAX_NS,
        }
    }

    /// The error of a value that is given and out of range.
    const fn refuses(self, value: Option<u64>) -> Option<ConfigError> {
        let range = self.range();
        match value {
            Some(value) if value < *range.start() || value > *range.end() => {
                Some(ConfigError { field: self, value })
            }
            _ => None,
        }
    }
}

const fn or_max(ms: Option<u64>) -> Millis {
    match ms {
        Some(ms) => Millis::new(ms),
        None => Millis::MAX,
    }
}

/// A setting out of its range. Its `Display` says which, what it was and what it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ConfigError {
    /// The field that is out of range.
    pub field: ConfigField,
    /// The value it had.
    pub value: u64,
}

written!(ConfigError);

impl Words for ConfigError {
    fn say<W: Write + ?Sized>(&self, line: &mut Line<'_, W>) {
        let range = self.field.range();
        line.text(self.field.name()).text(" is ").number(self.value).text("; it must be from ");
        line.number(*range.start()).text(" to ").number(*range.end());
    }
}

impl core::error::Error for ConfigError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn accepts(settings: Settings) {
        assert_eq!(Config::new(settings).map(Settings::from), Ok(settings));
    }

    #[track_caller]
    fn refuses(settings: Settings, field: ConfigField, value: u64) {
        assert_eq!(Config::new(settings), Err(ConfigError { field, value }));
        assert!(!field.range().contains(&value));
    }

    #[test]
    fn every_range_ends_where_it_says() {
        refuses(Settings::new(0), ConfigField::ExtendByMs, 0);
        accepts(Settings::new(1));
        accepts(Settings::new(86_400_000));
        refuses(Settings::new(86_400_001), ConfigField::ExtendByMs, 86_400_001);

        let timeout = |ms| Settings { request_timeout_ms: Some(ms), ..Settings::new(1) };
        refuses(timeout(0), ConfigField::RequestTimeoutMs, 0);
        accepts(timeout(1));
        accepts(timeout(u64::MAX));

        let resolution = |ns| Settings { clock_resolution_ns: ns, ..Settings::new(1) };
        accepts(resolution(0));
        accepts(resolution(10_000_000_000));
        refuses(resolution(10_000_000_001), ConfigField::ClockResolutionNs, 10_000_000_001);

        let max_wait = |ms| Settings { max_wait_ms: Some(ms), ..Settings::new(1) };
        refuses(max_wait(0), ConfigField::MaxWaitMs, 0);
        accepts(max_wait(1));
        accepts(max_wait(u64::MAX - 1));
        assert_eq!(Config::new(max_wait(u64::MAX)), Config::new(Settings::new(1)), "caps nothing");
        accepts(Settings { fallback: Fallback::Refuse, ..Settings::new(1) });
    }

    #[test]
    fn a_config_says_what_it_was_made_of() {
        let config = Config::new(Settings { clock_resolution_ns: 16, ..Settings::new(60_000) });
        assert_eq!(config.map(|config| config.clock_resolution_ns()), Ok(16));
        assert_eq!(config.map(|config| config.extend_by()), Ok(Millis::new(60_000)));
    }

    #[test]
    fn an_error_names_the_field_the_value_and_the_range() {
        let text = |field| std::format!("{}", ConfigError { field, value: 0 });
        assert_eq!(
            text(ConfigField::RequestTimeoutMs),
            "request_timeout_ms is 0; it must be from 1 to 18446744073709551615"
        );
        assert_eq!(
            text(ConfigField::ClockResolutionNs),
            "clock_resolution_ns is 0; it must be from 0 to 10000000000"
        );
        assert_eq!(
            text(ConfigField::MaxWaitMs),
            "max_wait_ms is 0; it must be from 1 to 18446744073709551615"
        );
    }
}
