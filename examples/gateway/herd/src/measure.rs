//! What is measured: memory that is live, memory that is resident, and time of the processor.

use std::alloc::System;
use std::time::Duration;

use leasebeat_gateway::usage::Usage;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::Args;
use crate::keeper::{self, Way};
use crate::wire::Wire;

/// Counts what is allocated: an addition for each call.
#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// What one way takes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Measured {
    name: String,
    leases: u32,
    /// Threads of the runtime; 0: the thread it was started on.
    workers: usize,
    rtt_us: u64,
    beats: u64,
    /// Allocated and not freed.
    pub(crate) bytes_per_lease: f64,
    resident_bytes_per_lease: f64,
    /// User and system time.
    pub(crate) cpu_ns_per_beat: f64,
}

impl Measured {
    pub(crate) fn line(&self) -> String {
        serde_json::to_string(self).expect("numbers have a JSON form")
    }
}

pub(crate) fn run(args: &Args, way: Way) -> Result<Measured, String> {
    let mut builder = match args.workers {
        0 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = builder
        .worker_threads(args.workers.max(1))
        .enable_time()
        .build()
        .map_err(|error| format!("cannot start: {error}"))?;
    // The first timer makes the wheel.
    runtime.block_on(async { tokio::time::sleep(Duration::from_millis(1)).await });
    let resident = || Usage::of(std::process::id()).unwrap_or_default().resident;
    let (region, resident_before) = (Region::new(COUNTED), resident());
    runtime.block_on(async {
        let wire = Wire::start(args.rtt, args.period);
        let keeping = keeper::start(way, args, &wire);
        // One beat of each, so that everything is where it will be.
        tokio::time::sleep(args.period).await;
        let (cpu_before, beats_before) = (cpu(), wire.beats());
        tokio::time::sleep(args.period * args.beats).await;
        let (cpu, beats) = (cpu().saturating_sub(cpu_before), wire.beats() - beats_before);
        let stats = region.change();
        let live = stats.bytes_allocated as f64 - stats.bytes_deallocated as f64;
        let resident_bytes = resident().saturating_sub(resident_before);
        drop(keeping);
        let expected = u64::from(args.leases) * u64::from(args.beats);
        if beats < expected - expected / 5 || beats > expected + expected / 5 {
            return Err(format!("{way}: {beats} beats, expected about {expected}"));
        }
        Ok(Measured {
            name: way.to_string(),
            leases: args.leases,
            workers: args.workers,
            rtt_us: args.rtt.as_micros() as u64,
            beats,
            bytes_per_lease: (live / f64::from(args.leases)).round(),
            resident_bytes_per_lease: (resident_bytes as f64 / f64::from(args.leases)).round(),
            cpu_ns_per_beat: (cpu.as_nanos() as f64 / beats as f64).round(),
        })
    })
}

/// Of this process, user and system.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
