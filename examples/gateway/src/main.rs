//! Keeps many leases alive over HTTP, with one timer for all of them.

use std::num::NonZeroU64;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser;
use hyper::header::HeaderValue;
use leasebeat::fleet::Fleet;
use leasebeat::{Config, Millis};
use leasebeat_gateway::clock;
use leasebeat_gateway::connection::{self, Route};
use leasebeat_gateway::figures::Figures;
use leasebeat_gateway::live::Live;
use leasebeat_gateway::memory::Room;
use leasebeat_gateway::options::{Options, millis};
use leasebeat_gateway::owner::{Kept, Owner};
use leasebeat_gateway::ramp::Ramp;
use leasebeat_gateway::request::Template;
use leasebeat_gateway::server::Server;

fn main() -> ExitCode {
    let options = Options::parse();
    match run(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(what) => {
            eprintln!("leasebeat-gateway: {what}");
            ExitCode::from(2)
        }
    }
}

/// Whether every lease was kept. The server ends last, when no connection to it is left.
fn run(options: &Options) -> Result<bool, String> {
    let config = options.config()?;
    let (server, address) = if let Some(address) = options.address()? {
        (None, address)
    } else {
        let server = Server::start(options)?;
        let address = server.address.clone();
        (Some(server), address)
    };
    // One thread: whoever owns the leases does little, and must not wait for others.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
    runtime.block_on(keep(options, config, &address, server.as_ref().map(Server::id)))
}

async fn keep(options: &Options, config: Config, address: &str, server: Option<u32>) -> Result<bool, String> {
    let (jobs, to_send) = async_channel::unbounded();
    let (reply, answers) = tokio::sync::mpsc::unbounded_channel();
    let template = template(options, address)?;
    for _ in 0..options.connections {
        let (address, template) = (address.to_owned(), template.clone());
        tokio::spawn(connection::run(Route {
            address,
            template,
            jobs: to_send.clone(),
            answers: reply.clone(),
        }));
    }
    drop((to_send, reply));

    let mut live = Live::start(server);
    let leases = usize::try_from(options.leases).map_err(|error| error.to_string())?;
    let (pace, seconds) = options.pace();
    let mut room = Room::new(leases, seconds);
    let mut fleet = Fleet::new(room.memory(), pace);
    let mut owner = Owner {
        class: fleet.add_class(config).map_err(|error| error.to_string())?,
        fleet,
        kept: vec![Kept::default(); leases],
        ramp: Ramp::new(clock::now(), options.leases, options.creates),
        timeout: Millis::new(millis(options.timeout)),
        tick_ns: NonZeroU64::new(millis(options.tick) * 1_000_000).unwrap_or(NonZeroU64::MIN),
        jobs,
        answers,
        figures: Figures::default(),
    };
    let stop = async {
        tokio::select! {
            () = tokio::time::sleep(options.length) => {}
            _ = tokio::signal::ctrl_c() => {}
        }
    };
    owner.run(&mut live, stop).await;
    live.show(&mut owner);
    live.summary();
    if options.json {
        println!("{}", live.took(options.leases).line());
    }
    Ok(live.stops.is_empty() && live.least_lead_ms != Some(0))
}

fn template(options: &Options, address: &str) -> Result<Template, String> {
    let header = |name, value: &str| {
        HeaderValue::from_str(value).map_err(|_| format!("{name} {value:?} is no header"))
    };
    let mut api_key = header("--api-key", &options.api_key)?;
    api_key.set_sensitive(true);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Template {
        authority: header("--url", address)?,
        api_key,
        tenant: options.tenant.clone(),
        stem: format!("gateway-{:x}-{:x}", std::process::id(), since_epoch.as_nanos()),
        ttl_ms: millis(options.ttl),
    })
}
