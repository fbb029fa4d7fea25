//! A load for `leasebeat serve`: so many live reservations, so many requests a second, every answer checked against
//! what it must be, and the server's memory watched. `cargo xtask soak serve-load` runs it.

mod worker;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use clap::Parser;
use reqwest::Client;
use serde_json::Value;

use worker::{Tally, Worker};

#[derive(Debug, Clone, Parser)]
struct Args {
    /// Reservations that are live all the time
    #[arg(long, default_value_t = 10_000)]
    reservations: u64,
    /// Requests a second
    #[arg(long, default_value_t = 2_000)]
    rate: u64,
    /// How long it lasts, after the warm-up
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How long until the memory is looked at: twice the server's retention, so that it forgets as much as it learns
    #[arg(long, default_value_t = 20)]
    warm_up: u64,
    /// Requests in flight at most
    #[arg(long, default_value_t = 64)]
    workers: u64,
}

/// Anything that goes wrong, in words.
type Outcome<T = ()> = Result<T, String>;

fn main() -> Outcome {
    let args = Args::parse();
    let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
    runtime.block_on(run(&args))
}

async fn run(args: &Args) -> Outcome {
    // It lies beside the folder of examples.
    let here = std::env::current_exe().map_err(|error| error.to_string())?;
    let binary = here.ancestors().nth(2).map(|folder| folder.join("leasebeat")).unwrap_or_default();
    let (mut server, url) = start(&binary)?;
    let result = load(args, &url, server.id()).await;
    let _ = server.kill();
    let _ = server.wait();
    result
}

fn start(binary: &PathBuf) -> Outcome<(Child, String)> {
    let log = std::env::temp_dir().join("leasebeat-serve-load.log");
    let log = if cfg!(unix) { "/dev/null".to_owned() } else { log.display().to_string() };
    let mut server = Command::new(binary)
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--log",
            &log,
            "--max-extensions",
            "none",
            "--retention",
            "10s",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{}: {error}", binary.display()))?;
    let stdout = server.stdout.take().ok_or("no standard output")?;
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).map_err(|error| error.to_string())?;
    let line: Value = serde_json::from_str(&line).map_err(|error| format!("{line}: {error}"))?;
    Ok((server, line["url"].as_str().unwrap_or_default().to_owned()))
}

async fn load(args: &Args, url: &str, server: u32) -> Outcome {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .no_proxy()
        .tls_certs_only(std::iter::empty())
        .tcp_nodelay(true)
        .timeout(Duration::from_secs(10))
        .build()
        .map_err(|error| error.to_string())?;
    let tally = Arc::<Tally>::default();
    let started = Instant::now();
    let mut creating = tokio::task::JoinSet::new();
    for number in 0..args.workers {
        let share = args.reservations / args.workers + u64::from(number < args.reservations % args.workers);
        let (client, url, tally) = (client.clone(), url.to_owned(), Arc::clone(&tally));
        let mut worker = Worker { client, url, number, serial: 0, leases: Vec::new(), tally };
        creating.spawn(async move {
            for _ in 0..share {
                let lease = worker.create().await?;
                worker.leases.push(lease);
            }
            Outcome::Ok(worker)
        });
    }
    let mut workers = Vec::new();
    while let Some(worker) = creating.join_next().await {
        workers.push(worker.map_err(|error| error.to_string())??);
    }
    println!("{} reservations made in {:.1} s", args.reservations, started.elapsed().as_secs_f64());

    tally.requests.store(0, Ordering::Relaxed);
    tally.slowest_us.store(0, Ordering::Relaxed);
    let whole = Duration::from_secs(args.warm_up + args.seconds);
    let pause = Duration::from_nanos(1_000_000_000 * args.workers / args.rate);
    let started = Instant::now();
    let mut working = tokio::task::JoinSet::new();
    for worker in workers {
        working.spawn(worker.work(started + whole, pause));
    }
    let mut memory = Vec::new();
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut warm = None;
    loop {
        tokio::select! {
            worker = working.join_next() => match worker {
                Some(worker) => worker.map_err(|error| error.to_string())??,
                None => break,
            },
            _ = second.tick() => {
                let resident = resident_kib(server)?;
                if started.elapsed().as_secs() >= args.warm_up {
                    warm.get_or_insert((Instant::now(), tally.requests.load(Ordering::Relaxed)));
                    memory.push(resident);
                }
            }
        }
    }
    let (since, before) = warm.ok_or("it ended before the warm-up did")?;
    let requests = tally.requests.load(Ordering::Relaxed) - before;
    let took_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    let rate = requests * 1_000 / took_ms;
    let (first, last) = (memory.first().copied().unwrap_or(0), memory.last().copied().unwrap_or(0));
    let most = memory.iter().copied().max().unwrap_or(0);
    println!(
        "{requests} requests in {} s, {rate} a second, every answer right; the slowest took {} ms",
        took_ms / 1_000,
        tally.slowest_us.load(Ordering::Relaxed) / 1_000,
    );
    println!("resident memory after warm-up {first} KiB, most {most} KiB, at the end {last} KiB");
    if rate < args.rate - args.rate / 50 {
        return Err(format!("only {rate} requests a second; it must be {}", args.rate));
    }
    // A page here and there is the allocator's own.
    if most > first + first / 50 {
        return Err(format!("memory grew from {first} KiB to {most} KiB"));
    }
    Ok(())
}

/// What of the process is in memory, in KiB.
fn resident_kib(process: u32) -> Outcome<u64> {
    let path = format!("/proc/{process}/status");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().map_err(|error| format!("{path}: {line:?}: {error}"))
}
