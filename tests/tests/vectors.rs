//! Every vector through the Rust surface, byte-equal and value-equal.

use std::fs::File;
use std::io::BufReader;

use leasebeat_tests::vectors::{agrees, all, parse_lines};
use leasebeat_trace::{Replay, ReplayError, write_decision, write_invalid_config};

#[test]
fn every_vector_is_decided_as_expected() {
    for vector in all() {
        let mut out = Vec::new();
        let trace = BufReader::new(File::open(&vector.trace).expect("the vector is there"));
        match Replay::new(trace) {
            Err(ReplayError::Config { what, .. }) => write_invalid_config(&mut out, &what).expect("memory"),
            Err(error) => panic!("{}: {error}", vector.name),
            Ok(mut replay) => {
                while let Some(step) = replay.next_step().expect("a vector is well-formed") {
                    write_decision(&mut out, &step.decision).expect("memory");
                }
            }
        }
        let actual = parse_lines(std::str::from_utf8(&out).expect("JSON is UTF-8"));
        assert_eq!(actual.len(), vector.expected.len(), "{}", vector.name);
        for (line, (actual, expected)) in actual.iter().zip(&vector.expected).enumerate() {
            assert!(agrees(actual, expected), "{} line {}: {actual} not {expected}", vector.name, line + 1);
        }
    }
}
