//! A JSON key that is absent, null, or has a value: three different things in a trace.

use serde::{Deserialize, Deserializer};

/// What a line says of one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Field<T> {
    #[default]
    Absent,
    Null,
    Value(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Field<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Value))
    }
}

impl<T> Field<T> {
    pub(crate) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// An optional value may be absent or null.
    pub(crate) fn optional(self) -> Option<T> {
        match self {
            Self::Absent | Self::Null => None,
            Self::Value(value) => Some(value),
        }
    }

    /// A required value may be neither.
    pub(crate) fn required(self, key: &str) -> Result<T, String> {
        match self {
            Self::Absent => Err(format!("{key} is missing")),
            Self::Null => Err(format!("{key} is null; it is required")),
            Self::Value(value) => Ok(value),
        }
    }
}
