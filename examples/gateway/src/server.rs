//! A `leasebeat serve` of its own, which ends with the gateway.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde::Deserialize;

use crate::options::{Options, millis};

/// Records that the server takes at most.
const RECORDS_MAX: u64 = 10_000_000;

/// The running server.
#[derive(Debug)]
pub struct Server {
    process: Child,
    /// `host:port`.
    pub address: String,
    /// Kept open: what the server says besides would otherwise find nobody.
    _stdout: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
struct Listening {
    address: String,
}

impl Server {
    /// Starts it, with room for all leases and for their keys.
    ///
    /// # Errors
    /// It cannot be started, or ends at once.
    pub fn start(options: &Options) -> Result<Self, String> {
        let binary = options.server.clone().unwrap_or_else(beside_this);
        let failed = |what: &dyn std::fmt::Display| format!("{}: {what}", binary.display());
        // A key is remembered for longer than a retry with it can take: one for each create, and for each beat until then.
        let retention_ms = 10_000 + 2 * millis(options.timeout);
        let leases = u64::from(options.leases);
        let beats = 1 + 8 * retention_ms / millis(options.ttl).max(1);
        let keys = leases.saturating_mul(1 + beats).min(RECORDS_MAX);
        let mut command = Command::new(&binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--max-extensions", "none"]);
        command.arg("--tenant").arg(format!("{}={}", options.tenant, options.api_key));
        command.arg("--max-reservations").arg((leases + leases / 8).min(RECORDS_MAX).to_string());
        command.arg("--max-keys").arg(keys.to_string());
        command.arg("--retention").arg(format!("{retention_ms}ms"));
        command.arg("--log").arg(options.log.clone().unwrap_or_else(|| PathBuf::from("/dev/null")));
        command.args(options.max_lead.iter().flat_map(|lead| ["--max-lead", lead]));
        command.args(options.faults.iter().flat_map(|fault| ["--fault", fault]));
        // Ctrl-C is for the gateway, which then ends its server.
        command.process_group(0);
        let mut process = command.stdout(Stdio::piped()).spawn().map_err(|error| failed(&error))?;
        let mut stdout = BufReader::new(process.stdout.take().ok_or_else(|| failed(&"no output"))?);
        let mut line = String::new();
        stdout.read_line(&mut line).map_err(|error| failed(&error))?;
        let Ok(Listening { address }) = serde_json::from_str(&line) else {
            let _ = process.kill();
            let _ = process.wait();
            return Err(failed(&"it did not say where it listens"));
        };
        Ok(Self { process, address, _stdout: stdout })
    }

    /// Its process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(id) = rustix::process::Pid::from_raw(self.process.id().cast_signed()) {
            // As a service is ended: it writes what is left of its log.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
        }
        let _ = self.process.wait();
    }
}

fn beside_this() -> PathBuf {
    std::env::current_exe().map_or_else(|_| "leasebeat".into(), |path| path.with_file_name("leasebeat"))
}
