//! Bounded memory: thinning what a picture could not show anyway, evenly over the whole trace.

/// A point: when, how high.
pub(super) type Point = (f64, f64);

/// A line of which highs and lows survive thinning. While few points have come, all are kept.
#[derive(Debug)]
pub(super) struct Envelope {
    buckets: Vec<Bucket>,
    /// How many buckets are kept, and how many points one takes.
    most: usize,
    width: usize,
    count: usize,
    last: Option<Point>,
}

/// The lowest and the highest of some points in a row, each with its number.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    low: (usize, Point),
    high: (usize, Point),
    points: usize,
}

impl Bucket {
    fn join(self, other: Self) -> Self {
        Self {
            low: if other.low.1.1 < self.low.1.1 { other.low } else { self.low },
            high: if other.high.1.1 > self.high.1.1 { other.high } else { self.high },
            points: self.points + other.points,
        }
    }
}

impl Envelope {
    /// A line of at most about `most` points.
    pub(super) fn new(most: usize) -> Self {
        Self { buckets: Vec::new(), most: most / 2, width: 1, count: 0, last: None }
    }

    /// The points that were kept, in the order in which they came; the last one always.
    pub(super) fn points(&self) -> Vec<Point> {
        let mut points = Vec::with_capacity(self.buckets.len() * 2 + 1);
        let mut number = usize::MAX;
        for Bucket { low, high, .. } in &self.buckets {
            let (first, second) = if low.0 <= high.0 { (low, high) } else { (high, low) };
            points.push(first.1);
            if first.0 != second.0 {
                points.push(second.1);
            }
            number = second.0;
        }
        points.extend(self.last.filter(|_| number + 1 != self.count));
        points
    }

    pub(super) fn last(&self) -> Option<Point> {
        self.last
    }

    pub(super) fn push(&mut self, at: f64, height: f64) {
        let numbered = (self.count, (at, height));
        let single = Bucket { low: numbered, high: numbered, points: 1 };
        self.count += 1;
        self.last = Some((at, height));
        match self.buckets.last_mut() {
            Some(bucket) if bucket.points < self.width => *bucket = bucket.join(single),
            _ => self.buckets.push(single),
        }
        if self.buckets.len() > self.most {
            let pairs = self.buckets.chunks(2);
            self.buckets = pairs.filter_map(|pair| pair.iter().copied().reduce(Bucket::join)).collect();
            self.width *= 2;
        }
    }

    /// Follows a lead that falls by one second a second, and rests at zero.
    pub(super) fn decline_to(&mut self, at: f64, height: f64) {
        for (at, height) in decline(self.last, at, height) {
            self.push(at, height);
        }
    }
}

/// The points from `last` down to `(at, height)`, with the corner where the lead reaches zero between them.
pub(super) fn decline(last: Option<Point>, at: f64, height: f64) -> impl Iterator<Item = Point> {
    let corner = last
        .map(|(since, from)| (since + from, from))
        .filter(|(zero, from)| height <= 0.0 && *from > 0.0 && *zero < at)
        .map(|(zero, _)| (zero, 0.0));
    corner.into_iter().chain(std::iter::once((at, height)))
}

/// Points of which evenly many are kept.
#[derive(Debug)]
pub(super) struct Sample {
    points: Vec<Point>,
    most: usize,
    /// Of so many points one is kept.
    stride: usize,
    count: usize,
}

impl Sample {
    pub(super) fn new(most: usize) -> Self {
        Self { points: Vec::new(), most, stride: 1, count: 0 }
    }

    pub(super) fn push(&mut self, point: Point) {
        if self.count % self.stride == 0 {
            self.points.push(point);
        }
        self.count += 1;
        if self.points.len() > self.most {
            let mut index = 0;
            self.points.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.stride *= 2;
        }
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// How many points there were.
    pub(super) fn count(&self) -> usize {
        self.count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether no stretch of the whole is left without points.
    #[track_caller]
    fn spread(points: &[Point], end: f64) {
        let gaps = points.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let widest = gaps.fold(0.0, f64::max);
        assert!((0.0..end / 20.0).contains(&widest), "{widest}");
        assert!(points.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }

    #[test]
    fn thinning_keeps_the_extremes_the_bound_and_an_even_spread() {
        let mut line = Envelope::new(100);
        for step in 0..10_000 {
            let height = if step == 3_333 { -5.0 } else { f64::from(step % 7) };
            line.push(f64::from(step), height);
        }
        let points = line.points();
        assert!(points.len() <= 102);
        assert!(points.iter().any(|(_, height)| *height < -4.9));
        assert_eq!(points.last(), Some(&(9_999.0, 3.0)));
        spread(&points, 10_000.0);
    }

    #[test]
    fn few_points_are_kept_as_they_are() {
        let mut line = Envelope::new(100);
        let saw = [(0.0, 8.0), (3.0, 5.0), (3.0, 8.0), (6.0, 5.0), (6.0, 8.0)];
        for (at, height) in saw {
            line.push(at, height);
        }
        assert_eq!(line.points(), saw);
    }

    #[test]
    fn a_lead_that_runs_out_has_a_corner_at_zero() {
        let points: Vec<_> = decline(Some((10.0, 8.0)), 30.0, 0.0).collect();
        assert_eq!(points, [(18.0, 0.0), (30.0, 0.0)]);
        let points: Vec<_> = decline(Some((10.0, 8.0)), 12.0, 6.0).collect();
        assert_eq!(points, [(12.0, 6.0)]);
    }

    #[test]
    fn a_sample_is_even_and_counts_all() {
        let mut sample = Sample::new(100);
        for step in 0..10_000 {
            sample.push((f64::from(step), 0.0));
        }
        assert!((50..=100).contains(&sample.points().len()));
        assert_eq!(sample.count(), 10_000);
        spread(sample.points(), 10_000.0);
    }
}
