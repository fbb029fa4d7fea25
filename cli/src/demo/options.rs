//! What the demo can be asked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use leasebeat::{Config, Millis, Plan, Settings};
use reqwest::Url;
use uuid::Uuid;

use super::faults::Fault;
use crate::serve::body::{Action, Amount, CreateRequest, Subject, Unit};
use crate::serve::scalar::{Text, Whole};
use crate::serve::{API_KEY, TENANT};
use crate::units::{self, seconds};

/// What to keep alive, for how long, and what to write.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How long to keep the lease alive
    #[arg(long = "for", value_name = "DURATION", value_parser = units::length, default_value = "40s")]
    pub(super) length: Duration,
    /// TTL of the lease, and length of each extension
    #[arg(long, value_name = "DURATION", value_parser = units::ttl, default_value = "8s")]
    pub(super) ttl: Millis,
    /// Bound of one whole attempt on the wire, from connect to the last byte
    #[arg(long, value_name = "DURATION", value_parser = units::timeout, default_value = "1500ms")]
    pub(super) timeout: Millis,
    /// What noticing a failure may take besides: late timers, a busy machine
    #[arg(long, value_name = "DURATION", value_parser = units::consumed, default_value = "500ms")]
    pub(super) slack: Millis,
    /// Where to draw the timeline
    #[arg(long, value_name = "FILE", default_value = "timeline.svg")]
    pub(super) svg: PathBuf,
    /// Write the trace to FILE and the decisions to FILE.decisions.jsonl, for `leasebeat replay`
    #[arg(long, value_name = "FILE")]
    pub(super) record: Option<PathBuf>,

    /// Keep the lease on this server instead of the demo's own; no faults are played then
    #[arg(long, value_name = "URL", requires = "api_key", help_heading = "Another server")]
    pub(super) server: Option<String>,
    /// The server's API key
    #[arg(long, value_name = "KEY", env = "LEASEBEAT_API_KEY", hide_env_values = true)]
    #[arg(help_heading = "Another server")]
    pub(super) api_key: Option<String>,
    /// The tenant that reserves
    #[arg(long, value_name = "NAME", default_value = TENANT, help_heading = "Another server")]
    pub(super) tenant: String,
    /// How much to reserve
    #[arg(long, value_name = "NUMBER", default_value = "1000", help_heading = "Another server")]
    pub(super) amount: u64,
    /// Of what
    #[arg(long, value_name = "UNIT", default_value = "TOKENS", help_heading = "Another server")]
    pub(super) unit: Unit,
    /// What kind of action it is for
    #[arg(long, value_name = "KIND", default_value = "demo.heartbeat", help_heading = "Another server")]
    pub(super) action_kind: String,
    /// The action's name
    #[arg(long, value_name = "NAME", default_value = "leasebeat-demo", help_heading = "Another server")]
    pub(super) action_name: String,
}

/// Where the lease is kept.
#[derive(Debug)]
pub(super) enum Target {
    /// On the demo's own server, through its faults.
    Local,
    Remote(Url),
}

/// The arguments, found to make sense together.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) target: Target,
    pub(super) api_key: String,
    pub(super) config: Config,
    pub(super) wire_timeout: Duration,
}

impl Args {
    /// The create, with a stem for all idempotency keys that no other run has.
    ///
    /// A name that is longer than the protocol allows is an error.
    pub(super) fn create_request(&self) -> Result<CreateRequest, String> {
        let tenant = if self.server.is_some() { self.tenant.as_str() } else { TENANT };
        Ok(CreateRequest {
            idempotency_key: Text::new(format!("leasebeat-{}", Uuid::new_v4().simple()))?,
            subject: Subject { tenant: Some(text("--tenant", tenant)?), ..Subject::default() },
            action: Action {
                kind: text("--action-kind", &self.action_kind)?,
                name: text("--action-name", &self.action_name)?,
                tags: None,
            },
            estimate: Amount { unit: self.unit, amount: Whole::new(self.amount) },
            ttl_ms: Some(Whole::new(self.ttl.get())),
            grace_period_ms: None,
            overage_policy: None,
            dry_run: None,
            metadata: None,
        })
    }
}

fn text<const MIN: usize, const MAX: usize>(flag: &str, value: &str) -> Result<Text<MIN, MAX>, String> {
    Text::new(value).map_err(|error| format!("{flag} {value:?} {error}"))
}

impl Checked {
    pub(super) fn new(args: &Args) -> Result<Self, String> {
        // The kernel budgets for a whole failed attempt, and noticing that it failed is part of it. Enforcing
        // less on the wire than the kernel is told leaves room for that: were both the same, a timer that
        // is late by any time at all would leave an attempt that timed out no safe retry.
        let bound = args.timeout.get().saturating_add(args.slack.get());
        let settings = Settings { request_timeout_ms: Some(bound), ..Settings::new(args.ttl.get()) };
        let config = Config::new(settings).map_err(|error| error.to_string())?;
        if !folder_of(&args.svg).is_dir() {
            return Err(format!("{}: no such folder", args.svg.display()));
        }
        let (target, api_key) = match (&args.server, &args.api_key) {
            (Some(url), Some(key)) => (Target::Remote(parse_url(url)?), key.clone()),
            _ => (Target::Local, API_KEY.to_owned()),
        };
        if matches!(target, Target::Local) {
            check_script(args, &config)?;
        }
        Ok(Self { target, api_key, config, wire_timeout: Duration::from_millis(args.timeout.get()) })
    }

    /// How many beats go well before each fault, so that all faults fit into `length`.
    pub(super) fn calm_beats(&self, length: Duration) -> usize {
        usize::from(length >= self.needed(1))
    }

    /// What all faults take, each with so many calm beats before it.
    fn needed(&self, calm_beats: u32) -> Duration {
        let (beat, recovery) = cadence(&self.config).unwrap_or_default();
        (beat * (calm_beats + 1) + recovery) * u32::try_from(Fault::ALL.len()).unwrap_or(u32::MAX)
    }
}

/// How long a beat waits on the demo's own server, and how long a recovery takes at most.
fn cadence(config: &Config) -> Option<(Duration, Duration)> {
    let plan = Plan::new(config, config.extend_by(), Millis::ZERO);
    let (delay, recovery) = (plan.delay()?, plan.attempt_budget()?);
    Some((Duration::from_millis(delay.get()), Duration::from_millis(recovery.get())))
}

/// The demo's own faults need a lease that can outlive them.
fn check_script(args: &Args, config: &Config) -> Result<(), String> {
    let (ttl, bound) = (args.ttl, Millis::new(args.timeout.get().saturating_add(args.slack.get())));
    if ttl.get() < 1_000 {
        return Err("the demo's server grants a TTL of 1s or more".to_owned());
    }
    if cadence(config).is_none() {
        return Err(format!(
            "a TTL of {} with a timeout and slack of {} is in the dead zone; `leasebeat plan --ttl {ms}ms \
             --timeout {}ms` says why",
            seconds(ttl),
            seconds(bound),
            bound.get(),
            ms = ttl.get(),
        ));
    }
    // At the beat the window is one attempt budget; the Retry-After must fit it with room to spare.
    if bound.get() < Fault::RETRY_AFTER_S * 1_000 + 500 {
        return Err(
            "timeout and slack must be 1500ms or more together, or the 429's Retry-After does not fit".into(),
        );
    }
    Ok(())
}

fn parse_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("--server {text}: {error}"))?;
    if matches!(url.scheme(), "http" | "https") && url.has_host() {
        return Ok(url);
    }
    Err(format!("--server {text}: expected an http or https URL"))
}

/// A bare file name stands in the current folder.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
