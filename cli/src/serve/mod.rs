//! `leasebeat serve`: a server to test an SDK against, with the protocol's rules and any fault on demand.

mod apply;
mod asked;
pub(crate) mod body;
mod correlate;
mod fault;
mod log;
mod options;
mod problem;
mod reply;
mod routes;
pub(crate) mod scalar;
mod script;
mod server;
mod values;
mod world;

use std::io::Write;
use std::process::ExitCode;

use leasebeat::Millis;
use serde_json::json;

use crate::clock::Clock;
use crate::exit;
use log::Log;
use options::Setup;
pub(crate) use options::{API_KEY, Args, TENANT};
pub(crate) use script::Rule;
pub(crate) use server::Server;

/// Serves until it is told to stop.
pub(crate) fn run(args: Args) -> ExitCode {
    let result = args.setup().and_then(|setup| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .map_err(|error| format!("cannot start: {error}"))?;
        runtime.block_on(serve(setup))
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => exit::bad_input(what),
    }
}

/// A server within this process, on a free port of the loopback interface, without a log: one tenant, any number of
/// extensions, each up to `max_lead` from now.
pub(crate) async fn local(max_lead: Millis, faults: Vec<Rule>, clock: Clock) -> Result<Server, String> {
    let setup = Args::local(max_lead, faults).setup()?;
    Server::start(setup, clock, Log::none()).await
}

async fn serve(setup: Setup) -> Result<(), String> {
    let (log, writer) = Log::start(setup.log.as_deref())?;
    let server = Server::start(setup, Clock::start(), log.clone()).await?;
    let address = server.address();
    // The first line of standard output, wherever the log goes: a script reads the port from it.
    let url = format!("http://{address}");
    say(&json!({"event": "listening", "address": address.to_string(), "port": address.port(), "url": url}));
    crate::signal::asked_to_stop().await;
    server.stop().await;
    log.write(&json!({"event": "stopped"}));
    log.end();
    tokio::task::spawn_blocking(move || writer.join())
        .await
        .map_err(|error| error.to_string())?
        .map_err(|_| "the log's writer has failed".to_owned())
}

/// Says a line on standard output. A reader that has gone away is no reason to stop.
fn say(line: &serde_json::Value) {
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
