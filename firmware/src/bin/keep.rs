//! Keeps four leases for an hour of the board's time, whatever the peer does to the modem.

#![cfg_attr(target_os = "none", no_std, no_main)]

#[cfg(target_os = "none")]
mod board {
    use cortex_m_rt::entry;
    use cortex_m_semihosting::hprintln;
    use leasebeat::{Config, Instant, Settings, StopReason};
    use leasebeat_firmware::device::{Simulated, exit, print_sizes, stack};
    use leasebeat_firmware::keep::longest_wait_ms;
    use leasebeat_firmware::{Lease, keep};

    /// What each lease asks for, and the timeout of its requests: ms.
    const LEASES: [(u64, u64); 4] = [(20_000, 3_000), (30_000, 4_000), (60_000, 5_000), (300_000, 10_000)];
    const HOUR_NS: u64 = 3_600_000_000_000;
    /// From a counter in flash, on a real board.
    const BOOT: u32 = 7;

    fn lease(index: u8, (ttl_ms, timeout_ms): (u64, u64)) -> Lease {
        let settings = Settings {
            request_timeout_ms: Some(timeout_ms),
            clock_resolution_ns: 1_000_000, // one tick
            max_wait_ms: Some(longest_wait_ms::<Simulated>()),
            ..Settings::new(ttl_ms)
        };
        let config = Config::new(settings).expect("constants in range");
        Lease::new(index, BOOT, config)
    }

    #[entry]
    fn main() -> ! {
        stack::paint();
        let mut index = 0;
        let mut leases = LEASES.map(|asked| {
            index += 1;
            lease(index - 1, asked)
        });
        let mut board = Simulated::new();
        let (mut began, mut ended) = (None, Instant::ORIGIN);
        keep(&mut board, &mut leases, |now| {
            ended = now;
            let began: Instant = *began.get_or_insert(now);
            now.as_nanos() - began.as_nanos() >= HOUR_NS
        });
        let began = began.unwrap_or_default();
        let laps = |at: Instant| (at.as_nanos() / 1_000_000) >> 32;
        let mut kept = 0;
        for (lease, (ttl_ms, _)) in leases.iter().zip(LEASES) {
            let stats = lease.stats();
            hprintln!(
                "a lease of {} ms: {} extensions, {} attempts, {} retries, {}",
                ttl_ms,
                stats.extensions,
                stats.attempts,
                stats.retries,
                lease.stopped().map_or("kept", StopReason::as_str)
            );
            // Held to the end: the kernel still proves it.
            kept += u8::from(
                lease.stopped() == Some(StopReason::Closed) && lease.heartbeat().fence() > Some(ended),
            );
            board.done(stats);
        }
        hprintln!(
            "{} of {} leases kept for {} s; the tick wrapped {} times",
            kept,
            LEASES.len(),
            (ended.as_nanos() - began.as_nanos()) / 1_000_000_000,
            laps(ended) - laps(began)
        );
        print_sizes();
        exit(usize::from(kept) == LEASES.len())
    }
}

#[cfg(not(target_os = "none"))]
fn main() {
    eprintln!("this runs on a board: cargo xtask firmware");
}
