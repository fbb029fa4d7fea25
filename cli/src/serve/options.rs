//! What the server can be told: flags, and a file with the same names.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use leasebeat::Millis;
use leasebeat_authority::{Budget, Policy, Settings, Tenant};
use serde::Deserialize;

use super::fault::FAULTS;
use super::script::Rule;
use super::values::{Allocated, DAY_MS, MaxExtensions, Ms, Number, Rate};

/// The tenant of a server that is told of none, and its key.
pub(crate) const TENANT: &str = "demo";
pub(crate) const API_KEY: &str = "demo-key";

const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7_878);
const RETENTION_MS: u64 = 3_600_000;
const RESERVATIONS: u64 = 20_000;
const KEYS: u64 = 100_000;

/// A server to test an SDK against: the protocol's rules behind real HTTP, in memory, with faults on demand
#[derive(Debug, Clone, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(after_help = format!("Faults: {FAULTS}; several with commas between them"))]
pub(crate) struct Args {
    /// Address to listen on; port 0 takes a free one [default: 127.0.0.1:7878]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(super) listen: Option<SocketAddr>,
    /// Read these settings from a TOML file; flags come before it
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub(super) config: Option<PathBuf>,
    /// A tenant and its API key, NAME=KEY; can be repeated [default: demo=demo-key]
    #[arg(long = "tenant", value_name = "NAME=KEY", value_parser = tenant)]
    #[serde(rename = "tenants")]
    pub(super) tenants: Vec<TenantSettings>,
    #[command(flatten)]
    #[serde(rename = "policy")]
    pub(super) policy: PolicySettings,
    /// A fault to play, OPERATION:WHICH=FAULT, such as extend:2=lost-response; can be repeated
    #[arg(long = "fault", value_name = "RULE", help_heading = "Faults")]
    #[serde(rename = "faults")]
    pub(super) faults: Vec<Rule>,
    /// Refuse faults asked for by the header X-Leasebeat-Fault
    #[arg(long, help_heading = "Faults")]
    pub(super) no_header_faults: bool,
    /// Write the log to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,
    /// How long what ended and what was answered is remembered [default: 1h]
    #[arg(long, value_name = "DURATION", help_heading = "Storage")]
    pub(super) retention: Option<Ms<1_000, { 30 * DAY_MS }>>,
    /// How many reservations are remembered at once [default: 20000]
    #[arg(long, value_name = "NUMBER", help_heading = "Storage")]
    pub(super) max_reservations: Option<Number<1, 10_000_000>>,
    /// How many answers are remembered for their idempotency keys at once [default: 100000]
    #[arg(long, value_name = "NUMBER", help_heading = "Storage")]
    pub(super) max_keys: Option<Number<1, 10_000_000>>,
}

/// A tenant, in a file with a policy of its own.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TenantSettings {
    name: String,
    key: String,
    #[serde(default)]
    closed: bool,
    #[serde(default)]
    policy: PolicySettings,
}

/// What a tenant is allowed.
#[derive(Debug, Clone, Copy, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicySettings {
    /// TTL of a create that names none, from 1s to 24h [default: 60s]
    #[arg(long, value_name = "DURATION")]
    tenant_default_ttl: Option<Ms<1_000, DAY_MS>>,
    /// Longest TTL a create is granted, from 1s to 24h; more is silently capped [default: 24h]
    #[arg(long, value_name = "DURATION")]
    tenant_max_ttl: Option<Ms<1_000, DAY_MS>>,
    /// Extensions a reservation is granted, or none for any number [default: 10]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    max_extensions: Option<MaxExtensions>,
    /// Most that one extension adds, from 1ms to 24h
    #[arg(long, value_name = "DURATION")]
    grant_clamp: Option<Ms<1, DAY_MS>>,
    /// How far beyond now an extension may move the expiry, from 1ms to 24h
    #[arg(long, value_name = "DURATION")]
    max_lead: Option<Ms<1, DAY_MS>>,
    /// Let the maximum lead move an expiry back that is beyond it
    #[arg(long)]
    max_lead_shortens: bool,
    /// Leave remaining_ttl_ms out, as older servers do
    #[arg(long)]
    no_remaining_ttl: bool,
    /// Requests a tenant may make in each window, such as 20/1s; more are answered 429
    #[arg(long, value_name = "NUMBER/DURATION")]
    rate_limit: Option<Rate>,
    /// What each tenant may spend, such as '1000000 TOKENS' [default: without a limit]
    #[arg(long, value_name = "AMOUNT UNIT")]
    budget: Option<Allocated>,
}

/// Everything the server needs, found to make sense.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(super) listen: SocketAddr,
    /// Name and key of each tenant, in the order of `policies`.
    pub(super) names: Vec<(String, String)>,
    pub(super) tenants: Vec<Tenant>,
    pub(super) faults: Vec<Rule>,
    pub(super) header_faults: bool,
    pub(super) log: Option<PathBuf>,
    pub(super) retention: Millis,
    pub(super) reservations: usize,
    pub(super) keys: usize,
}

impl Args {
    /// For a server within a process, with room for little.
    pub(super) fn local(max_lead: Millis, faults: Vec<Rule>) -> Self {
        let policy = PolicySettings {
            max_extensions: Some(MaxExtensions(None)),
            max_lead: Some(Ms(max_lead.get())),
            ..PolicySettings::default()
        };
        Self {
            listen: Some(SocketAddr::new(LISTEN.ip(), 0)),
            policy,
            faults,
            max_reservations: Some(Number(100)),
            ..Self::default()
        }
    }

    /// With what the file says where no flag does.
    pub(super) fn with_file(self) -> Result<Self, String> {
        let Some(path) = &self.config else { return Ok(self) };
        let file = read(path)?;
        Ok(Self {
            listen: self.listen.or(file.listen),
            config: None,
            tenants: if self.tenants.is_empty() { file.tenants } else { self.tenants },
            policy: self.policy.or(file.policy),
            // The flags' faults come first, as the first rule that includes a request plays.
            faults: self.faults.into_iter().chain(file.faults).collect(),
            no_header_faults: self.no_header_faults || file.no_header_faults,
            log: self.log.or(file.log),
            retention: self.retention.or(file.retention),
            max_reservations: self.max_reservations.or(file.max_reservations),
            max_keys: self.max_keys.or(file.max_keys),
        })
    }

    /// All of it, with defaults.
    pub(super) fn setup(self) -> Result<Setup, String> {
        let args = self.with_file()?;
        let mut given = args.tenants;
        if given.is_empty() {
            given.push(tenant(&format!("{TENANT}={API_KEY}"))?);
        }
        let (mut names, mut tenants) = (Vec::<(String, String)>::new(), Vec::new());
        for one in given {
            check_tenant(&one)?;
            for (field, value, taken) in [
                ("name", &one.name, names.iter().any(|(name, _)| *name == one.name)),
                ("key", &one.key, names.iter().any(|(_, key)| *key == one.key)),
            ] {
                if taken {
                    return Err(format!("tenant {field} {value:?} is given twice; each must be its own"));
                }
            }
            let mut tenant = one.policy.or(args.policy).tenant()?;
            tenant.closed = one.closed;
            names.push((one.name, one.key));
            tenants.push(tenant);
        }
        Ok(Setup {
            listen: args.listen.unwrap_or(LISTEN),
            names,
            tenants,
            faults: args.faults,
            header_faults: !args.no_header_faults,
            log: args.log,
            retention: Millis::new(args.retention.map_or(RETENTION_MS, |retention| retention.0)),
            reservations: slots(args.max_reservations.map_or(RESERVATIONS, |number| number.0)),
            keys: slots(args.max_keys.map_or(KEYS, |number| number.0)),
        })
    }
}

impl PolicySettings {
    fn or(self, other: Self) -> Self {
        Self {
            tenant_default_ttl: self.tenant_default_ttl.or(other.tenant_default_ttl),
            tenant_max_ttl: self.tenant_max_ttl.or(other.tenant_max_ttl),
            max_extensions: self.max_extensions.or(other.max_extensions),
            grant_clamp: self.grant_clamp.or(other.grant_clamp),
            max_lead: self.max_lead.or(other.max_lead),
            max_lead_shortens: self.max_lead_shortens || other.max_lead_shortens,
            no_remaining_ttl: self.no_remaining_ttl || other.no_remaining_ttl,
            rate_limit: self.rate_limit.or(other.rate_limit),
            budget: self.budget.or(other.budget),
        }
    }

    fn tenant(self) -> Result<Tenant, String> {
        let usual = Settings::default();
        let settings = Settings {
            default_ttl_ms: self.tenant_default_ttl.map_or(usual.default_ttl_ms, |ttl| ttl.0),
            max_ttl_ms: self.tenant_max_ttl.map_or(usual.max_ttl_ms, |ttl| ttl.0),
            max_extensions: self.max_extensions.map_or(usual.max_extensions, |most| most.0),
            grant_clamp_ms: self.grant_clamp.map(|clamp| clamp.0),
            max_lead_ms: self.max_lead.map(|lead| lead.0),
            max_lead_shortens: self.max_lead_shortens,
            remaining_ttl: !self.no_remaining_ttl,
            rate_limit: self.rate_limit.map(|rate| rate.0),
        };
        let policy = Policy::new(settings).map_err(|error| error.to_string())?;
        Ok(Tenant::new(policy, self.budget.map(|budget| Budget::new(budget.0))))
    }
}

/// The slots that hold so many records: an eighth of them stays empty.
fn slots(records: u64) -> usize {
    usize::try_from(records.saturating_add(records.div_ceil(7))).unwrap_or(usize::MAX)
}

fn tenant(text: &str) -> Result<TenantSettings, String> {
    let (name, key) = text.split_once('=').ok_or("write NAME=KEY")?;
    let tenant = TenantSettings {
        name: name.to_owned(),
        key: key.to_owned(),
        closed: false,
        policy: PolicySettings::default(),
    };
    check_tenant(&tenant).map(|()| tenant)
}

fn check_tenant(tenant: &TenantSettings) -> Result<(), String> {
    let header = |text: &str| text.bytes().all(|byte| (0x21..0x7f).contains(&byte));
    for (field, value) in [("name", &tenant.name), ("key", &tenant.key)] {
        if !(1..=128).contains(&value.len()) || !header(value) {
            return Err(format!(
                "tenant {field} {value:?}: it must be 1 to 128 printable ASCII characters without spaces"
            ));
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Args, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
