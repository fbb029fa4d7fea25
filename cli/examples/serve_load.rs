//! A load for `leasebeat serve`: so many live reservations, so many requests a second, every answer checked against
//! what it must be, and the server's memory watched. `cargo xtask soak serve-load` runs it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::time::MissedTickBehavior;

const API_KEY: &str = "demo-key";
const TTL_MS: u64 = 3_600_000;
const EXTEND_BY_MS: u64 = 1_000;

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

/// What all workers count.
#[derive(Debug, Default)]
struct Tally {
    requests: AtomicU64,
    slowest_us: AtomicU64,
}

/// A reservation, as its worker knows it must be.
#[derive(Debug)]
struct Lease {
    id: String,
    create_key: String,
    created_expiry: u64,
    expiry: u64,
    /// The last extension, to be replayed.
    last: Option<(String, u64)>,
}

#[derive(Debug)]
struct Worker {
    client: Client,
    url: String,
    number: u64,
    serial: u64,
    leases: Vec<Lease>,
    tally: Arc<Tally>,
}

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
    let pause = Duration::from_secs_f64(args.workers as f64 / args.rate as f64);
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
    let rate = requests as f64 / since.elapsed().as_secs_f64();
    let (first, last) = (memory.first().copied().unwrap_or(0), memory.last().copied().unwrap_or(0));
    let most = memory.iter().copied().max().unwrap_or(0);
    println!(
        "{requests} requests in {:.1} s, {rate:.0} a second, every answer right; the slowest took {} ms",
        since.elapsed().as_secs_f64(),
        tally.slowest_us.load(Ordering::Relaxed) / 1_000,
    );
    println!("resident memory after warm-up {first} KiB, most {most} KiB, at the end {last} KiB");
    if rate < 0.98 * args.rate as f64 {
        return Err(format!("only {rate:.0} requests a second; it must be {}", args.rate));
    }
    // A page here and there is the allocator's own.
    if most > first + first / 50 {
        return Err(format!("memory grew from {first} KiB to {most} KiB"));
    }
    Ok(())
}

impl Worker {
    /// A request at each tick, until the end.
    async fn work(mut self, end: Instant, pause: Duration) -> Outcome {
        let mut ticks = tokio::time::interval(pause);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        while Instant::now() < end {
            ticks.tick().await;
            self.one().await?;
        }
        Ok(())
    }

    /// The next request of the mix, on the next reservation: mostly extensions, some replays and reads, now and then
    /// a commit and a new reservation in its place.
    async fn one(&mut self) -> Outcome {
        let turn = self.serial;
        let count = self.leases.len() as u64;
        let index = usize::try_from(turn % count).unwrap_or(0);
        match turn % 20 {
            0 => self.replay(index).await,
            1 => self.read(index).await,
            2 if turn / count % 4 == 0 => self.replace(index).await,
            3 => self.replay_create(index).await,
            _ => self.extend(index).await,
        }
    }

    fn key(&mut self) -> String {
        self.serial += 1;
        format!("load-{}-{}", self.number, self.serial)
    }

    async fn create(&mut self) -> Outcome<Lease> {
        let key = self.key();
        let body = self.post("/v1/reservations", 200, &created_by(&key)).await?;
        let expiry = number(&body, "expires_at_ms")?;
        must(number(&body, "remaining_ttl_ms")? == TTL_MS, "a new lease has its TTL", &body)?;
        let id = body["reservation_id"].as_str().ok_or("no reservation_id")?.to_owned();
        Ok(Lease { id, create_key: key, created_expiry: expiry, expiry, last: None })
    }

    async fn replay_create(&mut self, index: usize) -> Outcome {
        self.serial += 1;
        let request = created_by(&self.leases[index].create_key);
        let body = self.post("/v1/reservations", 200, &request).await?;
        let lease = &self.leases[index];
        must(body["reservation_id"] == lease.id.as_str(), "a replay names the same", &body)?;
        must(number(&body, "expires_at_ms")? == lease.created_expiry, "a replay repeats", &body)?;
        must(number(&body, "remaining_ttl_ms")? <= TTL_MS, "a replay does not overstate", &body)
    }

    async fn extend(&mut self, index: usize) -> Outcome {
        let key = self.key();
        let path = format!("/v1/reservations/{}/extend", self.leases[index].id);
        let body =
            self.post(&path, 200, &json!({"idempotency_key": key, "extend_by_ms": EXTEND_BY_MS})).await?;
        let lease = &mut self.leases[index];
        lease.expiry += EXTEND_BY_MS;
        lease.last = Some((key, lease.expiry));
        must(number(&body, "expires_at_ms")? == lease.expiry, "an extension adds", &body)
    }

    async fn replay(&mut self, index: usize) -> Outcome {
        let Some((key, expiry)) = self.leases[index].last.clone() else { return self.extend(index).await };
        self.serial += 1;
        let path = format!("/v1/reservations/{}/extend", self.leases[index].id);
        let request = json!({"idempotency_key": key, "extend_by_ms": EXTEND_BY_MS});
        let body = self.post(&path, 200, &request).await?;
        let answered = number(&body, "expires_at_ms")?;
        let lease = &mut self.leases[index];
        // An answer older than the retention is forgotten, and its key is fresh again.
        if answered == lease.expiry + EXTEND_BY_MS {
            lease.expiry = answered;
            lease.last = Some((key, answered));
        }
        must(answered == expiry || answered == lease.expiry, "a replay repeats", &body)
    }

    async fn read(&mut self, index: usize) -> Outcome {
        self.serial += 1;
        let path = format!("/v1/reservations/{}", self.leases[index].id);
        let request = self.client.get(self.url.clone() + &path);
        let body = self.send(request, 200).await?;
        let lease = &self.leases[index];
        must(body["status"] == "ACTIVE", "it is live", &body)?;
        must(number(&body, "expires_at_ms")? == lease.expiry, "it is as it was left", &body)
    }

    /// Commits one, sees that it is final, and makes another.
    async fn replace(&mut self, index: usize) -> Outcome {
        let (key, other) = (self.key(), self.key());
        let path = format!("/v1/reservations/{}", self.leases[index].id);
        let commit = json!({"idempotency_key": key, "actual": {"unit": "TOKENS", "amount": 40}});
        let body = self.post(&(path.clone() + "/commit"), 200, &commit).await?;
        must(body["charged"]["amount"] == 40 && body["released"]["amount"] == 60, "it is charged", &body)?;
        let body = self.post(&(path + "/release"), 409, &json!({"idempotency_key": other})).await?;
        must(body["error"] == "RESERVATION_FINALIZED", "it is final", &body)?;
        self.leases[index] = self.create().await?;
        Ok(())
    }

    async fn post(&self, path: &str, status: u16, body: &Value) -> Outcome<Value> {
        let request = self.client.post(self.url.clone() + path);
        self.send(request.header("Content-Type", "application/json").body(body.to_string()), status).await
    }

    async fn send(&self, request: reqwest::RequestBuilder, status: u16) -> Outcome<Value> {
        let sent = Instant::now();
        let response =
            request.header("X-Cycles-API-Key", API_KEY).send().await.map_err(|error| format!("{error:?}"))?;
        let answered = response.status().as_u16();
        let bytes = response.bytes().await.map_err(|error| format!("{error:?}"))?;
        let took_us = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.tally.requests.fetch_add(1, Ordering::Relaxed);
        self.tally.slowest_us.fetch_max(took_us, Ordering::Relaxed);
        let body = serde_json::from_slice(&bytes).map_err(|error| format!("{answered}: {error}"))?;
        if answered == status { Ok(body) } else { Err(format!("{answered}, not {status}: {body}")) }
    }
}

fn created_by(key: &str) -> Value {
    json!({
        "idempotency_key": key,
        "subject": {"tenant": "demo", "agent": "load"},
        "action": {"kind": "load", "name": "serve_load"},
        "estimate": {"unit": "TOKENS", "amount": 100},
        "ttl_ms": TTL_MS,
    })
}

fn number(body: &Value, name: &str) -> Outcome<u64> {
    body[name].as_u64().ok_or_else(|| format!("no {name}: {body}"))
}

fn must(holds: bool, what: &str, body: &Value) -> Outcome {
    if holds { Ok(()) } else { Err(format!("wrong answer, as {what}: {body}")) }
}

/// What of the process is in memory, in KiB.
fn resident_kib(process: u32) -> Outcome<u64> {
    let path = format!("/proc/{process}/status");
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().map_err(|error| format!("{path}: {line:?}: {error}"))
}
