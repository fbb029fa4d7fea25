//! The marks on a timeline.

use super::thin::{Point, Sample};

/// What a mark stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A send with a fresh key.
    Beat,
    /// A send that repeats a key.
    Retry,
    Success,
    Failure,
    Stop,
}

impl Mark {
    /// In the order in which they are drawn: the rare ones last, on top.
    pub(super) const ALL: [Self; 5] = [Self::Success, Self::Beat, Self::Retry, Self::Failure, Self::Stop];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Beat => "beats (fresh key)",
            Self::Retry => "retries (same key)",
            Self::Success => "successes",
            Self::Failure => "failures",
            Self::Stop => "stop",
        }
    }

    pub(super) const fn is_send(self) -> bool {
        matches!(self, Self::Beat | Self::Retry)
    }
}

/// The marks of each kind, thinned apart so that a rare kind is never crowded out.
#[derive(Debug)]
pub(super) struct Marks([Sample; 5]);

impl Marks {
    /// Marks of which at most `most` of each kind are kept.
    pub(super) fn new(most: usize) -> Self {
        Self(std::array::from_fn(|_| Sample::new(most)))
    }

    pub(super) fn push(&mut self, mark: Mark, at: f64, height: f64) {
        self.0[mark as usize].push((at, height));
    }

    /// The points that were kept.
    pub(super) fn points(&self, mark: Mark) -> &[Point] {
        self.0[mark as usize].points()
    }

    /// How many there were.
    pub(super) fn count(&self, mark: Mark) -> usize {
        self.0[mark as usize].count()
    }
}
