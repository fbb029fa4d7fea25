//! Raw bytes as an answer: the kernel never panics, agrees with the naive reading of the rules, and what it says of
//! its reservation and its problem can be printed.
//!
//! The first byte chooses the operation, the status and what an unknown key is; up to the first line feed comes the
//! Retry-After of a 429; the rest is the body.

#![no_main]

use leasebeat::Operation;
use leasebeat::wire::{UnknownKeys, decode};
use leasebeat_tests::answer;
use libfuzzer_sys::fuzz_target;

const STATUSES: [u16; 8] = [200, 200, 200, 200, 404, 503, 429, 202];

fuzz_target!(|data: &[u8]| {
    let Some((&choice, rest)) = data.split_first() else { return };
    let operation = if choice & 1 == 0 { Operation::Create } else { Operation::Extend };
    let unknown_keys = if choice & 2 == 0 { UnknownKeys::Reject } else { UnknownKeys::Ignore };
    let status = STATUSES[usize::from(choice >> 2 & 7)];
    let (header, body) = match (status, rest.iter().position(|byte| *byte == b'\n')) {
        (429, Some(end)) => (Some(&rest[..end]), &rest[end + 1..]),
        _ => (None, rest),
    };

    let decoded = decode(operation, status, header, body, unknown_keys);
    let id = decoded.reservation_id().map(|id| {
        let mut buffer = vec![0; id.as_raw().len()];
        id.unescape(&mut buffer).expect("unescaped, it is never longer").to_owned()
    });
    let naive = answer::decode(operation, status, header, body, unknown_keys);
    assert_eq!((decoded.outcome(None), id), naive);
    if let Some(problem) = decoded.problem() {
        assert!(problem.offset().is_none_or(|offset| offset <= body.len()));
        assert!(!problem.to_string().is_empty());
    }
});
