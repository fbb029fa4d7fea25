//! The program that `cargo xtask bench` runs under callgrind, which dumps the instructions of each single call of
//! [`measured`]. With a group for its argument it measures the cases of that group, and prints the name of each.

use std::hint::black_box;

use leasebeat_benches::Measure;

/// The name callgrind looks for. Not inlined, so that a call is a call; what is measured is inlined into it.
#[inline(never)]
fn measured<S, T>(state: &mut S, call: impl Fn(&mut S) -> T) -> T {
    black_box(call(state))
}

struct Counted {
    group: String,
}

impl Measure for Counted {
    fn measure<S: Copy, T>(&mut self, group: &str, name: &str, state: S, call: impl Fn(&mut S) -> T) {
        if group == self.group {
            println!("{name}");
            let mut state = black_box(state);
            black_box(measured(&mut state, call));
        }
    }
}

fn main() {
    let group = std::env::args().nth(1).expect("the group to measure");
    leasebeat_benches::all(&mut Counted { group });
}
