//! What an operator sets for a tenant, parsed once: a [`Policy`] is never out of range.

use core::fmt;
use core::ops::RangeInclusive;

use leasebeat::Millis;

/// The TTL of a reservation, in ms.
pub const TTL_MS: RangeInclusive<u64> = 1_000..=86_400_000;
/// The grace period of a reservation, in ms.
pub const GRACE_MS: RangeInclusive<u64> = 0..=60_000;
/// What an extension may ask for, in ms.
pub const EXTEND_BY_MS: RangeInclusive<u64> = 1..=86_400_000;
/// The grace period of a create that names none.
pub const GRACE_DEFAULT_MS: u64 = 5_000;

/// Unchecked settings of one tenant. Parse them with [`Policy::new`].
///
/// ```
/// use leasebeat_authority::{Policy, Settings};
///
/// assert!(Policy::new(Settings::default()).is_ok());
/// let error = Policy::new(Settings { max_ttl_ms: 999, ..Settings::default() }).unwrap_err();
/// assert_eq!(error.to_string(), "max_ttl_ms is 999; it must be from 1000 to 86400000");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Settings {
    /// The TTL of a create that names none, in ms: 1,000 to 86,400,000, 60,000 by default (A2).
    pub default_ttl_ms: u64,
    /// The longest TTL a create is granted, in ms: 1,000 to 86,400,000 (A3).
    pub max_ttl_ms: u64,
    /// How many extensions a reservation is granted: 10 by default, `None` any number (A8).
    pub max_extensions: Option<u32>,
    /// The most that one extension adds, in ms: 1 to 86,400,000, or `None` (A9).
    pub grant_clamp_ms: Option<u64>,
    /// How far an extension may move the expiry beyond now, in ms: 1 to 86,400,000, or `None` (A10).
    pub max_lead_ms: Option<u64>,
    /// Whether the maximum lead moves back an expiry that is beyond it already (A10).
    pub max_lead_shortens: bool,
    /// Whether answers carry `remaining_ttl_ms`; older servers leave it out (A20).
    pub remaining_ttl: bool,
    /// How many requests are let through, or `None` for all (A21).
    pub rate_limit: Option<RateLimit>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            default_ttl_ms: 60_000,
            max_ttl_ms: *TTL_MS.end(),
            max_extensions: Some(10),
            grant_clamp_ms: None,
            max_lead_ms: None,
            max_lead_shortens: false,
            remaining_ttl: true,
            rate_limit: None,
        }
    }
}

/// So many requests in each window of time (A21).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateLimit {
    /// Requests that a window lets through: 1 or more.
    pub requests: u32,
    /// The window, in ms: 1 to 86,400,000.
    pub window_ms: u64,
}

/// A tenant's policy, in range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Policy(Settings);

impl Policy {
    /// Checks `settings`.
    ///
    /// # Errors
    /// The first field that is out of its range.
    pub fn new(settings: Settings) -> Result<Self, PolicyError> {
        check("default_ttl_ms", settings.default_ttl_ms, TTL_MS)?;
        check("max_ttl_ms", settings.max_ttl_ms, TTL_MS)?;
        check_if_set("grant_clamp_ms", settings.grant_clamp_ms, EXTEND_BY_MS)?;
        check_if_set("max_lead_ms", settings.max_lead_ms, EXTEND_BY_MS)?;
        if let Some(limit) = settings.rate_limit {
            check("rate_limit.requests", limit.requests.into(), 1..=u32::MAX.into())?;
            check("rate_limit.window_ms", limit.window_ms, EXTEND_BY_MS)?;
        }
        Ok(Self(settings))
    }

    /// What was set.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.0
    }

    /// A2, A3: the TTL that a request for `ttl_ms` is granted.
    pub(crate) fn granted_ttl(&self, ttl_ms: Option<u64>) -> Millis {
        Millis::new(ttl_ms.unwrap_or(self.0.default_ttl_ms).min(self.0.max_ttl_ms))
    }
}

/// A setting that is out of its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyError {
    /// Which.
    pub field: &'static str,
    /// What it was.
    pub value: u64,
    /// What it may be.
    pub range: RangeInclusive<u64>,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (least, most) = (self.range.start(), self.range.end());
        write!(f, "{} is {}; it must be from {least} to {most}", self.field, self.value)
    }
}

impl core::error::Error for PolicyError {}

fn check(field: &'static str, value: u64, range: RangeInclusive<u64>) -> Result<(), PolicyError> {
    if range.contains(&value) { Ok(()) } else { Err(PolicyError { field, value, range }) }
}

fn check_if_set(
    field: &'static str,
    value: Option<u64>,
    range: RangeInclusive<u64>,
) -> Result<(), PolicyError> {
    value.map_or(Ok(()), |value| check(field, value, range))
}
