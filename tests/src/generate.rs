//! Answers by the schema, and answers that are nearly so.

use std::fmt::Write;

use crate::node::Node;
use crate::protocol::Schema;

/// Where the choices come from: a number below the one asked for.
pub type Choose<'a> = &'a mut dyn FnMut(usize) -> usize;

const TEXTS: [&str; 9] =
    ["", "a", "tenant:acme/workspace:prod", "é", "😀\u{0}", "\"\\/\n", "\u{7f}\u{80}", "x y", "ACTIVE"];
const HASH: &str = "00000000000000000000000000000000000000000000000000000000000000af";

/// A valid value.
pub fn valid(schema: &Schema, choose: Choose<'_>) -> Node {
    match schema.kind.as_str() {
        "object" => {
            let mut members: Vec<(String, Node)> = Vec::new();
            for (name, property) in &schema.properties {
                if schema.required.contains(name) || choose(2) == 0 {
                    let value = valid(property, choose);
                    let place = choose(members.len() + 1);
                    members.insert(place, (name.clone(), value));
                }
            }
            Node::Object(members)
        }
        "array" => {
            let schema = schema.items.as_ref().expect("an array of something");
            Node::Array((0..choose(3)).map(|_| valid(schema, choose)).collect())
        }
        "string" => Node::Text(match (&schema.names, &schema.pattern, schema.characters_max) {
            (Some(names), ..) => names[choose(names.len())].clone(),
            (_, Some(_), _) => HASH.to_owned(),
            (.., Some(most)) if choose(4) == 0 => "é".repeat(most),
            _ => TEXTS[choose(TEXTS.len())].to_owned(),
        }),
        "integer" => {
            let least = schema.minimum.unwrap_or(i64::MIN);
            let some = [least, 0, 1, 60_000, 1_785_585_660_000, i64::MAX];
            Node::Number(some[choose(some.len())].to_string())
        }
        "boolean" => Node::Flag(choose(2) == 0),
        other => panic!("a type that nobody generates: {other}"),
    }
}

/// Changes one thing somewhere in `node`; what comes out may be as valid.
pub fn mutate(node: &mut Node, choose: Choose<'_>) {
    match node {
        Node::Object(members) if !members.is_empty() && choose(8) != 0 => {
            let place = choose(members.len());
            match choose(12) {
                0 => {
                    members.remove(place);
                }
                1 => {
                    let again = members[place].clone();
                    members.insert(choose(members.len() + 1), again);
                }
                2 => members.insert(choose(members.len() + 1), ("extra".to_owned(), nested(choose(18)))),
                3 => {
                    let other = members[choose(members.len())].0.clone();
                    members[place].0 = other;
                }
                4 => members[place].0.push('_'),
                _ => mutate(&mut members[place].1, choose),
            }
        }
        Node::Array(items) if !items.is_empty() && choose(6) != 0 => {
            let place = choose(items.len());
            match choose(6) {
                0 => items.push(items[place].clone()),
                _ => mutate(&mut items[place], choose),
            }
        }
        Node::Text(text) if choose(3) != 0 => match choose(5) {
            0 => text.clear(),
            1 => text.push('é'),
            2 => *text = text.to_lowercase(),
            3 => {
                text.pop();
            }
            _ => TEXTS[choose(TEXTS.len())].clone_into(text),
        },
        Node::Number(spelled) if choose(3) != 0 => {
            *spelled = match choose(8) {
                0 => format!("{spelled}.0"),
                1 => format!("{spelled}e0"),
                2 => format!("{spelled}0"),
                3 => "-1".to_owned(),
                4 => "-0".to_owned(),
                5 => "9223372036854775808".to_owned(),
                6 => "-9223372036854775809".to_owned(),
                _ => "1e400".to_owned(),
            };
        }
        other => {
            let others = [
                Node::Null,
                Node::Flag(true),
                Node::Number("7".to_owned()),
                Node::Text("7".to_owned()),
                Node::Array(Vec::new()),
                Node::Object(Vec::new()),
            ];
            *other = others[choose(others.len())].clone();
        }
    }
}

/// Arrays in one another.
fn nested(depth: usize) -> Node {
    (0..depth).fold(Node::Null, |node, _| Node::Array(vec![node]))
}

/// Writes `node`, here and there with blanks and escapes that mean nothing.
pub fn write(node: &Node, choose: Choose<'_>) -> String {
    let mut out = String::new();
    blank(&mut out, choose);
    write_to(&mut out, node, choose);
    blank(&mut out, choose);
    out
}

fn write_to(out: &mut String, node: &Node, choose: Choose<'_>) {
    match node {
        Node::Object(members) => {
            out.push('{');
            for (place, (key, value)) in members.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                blank(out, choose);
                write_text(out, key, choose);
                blank(out, choose);
                out.push(':');
                blank(out, choose);
                write_to(out, value, choose);
            }
            blank(out, choose);
            out.push('}');
        }
        Node::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(',');
                }
                blank(out, choose);
                write_to(out, item, choose);
            }
            blank(out, choose);
            out.push(']');
        }
        Node::Text(text) => write_text(out, text, choose),
        Node::Number(spelled) => out.push_str(spelled),
        Node::Flag(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Node::Null => out.push_str("null"),
    }
}

fn blank(out: &mut String, choose: Choose<'_>) {
    if choose(16) == 0 {
        out.push([' ', '\t', '\n', '\r'][choose(4)]);
    }
}

fn write_text(out: &mut String, text: &str, choose: Choose<'_>) {
    let escape_all = choose(12) == 0;
    out.push('"');
    for character in text.chars() {
        let must = character < ' ' || character == '"' || character == '\\';
        if must || (escape_all && choose(3) == 0) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}").expect("a String takes it");
            }
        } else {
            out.push(character);
        }
    }
    out.push('"');
}

/// Changes some bytes of `body`.
pub fn corrupt(body: &mut Vec<u8>, choose: Choose<'_>) {
    for _ in 0..=choose(3) {
        let place = choose(body.len() + 1);
        match choose(5) {
            0 => body.truncate(place),
            1 if place < body.len() => {
                body.remove(place);
            }
            2 if place < body.len() => body[place] ^= 1 << choose(8),
            3 => {
                let bytes: &[&[u8]] = &[
                    b"\"",
                    b"\\",
                    b"{",
                    b"}",
                    b"[",
                    b"]",
                    b",",
                    b":",
                    b"0",
                    b"-",
                    b"\\ud83d",
                    b"\\ude00",
                    b"\xff",
                    b"\xc3",
                    b"\xed\xa0\x80",
                    b"\0",
                ];
                let bytes = bytes[choose(bytes.len())];
                body.splice(place..place, bytes.iter().copied());
            }
            _ => {
                let other = choose(body.len() + 1);
                let piece = body[place.min(other)..place.max(other)].to_vec();
                let target = choose(body.len() + 1);
                if piece.len() < 40 {
                    body.splice(target..target, piece);
                }
            }
        }
    }
}
