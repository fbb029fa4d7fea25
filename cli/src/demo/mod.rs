//! `leasebeat demo`: a real server, a real client, real faults, and one lease that is kept alive through them.

mod api;
mod client;
mod close;
mod faults;
mod live;
mod options;
mod record;
mod summary;
mod tally;

use std::process::ExitCode;

use leasebeat::Heartbeat;
use reqwest::Url;

use crate::clock::Clock;
use crate::exit;
use crate::serve::{self, Server};
use crate::timeline::Timeline;
use api::Api;
use live::Live;
pub(crate) use options::Args;
use options::{Checked, Target};
use record::Recorder;
use summary::Summary;
use tally::Tally;

/// Runs the demo to its end.
pub(crate) fn run(args: &Args) -> ExitCode {
    let checked = match Checked::new(args) {
        Ok(checked) => checked,
        Err(what) => return exit::bad_input(what),
    };
    // One worker for the server, one for the client: neither waits for the other's processor.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(keep_a_lease(args, &checked)),
        Err(error) => Err(format!("cannot start: {error}")),
    };
    match result {
        Ok(summary) => {
            live::say(&format!("\n{summary}"));
            summary.verdict().map_or_else(exit::not_kept, |()| ExitCode::SUCCESS)
        }
        Err(what) => exit::bad_input(what),
    }
}

async fn keep_a_lease(args: &Args, checked: &Checked) -> Result<Summary, String> {
    let clock = Clock::start();
    let mut recorder = Recorder::create(args.record.as_deref(), &checked.config)?;
    let server = match checked.target {
        Target::Local => Some(start_server(args, checked, clock).await?),
        Target::Remote(_) => None,
    };
    let base = match (&checked.target, &server) {
        (Target::Remote(url), _) => url.clone(),
        (Target::Local, Some(server)) => local_url(server)?,
        (Target::Local, None) => unreachable!("a local server was just started"),
    };
    let api = Api::new(base, &checked.api_key, checked.wire_timeout, args.create_request()?, clock)?;
    let live = Live::start(clock, checked.config.extend_by());
    live.introduce(args, checked, server.as_ref());

    let mut timeline = Timeline::new();
    let mut tally = Tally::new(server);
    let close = close::Close::after(args.length);
    let stop = client::keep(Heartbeat::new(checked.config), &api, clock, close.wait(), |step| {
        timeline.record(step.at, &step.event, &step.decision, step.heartbeat);
        recorder.write(step);
        tally.count(step, api.reservation_id());
        live.show(step);
    })
    .await;
    live.end();

    timeline.write_svg(&args.svg).map_err(|error| format!("{}: {error}", args.svg.display()))?;
    recorder.finish()?;
    Ok(Summary::new(args, tally, stop, close.interrupted()))
}

async fn start_server(args: &Args, checked: &Checked, clock: Clock) -> Result<Server, String> {
    // The lead is capped at the TTL: each beat is as urgent as the first, and more of them fit the time.
    let rules = faults::rules(checked.calm_beats(args.length));
    serve::local(checked.config.extend_by(), rules, clock).await
}

fn local_url(server: &Server) -> Result<Url, String> {
    let address = server.address();
    Url::parse(&format!("http://{address}")).map_err(|error| format!("{address}: {error}"))
}
