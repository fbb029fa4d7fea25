//! The same leases kept by the official Rust client, `runcycles`: a guard, a task and a timer for each. It takes the gateway's
//! options, and says what it took in the gateway's words (`--json`).

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use leasebeat_gateway::clock;
use leasebeat_gateway::options::{Options, millis};
use leasebeat_gateway::ramp::Ramp;
use leasebeat_gateway::server::Server;
use leasebeat_gateway::took::Took;
use leasebeat_gateway::usage::Usage;
use runcycles::CyclesClient;
use runcycles::models::{Action, Amount, ReservationCreateRequest, Subject};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const CONNECT_TIMEOUT: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let options = Options::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let kept = runtime
        .map_err(|error| format!("cannot start: {error}"))
        .and_then(|runtime| runtime.block_on(keep(&options)));
    match kept {
        Ok(took) => {
            println!("{}", took.line());
            ExitCode::SUCCESS
        }
        Err(what) => {
            eprintln!("official: {what}");
            ExitCode::FAILURE
        }
    }
}

async fn keep(options: &Options) -> Result<Took, String> {
    let log = options.log.as_deref().ok_or("--log FILE: beats are counted there")?;
    let server = Server::start(options)?;
    let started = tokio::time::Instant::now();
    let client = CyclesClient::builder(&options.api_key, format!("http://{}", server.address))
        .tenant(&options.tenant)
        // Together the bound of an attempt, which is what the gateway's kernels are told.
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(options.budget().saturating_sub(CONNECT_TIMEOUT))
        .retry_enabled(false)
        .journal_enabled(false)
        .build();
    let mut ramp = Ramp::new(clock::now(), options.leases, options.creates);
    let in_flight = Arc::new(Semaphore::new(options.connections.into()));
    let (mut creating, mut guards) = (JoinSet::new(), Vec::new());
    while let Some(due) = ramp.next() {
        tokio::time::sleep_until(clock::timer(due)).await;
        while ramp.take(clock::now()).is_some() {
            let permit = Arc::clone(&in_flight).acquire_owned().await.map_err(|error| error.to_string())?;
            let (client, request) = (client.clone(), request(options));
            creating.spawn(async move {
                let guard = client.reserve(request).await;
                drop(permit);
                guard
            });
        }
    }
    while let Some(guard) = creating.join_next().await {
        guards.push(guard.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?);
    }
    let (then, extended) = (Usage::of(std::process::id()).unwrap_or_default(), extensions(log)?);
    let since = tokio::time::Instant::now();
    tokio::time::sleep_until(started + options.length).await;
    let beats = extensions(log)?.saturating_sub(extended);
    let took = Took::since(then, "official", options.leases, beats);
    // Each lease beats when its reserve is all that is left of it.
    let period_ms = millis(options.ttl).saturating_sub(2 * millis(options.budget()) + 1_000).max(1);
    let expected = u64::from(options.leases) * millis(since.elapsed()) / period_ms;
    if beats < expected - expected / 5 {
        return Err(format!("{beats} extensions, expected about {expected}: it did not keep all leases"));
    }
    // Dropping a guard releases its reservation: not part of what is compared.
    std::mem::forget(guards);
    Ok(took)
}

/// Extensions that the server has logged. The client does not say how many it made.
fn extensions(log: &Path) -> Result<u64, String> {
    let log = File::open(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let mut count = 0;
    for line in BufReader::new(log).lines().map_while(Result::ok) {
        if line.contains(r#""event":"log-dropped""#) {
            return Err("the server's log is not whole: the beats in it are not all".to_owned());
        }
        count += u64::from(line.contains(r#""operation":"extend""#));
    }
    Ok(count)
}

fn request(options: &Options) -> ReservationCreateRequest {
    ReservationCreateRequest::builder()
        .subject(Subject { tenant: Some(options.tenant.clone()), ..Subject::default() })
        .action(Action::new("llm.completion", "gateway"))
        .estimate(Amount::tokens(1))
        .ttl_ms(millis(options.ttl))
        .build()
}
