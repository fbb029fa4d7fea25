//! Values of flags and of the configuration file: each says its range where it is not met.

use std::str::FromStr;
use std::time::Duration;

use leasebeat_authority::{Amount, RateLimit, Unit};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};

/// A duration of `MIN` to `MAX` whole milliseconds, written like `1500ms` or `1m 30s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ms<const MIN: u64, const MAX: u64>(pub(crate) u64);

/// Up to 24 hours: the longest lease.
pub(super) const DAY_MS: u64 = 86_400_000;

impl<const MIN: u64, const MAX: u64> FromStr for Ms<MIN, MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let out_of_range = || format!("it must be from {} to {}", written(MIN), written(MAX));
        let duration = humantime::parse_duration(text)
            .map_err(|error| format!("{error}; write 60s, 1500ms or 1m 30s; {}", out_of_range()))?;
        match u64::try_from(duration.as_millis()) {
            Ok(ms) if (MIN..=MAX).contains(&ms) => Ok(Self(ms)),
            _ => Err(out_of_range()),
        }
    }
}

fn written(ms: u64) -> String {
    humantime::format_duration(Duration::from_millis(ms)).to_string()
}

/// A number of `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number<const MIN: u64, const MAX: u64>(pub(crate) u64);

impl<const MIN: u64, const MAX: u64> FromStr for Number<MIN, MAX> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(number) if (MIN..=MAX).contains(&number) => Ok(Self(number)),
            _ => Err(format!("it must be from {MIN} to {MAX}")),
        }
    }
}

/// How many extensions, or `none` for any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MaxExtensions(pub(crate) Option<u32>);

impl FromStr for MaxExtensions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        let number = text.parse().map_err(|_| format!("it must be from 0 to {}, or none", u32::MAX))?;
        Ok(Self(Some(number)))
    }
}

/// `20/1s`: so many requests in each such window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rate(pub(crate) RateLimit);

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (requests, window) =
            text.split_once('/').ok_or("write 20/1s: so many requests in each such window")?;
        let requests = requests
            .parse()
            .ok()
            .filter(|requests| *requests > 0)
            .ok_or_else(|| format!("the requests: it must be from 1 to {}", u32::MAX))?;
        let Ms::<1, DAY_MS>(window_ms) = window.parse().map_err(|error| format!("the window: {error}"))?;
        Ok(Self(RateLimit { requests, window_ms }))
    }
}

/// `1000000 TOKENS`: a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allocated(pub(crate) Amount);

impl FromStr for Allocated {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (amount, unit) = text.split_once(' ').ok_or("write '1000000 TOKENS': an amount and its unit")?;
        let Number::<0, { i64::MAX as u64 }>(amount) =
            amount.parse().map_err(|error| format!("the amount: {error}"))?;
        let unit = Unit::from_name(unit).ok_or_else(|| {
            let units: Vec<_> = Unit::ALL.iter().map(|unit| unit.as_str()).collect();
            format!("the unit: it must be one of {}", units.join(", "))
        })?;
        Ok(Self(Amount { unit, amount }))
    }
}

/// In a file, a value is a text as in a flag, or a number where that is all it is.
struct Written<T>(std::marker::PhantomData<T>);

impl<T: FromStr<Err = String>> Visitor<'_> for Written<T> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(|error| E::custom(format_args!("{text}: {error}")))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

macro_rules! from_text {
    ($([$($generic:tt)*] $type:ty,)*) => {$(
        impl<'de, $($generic)*> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(Written(std::marker::PhantomData))
            }
        }
    )*};
}

from_text! {
    [const MIN: u64, const MAX: u64] Ms<MIN, MAX>,
    [const MIN: u64, const MAX: u64] Number<MIN, MAX>,
    [] MaxExtensions,
    [] Rate,
    [] Allocated,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_where_they_say() {
        type Ttl = Ms<1_000, DAY_MS>;
        assert_eq!("1s".parse::<Ttl>(), Ok(Ms(1_000)));
        assert_eq!("24h".parse::<Ttl>(), Ok(Ms(DAY_MS)));
        for text in ["999ms", "24h 1ms", "sixty", ""] {
            let error = text.parse::<Ttl>().expect_err("out of range");
            assert!(error.contains("it must be from 1s to 1day"), "{error}");
        }
        assert_eq!("none".parse(), Ok(MaxExtensions(None)));
        assert_eq!("0".parse(), Ok(MaxExtensions(Some(0))));
        assert!("-1".parse::<MaxExtensions>().is_err());
        assert_eq!("20/1500ms".parse(), Ok(Rate(RateLimit { requests: 20, window_ms: 1_500 })));
        assert!(["0/1s", "20", "x/1s", "20/0s", "20/25h"].iter().all(|text| text.parse::<Rate>().is_err()));
        assert_eq!("5 CREDITS".parse(), Ok(Allocated(Amount { unit: Unit::Credits, amount: 5 })));
        assert!(["5", "5 coins", "-1 TOKENS"].iter().all(|text| text.parse::<Allocated>().is_err()));
    }
}
