//! Server policies by name, and what the authority makes of them.

use leasebeat_authority::{Policy, PolicyError, RateLimit, Settings};
use serde::{Deserialize, Serialize};

/// One server's policy, as `docs/AUTHORITY.md` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPolicy {
    /// The longest TTL a create is granted, in ms (A3).
    pub max_ttl_ms: Option<u64>,
    /// The most that one extension adds, in ms (A9).
    pub grant_clamp_ms: Option<u64>,
    /// How far an extension may move the expiry beyond now, in ms (A10).
    pub max_lead_ms: Option<u64>,
    /// Whether the maximum lead moves back an expiry that is beyond it (A10).
    pub shortens: bool,
    /// How many extensions a reservation is granted (A8).
    pub max_extensions: Option<u32>,
    /// Whether answers say what remains (A20).
    pub remaining_ttl: bool,
    /// So many requests in a window of so many ms (A21).
    pub rate_limit: Option<(u32, u64)>,
}

impl ServerPolicy {
    /// Adds what was asked for, as often as asked.
    pub const ADDITIVE: Self = Self {
        max_ttl_ms: None,
        grant_clamp_ms: None,
        max_lead_ms: None,
        shortens: false,
        max_extensions: None,
        remaining_ttl: true,
        rate_limit: None,
    };

    /// What the authority takes.
    ///
    /// # Errors
    /// A field out of its range.
    pub fn parse(&self) -> Result<Policy, PolicyError> {
        let defaults = Settings::default();
        Policy::new(Settings {
            max_ttl_ms: self.max_ttl_ms.unwrap_or(defaults.max_ttl_ms),
            max_extensions: self.max_extensions,
            grant_clamp_ms: self.grant_clamp_ms,
            max_lead_ms: self.max_lead_ms,
            max_lead_shortens: self.shortens,
            remaining_ttl: self.remaining_ttl,
            rate_limit: self.rate_limit.map(|(requests, window_ms)| RateLimit { requests, window_ms }),
            ..defaults
        })
    }
}

/// The policies that runs are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyKind {
    /// An extension adds what was asked for.
    Additive,
    /// One adds at most two thirds of the TTL.
    GrantClamp,
    /// The expiry is at most a TTL from now: an extension renews.
    MaxLead,
    /// Both.
    Both,
    /// Additive, by a server that does not say what remains.
    Fieldless,
    /// Maximum lead, by a server that does not say what remains.
    FieldlessMaxLead,
    /// Every answer comes from another server: any of these policies, with the field or without, one that shortens too.
    Mixed,
    /// The tenant's maximum TTL is half of what is asked for.
    Capped,
    /// Ten extensions and no more, as is the protocol's default.
    Limited,
    /// Four requests in ten seconds.
    RateLimited,
}

impl PolicyKind {
    /// Every one.
    pub const ALL: [Self; 10] = [
        Self::Additive,
        Self::GrantClamp,
        Self::MaxLead,
        Self::Both,
        Self::Fieldless,
        Self::FieldlessMaxLead,
        Self::Mixed,
        Self::Capped,
        Self::Limited,
        Self::RateLimited,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Additive => "additive",
            Self::GrantClamp => "grant-clamp",
            Self::MaxLead => "max-lead",
            Self::Both => "both",
            Self::Fieldless => "fieldless",
            Self::FieldlessMaxLead => "fieldless-max-lead",
            Self::Mixed => "mixed",
            Self::Capped => "capped",
            Self::Limited => "limited",
            Self::RateLimited => "rate-limited",
        }
    }

    /// Its servers, for leases of `ttl_ms`.
    #[must_use]
    pub fn fleet(self, ttl_ms: u64) -> Vec<ServerPolicy> {
        let additive = ServerPolicy::ADDITIVE;
        let grant = ServerPolicy { grant_clamp_ms: Some(ttl_ms * 2 / 3), ..additive };
        let lead = ServerPolicy { max_lead_ms: Some(ttl_ms), ..additive };
        let fieldless = |policy| ServerPolicy { remaining_ttl: false, ..policy };
        match self {
            Self::Additive => vec![additive],
            Self::GrantClamp => vec![grant],
            Self::MaxLead => vec![lead],
            Self::Both => vec![ServerPolicy { grant_clamp_ms: grant.grant_clamp_ms, ..lead }],
            Self::Fieldless => vec![fieldless(additive)],
            Self::FieldlessMaxLead => vec![fieldless(lead)],
            Self::Mixed => {
                let shortens = ServerPolicy { shortens: true, ..lead };
                vec![additive, grant, lead, shortens, fieldless(additive), fieldless(lead)]
            }
            Self::Capped => {
                let cap = Some((ttl_ms / 2).max(1_000));
                vec![ServerPolicy { max_ttl_ms: cap, max_lead_ms: cap, ..additive }]
            }
            Self::Limited => vec![ServerPolicy { max_extensions: Some(10), ..additive }],
            Self::RateLimited => vec![ServerPolicy { rate_limit: Some((4, 10_000)), ..lead }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_is_one_the_authority_takes() {
        for kind in PolicyKind::ALL {
            for ttl_ms in [1_000, 60_000, 86_400_000] {
                assert!(!kind.fleet(ttl_ms).is_empty());
                for policy in kind.fleet(ttl_ms) {
                    assert!(policy.parse().is_ok(), "{} {ttl_ms}", kind.name());
                }
            }
        }
    }
}
