//! Generated answers, decoded by the kernel, by a naive reading of the rules, and by an independent validator of
//! JSON schemas on the protocol's own file: they agree on every one.

use std::collections::BTreeMap;

use jsonschema::Validator;
use leasebeat::wire::{self, UnknownKeys};
use leasebeat::{Failure, Operation, Outcome};
use leasebeat_tests::node::Node;
use leasebeat_tests::protocol::{CREATE, ERROR, EXTEND, FILE};
use leasebeat_tests::{answer, generate};
use serde_json::{Map, Number, Value, json};

/// Some twenty seconds of them.
const ANSWERS: u64 = 500_000;

fn validator(name: &str) -> Validator {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/components/schemas/{name}"),
        "components": FILE["components"].clone(),
    });
    jsonschema::draft202012::new(&schema).expect("the protocol's schemas are schemas")
}

/// What the validator cannot see in a [`Value`]: a key given twice, and a number not spelled as an integer inside
/// int64 (all numbers of the schemas are integers).
fn value(node: &Node) -> Option<Value> {
    Some(match node {
        Node::Object(members) => {
            let mut object = Map::new();
            for (key, member) in members {
                if object.insert(key.clone(), value(member)?).is_some() {
                    return None;
                }
            }
            Value::Object(object)
        }
        Node::Array(items) => Value::Array(items.iter().map(value).collect::<Option<_>>()?),
        Node::Text(text) => Value::String(text.clone()),
        Node::Number(_) => Value::Number(Number::from(node.int64()?)),
        Node::Flag(flag) => Value::Bool(*flag),
        Node::Null => Value::Null,
    })
}

#[test]
fn w2_the_kernel_and_a_validator_agree_on_generated_answers() {
    let validators = [validator("ReservationCreateResponse"), validator("ReservationExtendResponse")];
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    for seed in 0..ANSWERS {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut choose = |below: usize| random.usize(..below.max(1));
        let (operation, schema, validator) = match choose(2) {
            0 => (Operation::Create, &CREATE, &validators[0]),
            _ => (Operation::Extend, &EXTEND, &validators[1]),
        };
        let unknown_keys = [UnknownKeys::Reject, UnknownKeys::Ignore][choose(2)];
        let status = if choose(6) == 0 { [202, 302, 404, 409, 429, 503][choose(6)] } else { 200 };
        let header = [None, Some(&b"5"[..]), Some(&b" 007\t"[..]), Some(&b"-1"[..])][choose(4)];

        let schema = if status == 200 { schema } else { &ERROR };
        let mut node = generate::valid(schema, &mut choose);
        for _ in 0..choose(3) {
            generate::mutate(&mut node, &mut choose);
        }
        let mut body = generate::write(&node, &mut choose).into_bytes();
        if choose(4) == 0 {
            generate::corrupt(&mut body, &mut choose);
        }

        let decoded = wire::decode(operation, status, header, &body, unknown_keys);
        let id = decoded.reservation_id().map(|id| id.chars().collect::<String>());
        let kernel = (decoded.outcome(None), id);
        let shown = || format!("seed {seed}: {operation} {status} {unknown_keys:?} {}", body.escape_ascii());
        let naive = answer::decode(operation, status, header, &body, unknown_keys);
        assert_eq!(kernel, naive, "naive reading, {}", shown());
        let valid = |node: &Node| value(node).is_some_and(|value| validator.is_valid(&value));
        let independent = answer::decide(operation, status, header, &body, unknown_keys, valid);
        assert_eq!(kernel, independent, "validator, {}", shown());
        check_problem(&decoded, &body);
        *seen.entry(kind(&kernel.0)).or_default() += 1;
    }
    println!("{ANSWERS} answers: {seen:?}");
    for (kind, least) in [
        ("created", 30),
        ("denied", 30),
        ("extended", 10),
        ("ambiguous", 3),
        ("with code", 30),
        ("without", 30),
    ] {
        assert!(seen[kind] >= ANSWERS / least, "too few of {kind}: {seen:?}");
    }
}

fn kind(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Created(_) => "created",
        Outcome::Denied => "denied",
        Outcome::Extended(_) => "extended",
        Outcome::Failed(Failure::Http(failure)) if failure.code.is_some() => "with code",
        Outcome::Failed(Failure::Http(_)) => "without",
        Outcome::Failed(_) => "ambiguous",
    }
}

/// There is a problem where anything is not known, it lies in the body, and its pointer leads somewhere.
fn check_problem(decoded: &wire::Decoded<'_>, body: &[u8]) {
    let Some(problem) = decoded.problem() else {
        assert!(!matches!(kind(&decoded.outcome(None)), "ambiguous" | "without"), "{decoded:?}");
        return;
    };
    let Some(place) = problem.pointer() else { return };
    assert!(place.offset() <= body.len(), "{problem}");
    // Where the body is well-formed, the pointer leads to something in it.
    if let Some(body) = Node::parse(body, usize::MAX) {
        let pointer: String = serde_json::from_str(&format!("\"{place}\"")).expect("it fits a JSON string");
        assert!(leads(&body, &pointer), "{problem} in {body:?}");
    }
}

fn leads(node: &Node, pointer: &str) -> bool {
    let Some(pointer) = pointer.strip_prefix('/') else { return pointer.is_empty() };
    let (step, rest) = pointer.split_at(pointer.find('/').unwrap_or(pointer.len()));
    let step = step.replace("~1", "/").replace("~0", "~");
    match node {
        Node::Object(members) => members.iter().any(|(key, value)| *key == step && leads(value, rest)),
        Node::Array(items) => {
            step.parse().is_ok_and(|index: usize| items.get(index).is_some_and(|item| leads(item, rest)))
        }
        _ => false,
    }
}
