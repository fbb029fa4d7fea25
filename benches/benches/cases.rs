//! How long each case takes. Times are for comparing within one run; the gates are instruction counts
//! (`cargo xtask budgets`).

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use leasebeat_benches::Measure;

struct Timed<'c>(&'c mut Criterion);

impl Measure for Timed<'_> {
    fn measure<S: Copy, T>(&mut self, group: &str, name: &str, state: S, call: impl Fn(&mut S) -> T) {
        let mut group = self.0.benchmark_group(group);
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(|| black_box(state), |state| call(state), BatchSize::SmallInput);
        });
        group.finish();
    }
}

fn cases(criterion: &mut Criterion) {
    leasebeat_benches::all(&mut Timed(criterion));
}

criterion_group!(benches, cases);
criterion_main!(benches);
