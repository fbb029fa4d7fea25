//! Durations on the command line, in and out.

use std::time::Duration;

use leasebeat::{ConfigField, Millis};

const NANOS_PER_MILLI: u128 = 1_000_000;

/// A TTL: whole milliseconds, rounded down as every lead is, in the range of `extend_by_ms`.
pub(crate) fn ttl(text: &str) -> Result<Millis, String> {
    let ms = parse(text)?.as_nanos() / NANOS_PER_MILLI;
    let range = ConfigField::ExtendByMs.range();
    match u64::try_from(ms) {
        Ok(ms) if range.contains(&ms) => Ok(Millis::new(ms)),
        _ => Err("a TTL is from 1ms to 24h".to_owned()),
    }
}

/// A timeout: whole milliseconds, rounded up as every budget is, 1 or more.
pub(crate) fn timeout(text: &str) -> Result<Millis, String> {
    match consumed(text)? {
        Millis::ZERO => Err("a timeout is 1ms or more".to_owned()),
        timeout => Ok(timeout),
    }
}

/// Time consumed: whole milliseconds, rounded up.
pub(crate) fn consumed(text: &str) -> Result<Millis, String> {
    let ms = parse(text)?.as_nanos().div_ceil(NANOS_PER_MILLI);
    u64::try_from(ms).map(Millis::new).map_err(|_| "too long".to_owned())
}

/// How long to go on: anything but no time at all.
pub(crate) fn length(text: &str) -> Result<Duration, String> {
    match parse(text)? {
        Duration::ZERO => Err("it must be longer than nothing".to_owned()),
        length => Ok(length),
    }
}

fn parse(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| format!("{error}; write 60s, 1500ms or 1m 30s"))
}

/// Milliseconds as seconds, without digits that say nothing: `29.5 s`.
pub(crate) fn seconds(millis: Millis) -> String {
    let (whole, rest) = (millis.get() / 1_000, millis.get() % 1_000);
    if rest == 0 {
        return format!("{whole} s");
    }
    let digits = format!("{rest:03}");
    format!("{whole}.{} s", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_never_flatters_the_lease() {
        assert_eq!(ttl("1999us"), Ok(Millis::new(1)));
        assert_eq!(timeout("1999us"), Ok(Millis::new(2)));
        assert_eq!(consumed("1ns"), Ok(Millis::new(1)));
        assert_eq!(consumed("0s"), Ok(Millis::ZERO));
    }

    #[test]
    fn ranges_end_where_they_say() {
        assert!(ttl("999us").is_err());
        assert!(ttl("1ms").is_ok());
        assert!(ttl("24h").is_ok());
        assert!(ttl("24h 1ms").is_err());
        assert!(timeout("0s").is_err());
        assert!(length("0s").is_err());
        assert!(consumed("500000000000years").is_err());
        assert!(parse("sixty").is_err());
    }

    #[test]
    fn seconds_are_exact_and_short() {
        assert_eq!(seconds(Millis::new(29_500)), "29.5 s");
        assert_eq!(seconds(Millis::new(37_000)), "37 s");
        assert_eq!(seconds(Millis::new(7)), "0.007 s");
        assert_eq!(seconds(Millis::new(0)), "0 s");
    }
}
