//! The answers of the protocol, as far as a client reads them.
//!
//! Reading is strict, as C1 wants it: an unknown key, a missing one, one given twice, a null, a number of
//! another form or out of its range all refuse the body. Once the kernel decodes raw answers itself (W1), this
//! reading goes.

use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// `int64`, 0 or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Int64(u64);

impl Int64 {
    const MAX: u64 = i64::MAX as u64;

    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Int64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            number if number <= Self::MAX => Ok(Self(number)),
            _ => Err(D::Error::custom("above int64")),
        }
    }
}

/// For an optional key: absent is fine, null is not.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Declares a body: no unknown keys, and optional keys that may be absent.
macro_rules! body {
    ($(#[$meta:meta])* $name:ident { $($required:ident: $type:ty,)* } optional { $($optional:ident: $inner:ty,)* }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            $(pub(crate) $required: $type,)*
            $(
                #[serde(default, deserialize_with = "present")]
                pub(crate) $optional: Option<$inner>,
            )*
        }
    };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Unit {
    UsdMicrocents,
    Tokens,
    Credits,
    RiskPoints,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum Verdict {
    Allow,
    AllowWithCaps,
    Deny,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum ActiveStatus {
    #[serde(rename = "ACTIVE")]
    Active,
}

body! { Amount { unit: Unit, amount: Int64, } optional {} }
body! { SignedAmount { unit: Unit, amount: i64, } optional {} }
body! { EvidenceRef { evidence_id: String, cycles_evidence_url: String, } optional {} }
body! {
    Caps {} optional {
        max_tokens: u64, max_steps_remaining: u64, tool_allowlist: Vec<String>, tool_denylist: Vec<String>,
        cooldown_ms: u64,
    }
}
body! {
    Balance { scope: String, scope_path: String, remaining: SignedAmount, } optional {
        reserved: Amount, spent: Amount, debt: Amount, allocated: Amount, overdraft_limit: Amount,
        is_over_limit: bool,
    }
}
body! {
    /// `ReservationCreateResponse`
    CreateResponse { decision: Verdict, affected_scopes: Vec<String>, } optional {
        reservation_id: String, reserved: Amount, expires_at_ms: Int64, remaining_ttl_ms: Int64,
        scope_path: String, caps: Caps, balances: Vec<Balance>, reason_code: String, retry_after_ms: u64,
        cycles_evidence: EvidenceRef,
    }
}
body! {
    /// `ReservationExtendResponse`
    ExtendResponse { status: ActiveStatus, expires_at_ms: Int64, } optional {
        remaining_ttl_ms: Int64, balances: Vec<Balance>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extend(body: &str) -> Option<ExtendResponse> {
        serde_json::from_str(body).ok()
    }

    #[test]
    fn c1_what_the_schema_allows_is_read() {
        assert!(extend(r#"{"status":"ACTIVE","expires_at_ms":1}"#).is_some());
        let whole = r#"{"status":"ACTIVE","expires_at_ms":9223372036854775807,"remaining_ttl_ms":0,"balances":[
            {"scope":"tenant:a","scope_path":"tenant:a","remaining":{"unit":"TOKENS","amount":-1}}]}"#;
        assert!(extend(whole).is_some());
        let create = r#"{"decision":"ALLOW_WITH_CAPS","affected_scopes":[],"caps":{"max_tokens":1}}"#;
        assert!(serde_json::from_str::<CreateResponse>(create).is_ok());
    }

    #[test]
    fn c1_what_the_schema_forbids_is_refused() {
        for body in [
            "",
            "null",
            r#"{"status":"ACTIVE"}"#,
            r#"{"status":"active","expires_at_ms":1}"#,
            r#"{"status":"ACTIVE","expires_at_ms":"1"}"#,
            r#"{"status":"ACTIVE","expires_at_ms":-1}"#,
            r#"{"status":"ACTIVE","expires_at_ms":1.0}"#,
            r#"{"status":"ACTIVE","expires_at_ms":9223372036854775808}"#,
            r#"{"status":"ACTIVE","expires_at_ms":1,"remaining_ttl_ms":null}"#,
            r#"{"status":"ACTIVE","expires_at_ms":1,"expires_at_ms":1}"#,
            r#"{"status":"ACTIVE","expires_at_ms":1,"more":1}"#,
            r#"{"status":"ACTIVE","expires_at_ms":1} x"#,
        ] {
            assert!(extend(body).is_none(), "{body}");
        }
    }
}
