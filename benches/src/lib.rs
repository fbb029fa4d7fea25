//! What is timed and counted for docs/PERFORMANCE.md: the same cases by criterion and by callgrind.

mod answers;
mod cases;
mod decodes;
mod handles;

pub use cases::{Measure, all};
