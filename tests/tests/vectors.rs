//! Every vector through the Rust surface, byte-equal.

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
            Err(ReplayError::Config { what, .. }) => {
                // Its message is for people, and may change.
                write_invalid_config(&mut out, &what).expect("memory");
                let [error] = &parse_lines(text(&out))[..] else { panic!("{}: one line", vector.name) };
                assert!(agrees(error, &vector.expected[0]), "{}: {error}", vector.name);
            }
            Err(error) => panic!("{}: {error}", vector.name),
            Ok(mut replay) => {
                while let Some(step) = replay.next_step().expect("a vector is well-formed") {
                    write_decision(&mut out, &step.decision).expect("memory");
                }
                assert_eq!(text(&out), vector.lines, "{}", vector.name);
            }
        }
    }
}

fn text(out: &[u8]) -> &str {
    std::str::from_utf8(out).expect("JSON is UTF-8")
}
