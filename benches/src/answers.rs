//! Answers of 300 bytes, as a server would write them.

use leasebeat::Operation;

/// What is decoded, and the name of its budget.
pub(crate) const ALL: [(&str, Operation, &str); 3] = [
    ("decode_create", Operation::Create, CREATE),
    ("decode_extend", Operation::Extend, EXTEND),
    // The schema's order backwards: no key is where it is looked for first.
    ("decode_backwards", Operation::Extend, BACKWARDS),
];

const CREATE: &str = r#"{"decision":"ALLOW","reservation_id":"rsv_a1b2c3d4","reserved":{"unit":"USD_MICROCENTS","amount":500000},"expires_at_ms":1785585660000,"remaining_ttl_ms":600000,"scope_path":"tenant:acme-corp/workspace:prod/agent:summarizer-s","affected_scopes":["tenant:acme-corp","tenant:acme-corp/workspace:prod"]}"#;

const EXTEND: &str = r#"{"status":"ACTIVE","expires_at_ms":1785585660000,"remaining_ttl_ms":60000,"balances":[{"scope":"tenant:acme-corp","scope_path":"tenant:acme-corp/workspace:prod/agent:","remaining":{"unit":"USD_MICROCENTS","amount":4577000},"reserved":{"unit":"USD_MICROCENTS","amount":500000},"is_over_limit":false}]}"#;

const BACKWARDS: &str = r#"{"balances":[{"is_over_limit":false,"reserved":{"amount":500000,"unit":"USD_MICROCENTS"},"remaining":{"amount":4577000,"unit":"USD_MICROCENTS"},"scope_path":"tenant:acme-corp/workspace:prod/agent:","scope":"tenant:acme-corp"}],"remaining_ttl_ms":60000,"expires_at_ms":1785585660000,"status":"ACTIVE"}"#;
