//! The scalars of the protocol's schema.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// `int64`, 0 or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Int64(u64);

impl Int64 {
    const MAX: u64 = i64::MAX as u64;

    /// The number, cut to what fits.
    pub(crate) fn new(number: u64) -> Self {
        Self(number.min(Self::MAX))
    }
}

impl<'de> Deserialize<'de> for Int64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            number if number <= Self::MAX => Ok(Self(number)),
            number => Err(D::Error::custom(format_args!("{number}; it must be from 0 to {}", Self::MAX))),
        }
    }
}

/// A text of `MIN` to `MAX` characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub(crate) struct Text<const MIN: usize, const MAX: usize>(String);

impl<const MIN: usize, const MAX: usize> Text<MIN, MAX> {
    /// `text`, if it is as long as it may be.
    pub(crate) fn new(text: impl Into<String>) -> Result<Self, String> {
        let text = text.into();
        match text.chars().count() {
            length if (MIN..=MAX).contains(&length) => Ok(Self(text)),
            length => Err(format!("has {length} characters; it must be from {MIN} to {MAX}")),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl<'de, const MIN: usize, const MAX: usize> Deserialize<'de> for Text<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl<const MIN: usize, const MAX: usize> fmt::Display for Text<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An integer of a request, from 0 to `int64`'s maximum. The schema calls 5.0 and 5e0 integers too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Whole(u64);

impl Whole {
    /// The number, cut to what fits.
    pub(crate) fn new(number: u64) -> Self {
        Self(number.min(Int64::MAX))
    }

    pub(crate) fn get(self) -> u64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let whole = number.as_u64().or_else(|| exactly(number.as_f64()?));
        match whole {
            Some(whole) if whole <= Int64::MAX => Ok(Self(whole)),
            _ => {
                let range = Int64::MAX;
                Err(D::Error::custom(format_args!("{number}; it must be an integer from 0 to {range}")))
            }
        }
    }
}

/// The integer that a float is. Above 2⁵³ it would be a guess which one was meant.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // whole and in range, as just checked
fn exactly(number: f64) -> Option<u64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
}

/// An integer, 0 or more, of any size: the schema bounds it nowhere.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct Count(serde_json::Number);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        let whole = |number: f64| number >= 0.0 && number.fract() == 0.0;
        if number.is_u64() || number.as_f64().is_some_and(whole) {
            return Ok(Self(number));
        }
        Err(D::Error::custom(format_args!("{number}; it must be an integer, 0 or more")))
    }
}

/// For an optional key: absent is fine, null is not.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_where_they_say() {
        let int64 = |text: &str| serde_json::from_str::<Int64>(text).is_ok();
        assert!(int64("0") && int64("9223372036854775807"));
        assert!(!int64("9223372036854775808") && !int64("-1") && !int64("1.0") && !int64("\"1\""));
        let whole = |text: &str| serde_json::from_str::<Whole>(text).map(Whole::get).ok();
        assert_eq!(whole("9223372036854775807"), Some(i64::MAX as u64));
        assert_eq!(
            (whole("5.0"), whole("5e2"), whole("9007199254740992.0")),
            (Some(5), Some(500), Some(1 << 53))
        );
        let none = ["9223372036854775808", "-1", "-1.0", "0.5", "1e19", "9007199254740994.0", "null", "true"];
        assert!(none.iter().all(|text| whole(text).is_none()));
        let count = |text: &str| serde_json::from_str::<Count>(text).is_ok();
        assert!(count("0") && count("18446744073709551616") && count("1e30"));
        assert!(!count("-1") && !count("0.5") && !count("null"));
        assert!(Text::<1, 2>::new("éé").is_ok());
        assert!(Text::<1, 2>::new("").is_err() && Text::<1, 2>::new("abc").is_err());
    }
}
