//! The bodies of the protocol, as its schema has them. Requests are read as strictly as answers are: no unknown
//! key, none missing, none twice, no null, no number of another form or out of its range.

use std::collections::BTreeMap;

use leasebeat_authority::{Amount as Sum, Overage, Unit as SumUnit};
use serde::{Deserialize, Serialize};

use super::scalar::{Count, Int64, Text, Whole, present};

/// Any object.
pub(crate) type Object = serde_json::Map<String, serde_json::Value>;

/// Declares a body: no unknown keys, and optional keys that are left out when absent.
macro_rules! body {
    ($(#[$meta:meta])* $name:ident { $($required:ident: $type:ty,)* } optional { $($optional:ident: $inner:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $(pub(crate) $required: $type,)*
            $(
                #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
                pub(crate) $optional: Option<$inner>,
            )*
        }
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[value(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Unit {
    UsdMicrocents,
    Tokens,
    Credits,
    RiskPoints,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Verdict {
    Allow,
    AllowWithCaps,
    Deny,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum OveragePolicy {
    Reject,
    AllowIfAvailable,
    AllowWithOverdraft,
}

body! { Amount { unit: Unit, amount: Whole, } optional {} }
body! { Action { kind: Text<0, 64>, name: Text<0, 256>, } optional { tags: Vec<Text<0, 64>>, } }
body! {
    #[derive(Default)]
    Subject {} optional {
        tenant: Text<0, 128>, workspace: Text<0, 128>, app: Text<0, 128>, workflow: Text<0, 128>,
        agent: Text<0, 128>, toolset: Text<0, 128>, dimensions: BTreeMap<String, Text<0, 256>>,
    }
}
body! {
    Metrics {} optional {
        tokens_input: Count, tokens_output: Count, latency_ms: Count, model_version: Text<0, 128>, custom: Object,
    }
}
body! {
    /// `ReservationCreateRequest`
    CreateRequest { idempotency_key: Text<1, 256>, subject: Subject, action: Action, estimate: Amount, } optional {
        ttl_ms: Whole, grace_period_ms: Whole, overage_policy: OveragePolicy, dry_run: bool, metadata: Object,
    }
}
body! {
    /// `ReservationExtendRequest`
    ExtendRequest { idempotency_key: Text<1, 256>, extend_by_ms: Whole, } optional { metadata: Object, }
}
body! {
    /// `CommitRequest`
    CommitRequest { idempotency_key: Text<1, 256>, actual: Amount, } optional {
        metrics: Metrics, metadata: Object,
    }
}
body! {
    /// `ReleaseRequest`
    ReleaseRequest { idempotency_key: Text<1, 256>, } optional { reason: Text<0, 256>, }
}
body! {
    /// `EventCreateRequest`
    EventRequest { idempotency_key: Text<1, 256>, subject: Subject, action: Action, actual: Amount, } optional {
        overage_policy: OveragePolicy, metrics: Metrics, client_time_ms: Whole, metadata: Object,
    }
}
body! {
    /// `ReservationCreateResponse`, as this server writes it
    CreateResponse { decision: Verdict, affected_scopes: Vec<String>, } optional {
        reservation_id: String, reserved: Amount, expires_at_ms: Int64, remaining_ttl_ms: Int64,
        scope_path: String, reason_code: String,
    }
}
body! {
    /// `ReservationExtendResponse`, as this server writes it
    ExtendResponse { status: String, expires_at_ms: Int64, } optional { remaining_ttl_ms: Int64, }
}
body! {
    /// `CommitResponse`, as this server writes it
    CommitResponse { status: String, charged: Amount, } optional { released: Amount, }
}
body! {
    /// `ReleaseResponse`, as this server writes it
    ReleaseResponse { status: String, released: Amount, } optional {}
}
body! {
    /// `EventCreateResponse`, as this server writes it
    EventResponse { status: String, event_id: String, } optional { charged: Amount, }
}
body! {
    /// `ReservationDetail`, as this server writes it
    Detail {
        reservation_id: String, status: String, subject: Subject, action: Action, reserved: Amount,
        created_at_ms: Int64, expires_at_ms: Int64, scope_path: String, affected_scopes: Vec<String>,
    } optional {
        idempotency_key: Text<1, 256>, committed: Amount, finalized_at_ms: Int64, metadata: Object,
        committed_metadata: Object,
    }
}
body! {
    /// `ErrorResponse`, as this server writes it
    ErrorResponse { error: String, message: String, request_id: String, trace_id: String, } optional {
        details: Object,
    }
}

impl Subject {
    /// The levels that are given, in the protocol's order.
    fn levels(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("tenant", &self.tenant),
            ("workspace", &self.workspace),
            ("app", &self.app),
            ("workflow", &self.workflow),
            ("agent", &self.agent),
            ("toolset", &self.toolset),
        ]
        .into_iter()
        .filter_map(|(level, name)| Some((level, name.as_ref()?.as_str())))
    }

    /// What the schema says and its types cannot.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.levels().next().is_none() {
            return Err("subject: it must name a tenant, workspace, app, workflow, agent or toolset".into());
        }
        match self.dimensions.as_ref().map_or(0, BTreeMap::len) {
            0..=16 => Ok(()),
            count => Err(format!("subject.dimensions: has {count} entries; it must be from 0 to 16")),
        }
    }

    /// Each scope, from the widest: gaps between levels are left out.
    pub(super) fn scopes(&self) -> Vec<String> {
        let mut path = String::new();
        self.levels()
            .map(|(level, name)| {
                if !path.is_empty() {
                    path.push('/');
                }
                path.push_str(level);
                path.push(':');
                path.push_str(name);
                path.clone()
            })
            .collect()
    }
}

impl Action {
    /// What the schema says and its types cannot.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.tags.as_ref().map_or(0, Vec::len) {
            0..=10 => Ok(()),
            count => Err(format!("action.tags: has {count} entries; it must be from 0 to 10")),
        }
    }
}

impl From<&Amount> for Sum {
    fn from(amount: &Amount) -> Self {
        let unit = match amount.unit {
            Unit::UsdMicrocents => SumUnit::UsdMicrocents,
            Unit::Tokens => SumUnit::Tokens,
            Unit::Credits => SumUnit::Credits,
            Unit::RiskPoints => SumUnit::RiskPoints,
        };
        Self { unit, amount: amount.amount.get() }
    }
}

impl From<Sum> for Amount {
    fn from(sum: Sum) -> Self {
        let unit = match sum.unit {
            SumUnit::Tokens => Unit::Tokens,
            SumUnit::Credits => Unit::Credits,
            SumUnit::RiskPoints => Unit::RiskPoints,
            _ => Unit::UsdMicrocents,
        };
        Self { unit, amount: Whole::new(sum.amount) }
    }
}

impl From<OveragePolicy> for Overage {
    fn from(policy: OveragePolicy) -> Self {
        match policy {
            OveragePolicy::Reject => Self::Reject,
            OveragePolicy::AllowIfAvailable => Self::AllowIfAvailable,
            OveragePolicy::AllowWithOverdraft => Self::AllowWithOverdraft,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_skip_gaps_and_keep_the_order() {
        let subject: Subject =
            serde_json::from_str(r#"{"toolset":"t","tenant":"acme","app":"a"}"#).expect("a subject");
        assert_eq!(subject.scopes(), ["tenant:acme", "tenant:acme/app:a", "tenant:acme/app:a/toolset:t"]);
        assert_eq!(subject.check(), Ok(()));
        let only_dimensions: Subject =
            serde_json::from_str(r#"{"dimensions":{"a":"b"}}"#).expect("a subject");
        assert!(only_dimensions.check().is_err());
    }

    #[test]
    fn requests_are_read_strictly() {
        let read = |text: &str| serde_json::from_str::<ExtendRequest>(text).is_ok();
        assert!(read(r#"{"idempotency_key":"k","extend_by_ms":1}"#));
        for text in [
            r#"{"idempotency_key":"k"}"#,
            r#"{"idempotency_key":"","extend_by_ms":1}"#,
            r#"{"idempotency_key":"k","extend_by_ms":1,"metadata":null}"#,
            r#"{"idempotency_key":"k","extend_by_ms":1,"more":1}"#,
            r#"{"idempotency_key":"k","extend_by_ms":1,"extend_by_ms":1}"#,
            r#"{"idempotency_key":"k","extend_by_ms":"1"}"#,
            r#"{"idempotency_key":"k","extend_by_ms":-1}"#,
        ] {
            assert!(!read(text), "{text}");
        }
    }
}
