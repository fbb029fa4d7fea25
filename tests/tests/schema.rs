//! The kernel's tables of the schemas, and the protocol's file: they say the same.

use leasebeat::ErrorCode;
use leasebeat_tests::protocol::{CREATE, ERROR, EXTEND, Schema};

// The tables are private to the kernel, and no part of its interface for the sake of a test.
#[path = "../../core/src/wire/schema.rs"]
mod tables;

use tables::{Field, Names, Object, Shape};

/// Holds a table to its schema; how many arrays and objects lie in one another.
fn same_object(object: Object, schema: &Schema, at: &str) -> usize {
    assert_eq!(schema.kind, "object", "{at}");
    assert!(schema.closed, "{at} may have other keys");
    // The kernel keeps a bit a key.
    let keys = object.keys();
    assert!(keys.len() <= 32, "{at}");
    let names: Vec<&str> = keys.iter().map(tables::Key::name).collect();
    assert!(keys.iter().all(|key| key.bytes() == key.name().as_bytes()), "{at}");
    assert!(keys.iter().all(|key| key.bytes().first() == Some(&key.first)), "{at}");
    assert_eq!(names.len(), schema.properties.len(), "{at}: {names:?}");
    let deepest = keys.iter().map(|key| {
        let at = format!("{at}/{}", key.name());
        let schema = schema.properties.get(key.name()).unwrap_or_else(|| panic!("{at} is not in the file"));
        same(key.shape, schema, &at)
    });
    let deepest = deepest.max().unwrap_or_default();
    for key in keys {
        let name = key.name();
        assert_eq!(key.required, schema.required.iter().any(|required| required == name), "{at}/{name}");
    }
    assert!(schema.required.iter().all(|name| names.contains(&name.as_str())), "{at}");
    deepest + 1
}

fn same(shape: Shape, schema: &Schema, at: &str) -> usize {
    let Schema { kind, names, minimum, characters_max, pattern, .. } = schema;
    let pattern = pattern.as_ref().map(regex_lite::Regex::as_str);
    let (shape_kind, depth) = match shape {
        Shape::Text | Shape::TextUpTo(_) => {
            let most = if let Shape::TextUpTo(most) = shape { Some(usize::from(most)) } else { None };
            assert_eq!(most, *characters_max, "{at}");
            assert_eq!((names, pattern), (&None, None), "{at}");
            ("string", 0)
        }
        Shape::Hash => {
            assert_eq!((pattern, names, characters_max), (Some("^[0-9a-f]{64}$"), &None, &None), "{at}");
            ("string", 0)
        }
        Shape::Name(ours) => {
            let names = names.as_ref().unwrap_or_else(|| panic!("{at} is no enumeration"));
            assert!(ours.all().iter().eq(names), "{at}: {ours:?} {names:?}");
            assert_eq!((pattern, *characters_max), (None, None), "{at}");
            ("string", 0)
        }
        Shape::Count | Shape::Integer => {
            assert_eq!(*minimum, matches!(shape, Shape::Count).then_some(0), "{at}");
            ("integer", 0)
        }
        Shape::Flag => ("boolean", 0),
        Shape::List(item) => {
            let schema = schema.items.as_ref().unwrap_or_else(|| panic!("{at} has no items"));
            ("array", same(item.shape(), schema, &format!("{at}/0")) + 1)
        }
        Shape::Object(object) => ("object", same_object(object, schema, at)),
    };
    assert_eq!(kind, shape_kind, "{at}");
    depth
}

#[test]
fn w2_the_tables_are_the_schemas() {
    let depths =
        [same_object(Object::Create, &CREATE, "create"), same_object(Object::Extend, &EXTEND, "extend")];
    // `walk.rs` has room for so many.
    assert_eq!(depths, [4, 4]);
}

#[test]
fn w2_the_fields_that_the_kernel_reads_are_where_it_looks() {
    let fields = |object: Object| {
        let read = object.keys().iter().filter(|key| key.field != Field::Unread);
        read.map(|key| (key.name(), key.field)).collect::<Vec<_>>()
    };
    let ttl = [("expires_at_ms", Field::ExpiresAt), ("remaining_ttl_ms", Field::RemainingTtl)];
    assert_eq!(fields(Object::Extend), ttl);
    let create =
        [&[("decision", Field::Decision), ("reservation_id", Field::ReservationId)], &ttl[..]].concat();
    assert_eq!(fields(Object::Create), create);
    assert_eq!(fields(Object::Error), [("error", Field::Code)]);
    assert!(Names::Decision.all().contains(&tables::DENY));
}

#[test]
fn w4_the_codes_are_the_protocols() {
    let names = ERROR.properties["error"].names.as_ref().expect("an enumeration");
    let ours: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(&ours, names);
    assert!(ERROR.required.iter().any(|name| name == "error"));
}
