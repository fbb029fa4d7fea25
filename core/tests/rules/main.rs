//! The kernel's rules as timelines: at which instant it is silent, and at which it acts. One behaviour a test,
//! named after its rule in `docs/RULES.md`.
// Tests: arithmetic on small literals, and a panic is how a test fails.
#![allow(clippy::arithmetic_side_effects, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod c;
mod f;
mod l;
mod p;
mod r;
mod t;
mod t6;
mod table;

/// A rule nobody tests is a rule nobody keeps.
#[test]
fn every_rule_of_the_kernel_has_a_timeline() {
    let sources = concat!(
        include_str!("t.rs"),
        include_str!("t6.rs"),
        include_str!("l.rs"),
        include_str!("c.rs"),
        include_str!("p.rs"),
        include_str!("r.rs"),
        include_str!("f.rs"),
        // FL: with single leases beside the fleet.
        include_str!("../../../tests/tests/fleet.rs"),
    );
    let rules = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/RULES.md")).unwrap();
    let ids = rules.lines().filter_map(|line| line.strip_prefix("- **")?.split_once("**")).map(|(id, _)| id);
    let kernel: Vec<_> = ids.filter(|id| id.starts_with(['T', 'L', 'C', 'P', 'R', 'F'])).collect();
    assert!(kernel.len() >= 38, "{kernel:?}");
    for id in kernel {
        assert!(sources.contains(&format!("fn {}_", id.to_lowercase())), "no timeline of {id}");
    }
}
