//! Answers that are decoded: small, of 300 bytes, and large.

use leasebeat::Operation;
use leasebeat::wire::{UnknownKeys, decode};

use crate::answers;
use crate::cases::Measure;

const SMALL: &str = r#"{"status":"ACTIVE","expires_at_ms":1785585660000,"remaining_ttl_ms":60000}"#;
const BALANCE: &str = r#"{"scope":"tenant:acme-corp","scope_path":"tenant:acme-corp/workspace:prod/agent:","remaining":{"unit":"USD_MICROCENTS","amount":4577000},"reserved":{"unit":"USD_MICROCENTS","amount":500000},"is_over_limit":false}"#;

pub(crate) fn all(measure: &mut impl Measure) {
    let balances = [BALANCE; 16].join(",");
    let large = format!(
        r#"{{"status":"ACTIVE","expires_at_ms":1785585660000,"remaining_ttl_ms":60000,"balances":[{balances}]}}"#
    );
    let [(_, create, creates), (_, extend, extends), (_, _, backwards)] = answers::ALL;
    let refused = r#"{"error":"RESERVATION_EXPIRED","message":"expired","request_id":"req_1"}"#;
    let cases: [(&str, Operation, u16, &str); 6] = [
        ("extend, small", extend, 200, SMALL),
        ("create", create, 200, creates),
        ("extend", extend, 200, extends),
        ("extend, keys backwards", extend, 200, backwards),
        ("extend, large", extend, 200, &large),
        ("extend, refused", extend, 410, refused),
    ];
    for (name, operation, status, body) in cases {
        let name = format!("{name}: {} bytes", body.len());
        measure.measure("decode", &name, body, |body| {
            decode(operation, status, None, body.as_bytes(), UnknownKeys::Reject)
        });
    }
}
