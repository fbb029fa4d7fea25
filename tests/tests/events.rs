//! The fuzz target of event sequences without the fuzzer: the committed corpus, and bytes by chance.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use leasebeat_tests::events::run;

#[test]
fn the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/events");
    let mut seen = 0;
    for entry in fs::read_dir(corpus).expect("the corpus") {
        run(&fs::read(entry.expect("a file").path()).expect("a file of the corpus"));
        seen += 1;
    }
    assert!(seen >= 20, "only {seen} in the corpus");
}

#[test]
fn bytes_by_chance() {
    for seed in 0..500_000 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bytes = vec![0; random.usize(8..200)];
        random.fill(&mut bytes);
        assert!(catch_unwind(|| run(&bytes)).is_ok(), "seed {seed}: {bytes:?}");
    }
}
