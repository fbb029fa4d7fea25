//! What the gateway can be told.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use leasebeat::fleet::Pace;
use leasebeat::{Config, Settings};

/// How much more than its timeout the kernels budget for an attempt, at least.
const SLACK_MIN: Duration = Duration::from_millis(250);

/// Keeps many leases alive over HTTP, with one timer for all of them, and shows how it goes once a second
#[derive(Debug, Clone, Parser)]
#[command(
    name = "leasebeat-gateway",
    version,
    after_help = "Exit codes: 0 all leases were kept, 1 not all, 2 bad input"
)]
pub struct Options {
    /// How many leases to keep
    #[arg(long, value_name = "NUMBER", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub leases: u32,
    /// How long a lease lives, and how much each extension adds
    #[arg(long, value_name = "DURATION", default_value = "60s", value_parser = humantime::parse_duration)]
    pub ttl: Duration,
    /// When an attempt is given up
    #[arg(long, value_name = "DURATION", default_value = "4s", value_parser = humantime::parse_duration)]
    pub timeout: Duration,
    /// What the kernels budget for an attempt: more than its timeout, as noticing that it has passed takes time too [default:
    /// an eighth more, at least 250ms]
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub budget: Option<Duration>,
    /// What is due within so long leaves together
    #[arg(long, value_name = "DURATION", default_value = "5ms", value_parser = humantime::parse_duration)]
    pub tick: Duration,
    /// How much earlier than due a beat may leave, in thousandths of its wait: leases that began together come apart
    #[arg(long, value_name = "PERMILLE", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=500))]
    pub jitter: u16,
    /// Beats planned for one second, at most; what is more leaves earlier. 0: no limit
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub beats: u32,
    /// How long to keep them, counted from the start
    #[arg(long = "for", value_name = "DURATION", default_value = "180s", value_parser = humantime::parse_duration)]
    pub length: Duration,
    /// Connections in the pool, each with one request at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 32, value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub connections: u16,
    /// Leases created in a second, at most
    #[arg(long, value_name = "NUMBER", default_value_t = 5_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub creates: u32,
    /// At the end, also say as JSON what keeping them took once all were there
    #[arg(long)]
    pub json: bool,
    /// Keep them on this server, such as http://127.0.0.1:7878 [default: a `leasebeat serve` of its own]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// API key of the server
    #[arg(long, value_name = "KEY", default_value = "demo-key")]
    pub api_key: String,
    /// Tenant whose leases they are
    #[arg(long, value_name = "NAME", default_value = "demo")]
    pub tenant: String,
    /// The command to start as its own server [default: `leasebeat` beside this program]
    #[arg(long, value_name = "FILE", conflicts_with = "url", help_heading = "Its own server")]
    pub server: Option<PathBuf>,
    /// A fault for it to play, as `leasebeat serve --fault` takes it; can be repeated
    #[arg(long = "fault", value_name = "RULE", conflicts_with = "url", help_heading = "Its own server")]
    pub faults: Vec<String>,
    /// How far beyond now it lets an extension move the expiry [default: no limit]
    #[arg(long, value_name = "DURATION", conflicts_with = "url", help_heading = "Its own server")]
    pub max_lead: Option<String>,
    /// Where it writes its log [default: nowhere]
    #[arg(long, value_name = "FILE", conflicts_with = "url", help_heading = "Its own server")]
    pub log: Option<PathBuf>,
}

impl Options {
    /// What the kernels budget for an attempt.
    #[must_use]
    pub fn budget(&self) -> Duration {
        self.budget.unwrap_or(self.timeout + (self.timeout / 8).max(SLACK_MIN))
    }

    /// What the kernels are told.
    ///
    /// # Errors
    /// A duration that is out of the kernel's range, or a budget that is no more than the timeout.
    pub fn config(&self) -> Result<Config, String> {
        if self.budget() <= self.timeout {
            let (budget, timeout) = (millis(self.budget()), millis(self.timeout));
            return Err(format!("--budget {budget} ms: it must be more than the timeout, {timeout} ms"));
        }
        let settings =
            Settings { request_timeout_ms: Some(millis(self.budget())), ..Settings::new(millis(self.ttl)) };
        Config::new(settings).map_err(|error| error.to_string())
    }

    /// How the fleet spreads beats, and the seconds ahead that it needs memory for.
    #[must_use]
    pub fn pace(&self) -> (Pace, usize) {
        let pace = Pace { seed: 1, jitter_permille: self.jitter, beats_per_second: self.beats };
        // No wait is longer than what a lease can have left: what it had, and what an extension adds.
        let seconds = if self.beats > 0 { 2 * self.ttl.as_secs() + 2 } else { 0 };
        (pace, usize::try_from(seconds).unwrap_or(usize::MAX))
    }

    /// `host:port` of the server that was named.
    ///
    /// # Errors
    /// Anything but a plain `http://host:port`: TLS is left to a proxy, or to another example.
    pub fn address(&self) -> Result<Option<String>, String> {
        let Some(url) = &self.url else { return Ok(None) };
        let address = url.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
        match address.filter(|address| !address.is_empty() && !address.contains(['/', '@', '?', '#'])) {
            Some(address) if address.contains(':') => Ok(Some(address.to_owned())),
            Some(address) => Ok(Some(format!("{address}:80"))),
            None => Err(format!("--url {url:?}: it must be http://HOST:PORT")),
        }
    }
}

/// In whole milliseconds, rounded up.
#[must_use]
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> Options {
        Options::try_parse_from([&["leasebeat-gateway"], arguments].concat()).expect("they are well-formed")
    }

    #[test]
    fn the_server_is_named_by_host_and_port() {
        let address = |url| options(&["--url", url]).address();
        assert_eq!(address("http://127.0.0.1:7878/"), Ok(Some("127.0.0.1:7878".to_owned())));
        assert_eq!(address("http://leases.example"), Ok(Some("leases.example:80".to_owned())));
        for url in ["https://leases.example", "leases.example:80", "http://", "http://a/b", "http://me@a"] {
            assert!(address(url).is_err_and(|error| error.contains(url)), "{url}");
        }
        assert_eq!(options(&[]).address(), Ok(None));
    }

    #[test]
    fn the_kernels_budget_for_more_than_the_timeout() {
        let budget = |timeout| options(&["--timeout", timeout]).budget();
        assert_eq!(budget("1s"), Duration::from_millis(1_250));
        assert_eq!(budget("8s"), Duration::from_secs(9));
        let error =
            options(&["--timeout", "1s", "--budget", "1s"]).config().expect_err("no time to notice it");
        assert_eq!(error, "--budget 1000 ms: it must be more than the timeout, 1000 ms");
        assert!(options(&["--ttl", "25h"]).config().is_err());
    }
}
