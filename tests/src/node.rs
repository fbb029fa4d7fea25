//! A JSON text as it was written: duplicate keys, spelling of numbers and all.

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    Text(String),
    /// As it is spelled.
    Number(String),
    Flag(bool),
    Null,
}

/// An object's members, each of them, in the order they stand there.
struct Members(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;

        impl<'de> Visitor<'de> for Each {
            type Value = Members;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        deserializer.deserialize_map(Each)
    }
}

impl Node {
    /// Parses one JSON text in UTF-8 that is nested at most `depth` deep.
    #[must_use]
    pub fn parse(body: &[u8], depth: usize) -> Option<Self> {
        let text = std::str::from_utf8(body).ok()?;
        let value: &RawValue = serde_json::from_str(text).ok()?;
        Self::of(value.get(), depth)
    }

    fn of(value: &str, depth: usize) -> Option<Self> {
        Some(match value.as_bytes().first()? {
            b'{' => {
                let depth = depth.checked_sub(1)?;
                let Members(members) = serde_json::from_str(value).ok()?;
                let members =
                    members.into_iter().map(|(key, value)| Some((key, Self::of(value.get(), depth)?)));
                Self::Object(members.collect::<Option<_>>()?)
            }
            b'[' => {
                let depth = depth.checked_sub(1)?;
                let items: Vec<Box<RawValue>> = serde_json::from_str(value).ok()?;
                Self::Array(items.iter().map(|item| Self::of(item.get(), depth)).collect::<Option<_>>()?)
            }
            // A lone surrogate is no text, and so an error here.
            b'"' => Self::Text(serde_json::from_str(value).ok()?),
            b't' => Self::Flag(true),
            b'f' => Self::Flag(false),
            b'n' => Self::Null,
            _ => Self::Number(value.to_owned()),
        })
    }

    /// The number, where it is spelled as an integer inside int64.
    #[must_use]
    pub fn int64(&self) -> Option<i64> {
        match self {
            Self::Number(spelled) => spelled.parse().ok(),
            _ => None,
        }
    }

    /// The text, where it is one.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The only value of `key`.
    #[must_use]
    pub fn only(&self, key: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        let mut values = members.iter().filter(|(name, _)| name == key);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }
}
