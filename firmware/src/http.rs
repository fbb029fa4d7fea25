//! HTTP as far as a lease needs it: two requests written, and an answer split into what the kernel's decoder reads.

use core::fmt::Write;

use heapless::String;
use leasebeat::wire::{Decoded, UnknownKeys, decode};
use leasebeat::{Attempt, Failure, Operation, Outcome};

/// Room for a request. The longest that [`request`] writes has less than 400 bytes besides the reservation's id.
pub const REQUEST_MAX: usize = 640;
/// The longest id of a reservation that the protocol allows.
pub const ID_MAX: usize = 128;
/// More headers than this make an answer one that proves nothing.
const HEADERS_MAX: usize = 16;

/// A lease as its requests name it.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// Begins every idempotency key: no two boots, and no two leases of one boot, may share it.
    pub stem: &'a str,
    /// The server's name for the reservation; empty before it is created.
    pub reservation: &'a str,
}

/// Writes the request of an attempt. Attempts of one generation are the same bytes: the server applies them once.
///
/// # Errors
/// Where it has no room.
pub fn request(attempt: &Attempt, names: Names<'_>, out: &mut String<REQUEST_MAX>) -> core::fmt::Result {
    // Each text is the device's own or the server's id, and none needs an escape.
    let Names { stem, reservation } = names;
    let mut body = String::<320>::new();
    write!(body, "{{\"idempotency_key\":\"{stem}-{}\",", attempt.key_generation)?;
    match attempt.operation {
        Operation::Create => write!(
            body,
            "\"subject\":{{\"tenant\":\"field\"}},\"action\":{{\"kind\":\"sensor\",\"name\":\"sample\"}},\
             \"estimate\":{{\"unit\":\"CREDITS\",\"amount\":1}},\"ttl_ms\":{}}}",
            attempt.extend_by.get()
        )?,
        Operation::Extend => write!(body, "\"extend_by_ms\":{}}}", attempt.extend_by.get())?,
    }
    out.clear();
    match attempt.operation {
        Operation::Create => write!(out, "POST /v1/reservations")?,
        Operation::Extend => write!(out, "POST /v1/reservations/{reservation}/extend")?,
    }
    write!(
        out,
        " HTTP/1.1\r\nHost: cycles\r\nX-Cycles-API-Key: field\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// What an answer proves (W1). One that is no whole HTTP answer proves nothing.
pub fn read(operation: Operation, answer: &[u8], id: &mut String<ID_MAX>) -> Outcome {
    let Some(decoded) = split(operation, answer) else { return Outcome::Failed(Failure::Ambiguous) };
    if let Some(text) = decoded.reservation_id() {
        let mut buffer = [0; ID_MAX];
        let stored = text.unescape(&mut buffer).ok().and_then(|text| String::try_from(text).ok());
        // Without its id the reservation can never be extended.
        let Some(stored) = stored else { return Outcome::Failed(Failure::Ambiguous) };
        *id = stored;
    }
    decoded.outcome(None)
}

fn split(operation: Operation, answer: &[u8]) -> Option<Decoded<'_>> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut head = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = head.parse(answer).ok()? else { return None };
    let body = answer.get(length..)?;
    let mut retry_after = None;
    for header in head.headers.iter() {
        if header.name.eq_ignore_ascii_case("retry-after") {
            // C5: two headers are a list, and a list is invalid.
            retry_after = Some(if retry_after.is_none() { header.value } else { b"," });
        }
    }
    Some(decode(operation, head.code?, retry_after, body, UnknownKeys::Ignore))
}

#[cfg(test)]
mod tests {
    use leasebeat::{AttemptId, HttpFailure, Key, Millis, Success};

    use super::*;

    fn attempt(operation: Operation) -> Attempt {
        Attempt {
            id: AttemptId::new(u32::MAX),
            key_generation: u32::MAX,
            operation,
            key: Key::Fresh,
            extend_by: Millis::new(86_400_000),
            timeout: None,
        }
    }

    #[test]
    fn the_longest_requests_have_room() {
        let stem = "s".repeat(64);
        let names = Names { stem: &stem, reservation: &"r".repeat(ID_MAX) };
        let mut out = String::new();
        for (operation, line) in [
            (Operation::Create, "POST /v1/reservations HTTP/1.1\r\n"),
            (Operation::Extend, "POST /v1/reservations/rr"),
        ] {
            request(&attempt(operation), names, &mut out).expect("there is room");
            assert!(out.starts_with(line), "{out}");
            let (head, body) = out.split_once("\r\n\r\n").expect("a head ends");
            assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{out}");
        }
    }

    fn outcome(operation: Operation, answer: &str) -> (Outcome, String<ID_MAX>) {
        let mut id = String::new();
        (read(operation, answer.as_bytes(), &mut id), id)
    }

    #[test]
    fn w1_an_answer_is_split_and_decoded() {
        let body = r#"{"decision":"ALLOW","reservation_id":"a\u002db","affected_scopes":["tenant:field"],"remaining_ttl_ms":9}"#;
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{body}");
        let success = Success { remaining_ttl_ms: Some(9), ..Success::default() };
        assert_eq!(
            outcome(Operation::Create, &answer),
            (Outcome::Created(success), String::try_from("a-b").unwrap())
        );

        let long = answer.replace("a\\u002db", &"x".repeat(ID_MAX + 1));
        assert_eq!(outcome(Operation::Create, &long).0, Outcome::Failed(Failure::Ambiguous));
        for cut in 0..answer.len() {
            assert_eq!(
                outcome(Operation::Create, &answer[..cut]).0,
                Outcome::Failed(Failure::Ambiguous),
                "{cut}"
            );
        }
    }

    #[test]
    fn c5_two_retry_afters_are_none() {
        let failed = |retry_after| {
            Outcome::Failed(Failure::Http(HttpFailure { status: 429, code: None, retry_after }))
        };
        let one = "HTTP/1.1 429 Slow\r\nretry-after: 2\r\n\r\n";
        assert_eq!(outcome(Operation::Extend, one).0, failed(Some(Millis::new(2_000))));
        let two = "HTTP/1.1 429 Slow\r\nRetry-After: 2\r\nRetry-After: 2\r\n\r\n";
        assert_eq!(outcome(Operation::Extend, two).0, failed(None));
    }
}
