//! The first line of a trace: the format and the configuration.

use leasebeat::{Config, Fallback, Settings};
use serde::Deserialize;
use serde_json::Value;

use crate::FORMAT;
use crate::line::describe;
use crate::object::Object;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    trace: String,
    // Free text; read only so that a note of another type is refused.
    #[serde(default, rename = "note")]
    _note: Option<String>,
    config: Object<RawConfig>,
}

/// The configuration's keys with any value: a wrong value is an invalid configuration, a wrong key a bad line.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    #[serde(default)]
    extend_by_ms: Value,
    #[serde(default)]
    request_timeout_ms: Value,
    #[serde(default)]
    clock_resolution_ns: Value,
    #[serde(default)]
    max_wait_ms: Value,
    #[serde(default)]
    fallback: Value,
}

pub(crate) enum HeaderError {
    /// The line is no header.
    Line(String),
    /// It is one, and its configuration is out of range or of the wrong type.
    Config(String),
}

pub(crate) fn parse(line: &[u8]) -> Result<Config, HeaderError> {
    let Object(header): Object<Header> =
        serde_json::from_slice(line).map_err(|error| HeaderError::Line(describe(&error)))?;
    if header.trace != FORMAT {
        return Err(HeaderError::Line(format!("trace is {:?}; expected {FORMAT:?}", header.trace)));
    }
    let settings = header.config.0.settings().map_err(HeaderError::Config)?;
    Config::new(settings).map_err(|error| HeaderError::Config(error.to_string()))
}

impl RawConfig {
    fn settings(&self) -> Result<Settings, String> {
        let extend_by_ms = whole("extend_by_ms", &self.extend_by_ms)?
            .ok_or_else(|| "extend_by_ms is missing; it must be from 1 to 86400000".to_owned())?;
        Ok(Settings {
            extend_by_ms,
            request_timeout_ms: whole("request_timeout_ms", &self.request_timeout_ms)?,
            clock_resolution_ns: whole("clock_resolution_ns", &self.clock_resolution_ns)?.unwrap_or(0),
            max_wait_ms: whole("max_wait_ms", &self.max_wait_ms)?,
            fallback: match &self.fallback {
                Value::Null => Fallback::default(),
                Value::String(name) if name == "band" => Fallback::Band,
                Value::String(name) if name == "refuse" => Fallback::Refuse,
                other => return Err(format!("fallback is {other}; it must be \"band\" or \"refuse\"")),
            },
        })
    }
}

fn whole(key: &str, value: &Value) -> Result<Option<u64>, String> {
    match value {
        Value::Null => Ok(None),
        _ => value.as_u64().map(Some).ok_or_else(|| format!("{key} is {value}; it must be a whole number")),
    }
}
