//! The rules W1–W6 as tables. `tests/` has what compares with other readings of the schema.

// Tests may index and expect; the code they test is linted without them as well.
#![allow(clippy::indexing_slicing, clippy::expect_used, clippy::panic)]

mod answers;
mod bounds;
mod places;
mod schema;
mod text;

use std::format;
use std::string::String;

use super::{Decoded, Text, UnknownKeys, Wrong, decode};
use crate::decision::Operation;
use crate::event::{Failure, Outcome};

/// A valid create answer with these further members.
fn created(members: &str) -> String {
    format!(r#"{{"decision":"ALLOW","reservation_id":"rsv_1","affected_scopes":[]{members}}}"#)
}

/// A valid extend answer with these further members.
fn extended(members: &str) -> String {
    format!(r#"{{"status":"ACTIVE","expires_at_ms":9{members}}}"#)
}

/// A valid extend answer with one balance that has these further members.
fn balance(members: &str) -> String {
    extended(&format!(
        r#","balances":[{{"scope":"s","scope_path":"p","remaining":{{"unit":"TOKENS","amount":-1}}{members}}}]"#
    ))
}

fn to_create(body: &[u8]) -> Decoded<'_> {
    decode(Operation::Create, 200, None, body, UnknownKeys::Reject)
}

fn to_extend(body: &[u8]) -> Decoded<'_> {
    decode(Operation::Extend, 200, None, body, UnknownKeys::Reject)
}

#[track_caller]
fn is_success(decoded: Decoded<'_>) {
    assert_eq!(decoded.problem(), None);
    assert!(matches!(decoded.outcome, Outcome::Created(_) | Outcome::Extended(_)), "{decoded:?}");
}

#[track_caller]
fn is_ambiguous(decoded: Decoded<'_>, wrong: Wrong) {
    assert_eq!(decoded.outcome, Outcome::Failed(Failure::Ambiguous));
    assert_eq!(decoded.reservation_id, None);
    assert_eq!(decoded.problem().map(|problem| problem.wrong()), Some(wrong), "{decoded:?}");
}
