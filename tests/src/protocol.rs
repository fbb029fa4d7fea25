//! The schemas of `protocol/cycles-protocol-v0.yaml`, read naively.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::Value;

use crate::node::Node;

/// What a schema demands. A keyword that is not here and demands something is refused when the file is read.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    pub kind: String,
    pub names: Option<Vec<String>>,
    pub minimum: Option<i64>,
    pub characters_max: Option<usize>,
    pub pattern: Option<Regex>,
    pub required: Vec<String>,
    pub properties: BTreeMap<String, Schema>,
    /// No other properties are allowed.
    pub closed: bool,
    pub items: Option<Box<Schema>>,
}

/// The file as JSON.
pub static FILE: LazyLock<Value> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/cycles-protocol-v0.yaml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_norway::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
});

pub static CREATE: LazyLock<Schema> = LazyLock::new(|| Schema::named("ReservationCreateResponse"));
pub static EXTEND: LazyLock<Schema> = LazyLock::new(|| Schema::named("ReservationExtendResponse"));
pub static ERROR: LazyLock<Schema> = LazyLock::new(|| Schema::named("ErrorResponse"));

impl Schema {
    fn named(name: &str) -> Self {
        Self::read(&FILE["components"]["schemas"][name])
    }

    fn read(value: &Value) -> Self {
        let mut schema = Self::default();
        for (keyword, value) in value.as_object().expect("a schema is an object") {
            match keyword.as_str() {
                "$ref" => {
                    let name = value.as_str().and_then(|path| path.strip_prefix("#/components/schemas/"));
                    schema = Self::named(name.expect("a reference to a schema"));
                }
                "type" => value.as_str().expect("one type").clone_into(&mut schema.kind),
                "enum" => {
                    schema.names = serde_json::from_value(value.clone()).expect("names");
                }
                "minimum" => schema.minimum = Some(value.as_i64().expect("an integer")),
                "maxLength" => {
                    schema.characters_max = serde_json::from_value(value.clone()).expect("a length");
                }
                "pattern" => {
                    schema.pattern = Some(Regex::new(value.as_str().expect("a text")).expect("a pattern"));
                }
                "required" => schema.required = serde_json::from_value(value.clone()).expect("names"),
                "properties" => {
                    let properties = value.as_object().expect("an object");
                    schema.properties =
                        properties.iter().map(|(name, value)| (name.clone(), Self::read(value))).collect();
                }
                "additionalProperties" => schema.closed = value == &Value::Bool(false),
                "items" => schema.items = Some(Box::new(Self::read(value))),
                // Annotations.
                "description" | "example" | "format" => {}
                other => panic!("a keyword that nobody reads: {other}"),
            }
        }
        schema
    }

    /// Whether `node` is valid: by the schema, with integers spelled as such inside int64, and no key twice.
    pub fn allows(&self, node: &Node) -> bool {
        match node {
            Node::Object(members) => {
                let once = |name: &str| members.iter().filter(|(key, _)| key == name).count() == 1;
                self.kind == "object"
                    && self.required.iter().all(|name| once(name))
                    && members.iter().all(|(key, value)| {
                        once(key)
                            && self.properties.get(key).map_or(!self.closed, |schema| schema.allows(value))
                    })
            }
            Node::Array(items) => {
                self.kind == "array"
                    && items.iter().all(|item| self.items.as_ref().is_none_or(|schema| schema.allows(item)))
            }
            Node::Text(text) => {
                self.kind == "string"
                    && self.names.as_ref().is_none_or(|names| names.contains(text))
                    && self.characters_max.is_none_or(|most| text.chars().count() <= most)
                    && self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
            }
            Node::Number(_) => {
                self.kind == "integer"
                    && node.int64().is_some_and(|number| self.minimum.is_none_or(|least| number >= least))
            }
            Node::Flag(_) => self.kind == "boolean",
            Node::Null => false,
        }
    }

    /// `node` without what the schema does not name.
    #[must_use]
    pub fn known_part(&self, node: &Node) -> Node {
        match node {
            Node::Object(members) => {
                let known = members.iter().filter_map(|(key, value)| {
                    self.properties.get(key).map(|schema| (key.clone(), schema.known_part(value)))
                });
                // What is no object by the schema stays as wrong as it is.
                if self.kind == "object" { Node::Object(known.collect()) } else { node.clone() }
            }
            Node::Array(items) => match &self.items {
                Some(schema) => Node::Array(items.iter().map(|item| schema.known_part(item)).collect()),
                None => node.clone(),
            },
            other => other.clone(),
        }
    }
}
