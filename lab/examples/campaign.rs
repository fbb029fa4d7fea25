use leasebeat_lab::campaign::{Progress, run};
fn main() {
    let hours: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let start = std::time::Instant::now();
    let (progress, tally, found) =
        run::<leasebeat::Heartbeat>(Progress::default(), hours * 3_600_000, 2, |_| true).unwrap();
    let s = start.elapsed().as_secs_f64();
    println!("{progress:?} {s:.1} s {:.2} M/s", tally.events as f64 / s / 1e6);
    println!("{tally:?}");
    if let Some(f) = found {
        println!("{} seed {} {:?}", f.violation, f.scenario.seed, f.scenario);
        println!("{:?}", f.happened.troubles.iter().rev().take(3).collect::<Vec<_>>());
        for r in f.recording.told.iter().rev().take(8).rev() {
            println!("{r:?}");
        }
    }
}
