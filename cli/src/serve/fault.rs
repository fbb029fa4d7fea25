//! What can go wrong with one request, as it is written in flags, files and headers.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use leasebeat::ErrorCode;

/// How `--help` and complaints name the faults.
pub(crate) const FAULTS: &str = "lost-response, reset, delay=DURATION, delay-before=DURATION, status=CODE[:ERROR], \
     status-after=CODE[:ERROR], throttle[=RETRY_AFTER], malformed, wrong-schema, body=TEXT, accepted, truncated, \
     stall, clock=+DURATION, clock=-DURATION, close-tenant";

/// Nothing waits longer: a test that hangs for an hour is a mistake.
const DELAY_MAX: Duration = Duration::from_secs(3_600);

/// Everything that goes wrong with one request: at most one answer, with delays and steps of the clock besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fault {
    /// A step of the server's clock before anything else, in ms.
    pub(crate) clock_ms: i64,
    /// The tenant is closed for good before the request is handled.
    pub(crate) close_tenant: bool,
    /// Held back so long before it is applied.
    pub(crate) before: Duration,
    /// The answer is held back so long.
    pub(crate) after: Duration,
    pub(crate) answer: Answer,
    /// As it was written.
    text: String,
}

/// What becomes of the request and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Answer {
    /// Applied and answered as it should be.
    #[default]
    Whole,
    /// Applied or not, then the connection is reset without an answer.
    Reset { applied: bool },
    /// Applied or not, and answered with this error.
    Status { status: u16, code: ErrorCode, applied: bool },
    /// Not applied: 429 with this Retry-After, or without one.
    Throttle(Option<String>),
    /// Applied: the status is right, and the body half of a JSON text.
    Malformed,
    /// Applied: the status is right, and the body JSON of another form.
    WrongSchema,
    /// Applied: the status is right, and the body this text.
    Body(String),
    /// Applied, and answered 202 with the right body.
    Accepted,
    /// Applied: the connection ends in the middle of the body.
    Truncated,
    /// Applied: the body stops half-way and the connection stays.
    Stall,
}

impl Answer {
    /// Whether the request is handled at all.
    pub(super) fn applies(&self) -> bool {
        !matches!(
            self,
            Self::Reset { applied: false } | Self::Status { applied: false, .. } | Self::Throttle(_)
        )
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// One or more faults with commas between them. The text of `throttle=` and `body=` goes on to the end, so these
/// come last.
impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut fault = Self { text: text.trim().to_owned(), ..Self::default() };
        let mut rest = Some(text.trim());
        while let Some(left) = rest {
            let takes_all = left.starts_with("throttle=") || left.starts_with("body=");
            let (one, behind) = match left.split_once(',') {
                Some((one, behind)) if !takes_all => (one.trim(), Some(behind.trim())),
                _ => (left, None),
            };
            fault.add(one).map_err(|error| format!("fault {one:?}: {error}"))?;
            rest = behind;
        }
        Ok(fault)
    }
}

impl Fault {
    fn add(&mut self, one: &str) -> Result<(), String> {
        let (name, value) = one.split_once('=').map_or((one, None), |(name, value)| (name, Some(value)));
        let needs = |what: &str| value.ok_or_else(|| format!("it needs {what}: {name}={what}"));
        match name {
            "clock" => self.clock_ms = step(needs("+DURATION")?)?,
            "delay" => self.after = delay(needs("DURATION")?)?,
            "delay-before" => self.before = delay(needs("DURATION")?)?,
            "close-tenant" => self.close_tenant = true,
            "throttle" => self.answer_with(Answer::Throttle(value.map(str::to_owned)))?,
            "status" => self.answer_with(status(needs("CODE")?, false)?)?,
            "status-after" => self.answer_with(status(needs("CODE")?, true)?)?,
            "body" => self.answer_with(Answer::Body(needs("TEXT")?.to_owned()))?,
            _ => self.answer_with(match (name, value) {
                ("lost-response", None) => Answer::Reset { applied: true },
                ("reset", None) => Answer::Reset { applied: false },
                ("malformed", None) => Answer::Malformed,
                ("wrong-schema", None) => Answer::WrongSchema,
                ("accepted", None) => Answer::Accepted,
                ("truncated", None) => Answer::Truncated,
                ("stall", None) => Answer::Stall,
                _ => return Err(format!("it must be one of {FAULTS}")),
            })?,
        }
        Ok(())
    }

    fn answer_with(&mut self, answer: Answer) -> Result<(), String> {
        // A header cannot carry it, and the server would have to give up the answer that was asked for.
        if let Answer::Throttle(Some(text)) = &answer {
            if !text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
                return Err("the Retry-After must be printable ASCII".to_owned());
            }
        }
        if self.answer != Answer::Whole {
            return Err("a request is answered once; this is its second answer".to_owned());
        }
        self.answer = answer;
        Ok(())
    }
}

fn status(text: &str, applied: bool) -> Result<Answer, String> {
    let (number, name) = text.split_once(':').map_or((text, None), |(number, name)| (number, Some(name)));
    let Ok(status @ 300..=599) = number.parse() else {
        return Err(format!("the status is {number}; it must be from 300 to 599"));
    };
    let code = match name {
        Some(name) => ErrorCode::from_name(name).ok_or_else(|| {
            let names: Vec<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
            format!("the error is {name}; it must be one of {}", names.join(", "))
        })?,
        None => match status {
            401 => ErrorCode::Unauthorized,
            403 => ErrorCode::Forbidden,
            404 => ErrorCode::NotFound,
            410 => ErrorCode::ReservationExpired,
            429 => ErrorCode::LimitExceeded,
            500.. => ErrorCode::InternalError,
            _ => ErrorCode::InvalidRequest,
        },
    };
    Ok(Answer::Status { status, code, applied })
}

fn delay(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(delay) if delay <= DELAY_MAX => Ok(delay),
        Ok(_) => Err(format!("the delay is {text}; it must be from 0s to 1h")),
        Err(error) => Err(format!("the delay is {text}: {error}; it must be from 0s to 1h")),
    }
}

/// `+30s` or `-30s`, up to a year.
fn step(text: &str) -> Result<i64, String> {
    const YEAR_MS: i64 = 365 * 86_400_000;
    let range = || format!("the step is {text}; it must be from -365days to +365days, with its sign");
    let (sign, length) = match text.split_at_checked(1) {
        Some(("+", length)) => (1, length),
        Some(("-", length)) => (-1, length),
        _ => return Err(range()),
    };
    let length = humantime::parse_duration(length).map_err(|error| format!("{}: {error}", range()))?;
    match i64::try_from(length.as_millis()) {
        Ok(ms) if ms <= YEAR_MS => Ok(sign * ms),
        _ => Err(range()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer {
        text.parse::<Fault>().expect("a fault").answer
    }

    #[test]
    fn each_fault_is_read() {
        assert_eq!(answer("lost-response"), Answer::Reset { applied: true });
        assert_eq!(answer("reset"), Answer::Reset { applied: false });
        let code = ErrorCode::InternalError;
        assert_eq!(answer("status=503"), Answer::Status { status: 503, code, applied: false });
        assert_eq!(answer("status-after=500"), Answer::Status { status: 500, code, applied: true });
        let code = ErrorCode::TenantClosed;
        assert_eq!(answer("status=409:TENANT_CLOSED"), Answer::Status { status: 409, code, applied: false });
        assert_eq!(answer("throttle"), Answer::Throttle(None));
        assert_eq!(answer("throttle="), Answer::Throttle(Some(String::new())));
        let date = "Wed, 21 Oct 2026 07:28:00 GMT";
        assert_eq!(answer(&format!("delay=1s, throttle={date}")), Answer::Throttle(Some(date.to_owned())));
        assert_eq!(answer("body={\"a\":1,\"b\":2}"), Answer::Body("{\"a\":1,\"b\":2}".to_owned()));
        let whole: Fault = "clock=-30s, delay-before=5ms, delay=1s, close-tenant".parse().expect("a fault");
        assert_eq!((whole.clock_ms, whole.close_tenant), (-30_000, true));
        assert_eq!((whole.before, whole.after), (Duration::from_millis(5), Duration::from_secs(1)));
        assert_eq!(whole.answer, Answer::Whole);
    }

    #[test]
    fn what_is_no_fault_is_told_what_would_be_one() {
        for (text, complaint) in [
            ("", "one of lost-response"),
            ("explode", "one of lost-response"),
            ("reset=1", "one of lost-response"),
            ("delay", "delay=DURATION"),
            ("delay=2h", "from 0s to 1h"),
            ("status=200", "from 300 to 599"),
            ("status=600", "from 300 to 599"),
            ("status=409:OOPS", "one of INVALID_REQUEST"),
            ("clock=30s", "from -365days to +365days"),
            ("clock=+366days", "from -365days to +365days"),
            ("throttle=\u{e9}", "printable ASCII"),
            ("reset, stall", "second answer"),
        ] {
            let error = text.parse::<Fault>().expect_err("no fault");
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }
}
