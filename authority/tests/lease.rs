//! Create and extend (A1–A10), as tables.

#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::panic)] // tests may

mod common;

use common::*;
use leasebeat::ErrorCode::*;
use leasebeat_authority::*;

const DAY: u64 = 86_400_000;

#[test]
fn a1_an_expiry_ends_where_int64_does() {
    let mut server = Server::new(Settings::default());
    let last = ServerTime::from_millis(i64::MAX as u64 - 5);
    let answered = server.0.create(&call(0), &create(DAY), "data", last).expect("it is created");
    let CreateAnswer::Created(created) = answered.answer else { panic!("{answered:?}") };
    assert_eq!(created.expires_at, ServerTime::MAX);
    assert_eq!(created.remaining_ttl.map(leasebeat::Millis::get), Some(5));
}

#[test]
fn a1_a_clock_that_goes_back_revives_nothing() {
    let mut server = Server::holding(Settings::default(), 1_000);
    refused(server.get(MINE, 6_001), ReservationExpired);
    refused(server.get(MINE, 500), ReservationExpired);
    refused(server.extend(1, 1_000, 500), ReservationExpired);
}

#[test]
fn a2_ttl_and_grace_have_ranges_and_defaults() {
    for (ttl_ms, grace_ms, expected) in [
        (Some(999), None, None),
        (Some(1_000), None, Some((1_000, 6_000))),
        (Some(DAY), None, Some((DAY, DAY + 5_000))),
        (Some(DAY + 1), None, None),
        (None, Some(0), Some((60_000, 60_000))),
        (None, Some(60_000), Some((60_000, 120_000))),
        (None, Some(60_001), None),
    ] {
        let mut server = Server::new(Settings::default());
        let create = Create { ttl_ms, grace_ms, ..create(1_000) };
        let Some((expiry, last)) = expected else {
            let refusal = server.create(0, &create, 0).expect_err("it is out of range");
            assert_eq!(refusal.code(), InvalidRequest);
            assert!(refusal.to_string().contains("it must be from"), "{refusal}");
            continue;
        };
        assert_eq!(server.create(0, &create, 0), Ok((expiry, Some(expiry))), "{ttl_ms:?} {grace_ms:?}");
        assert_eq!(server.get(MINE, last), Ok(Status::Active));
        refused(server.get(MINE, last + 1), ReservationExpired);
    }
}

#[test]
fn a3_a_tenants_default_and_maximum_decide_the_ttl() {
    for (default_ttl_ms, max_ttl_ms, ttl_ms, granted) in [
        (20_000, DAY, None, 20_000),
        (60_000, 30_000, None, 30_000),
        (60_000, 30_000, Some(40_000), 30_000),
        (60_000, 30_000, Some(30_000), 30_000),
        (60_000, 30_000, Some(29_999), 29_999),
    ] {
        let mut server = Server::new(Settings { default_ttl_ms, max_ttl_ms, ..Settings::default() });
        let create = Create { ttl_ms, ..create(1_000) };
        assert_eq!(server.create(0, &create, 0), Ok((granted, Some(granted))));
    }
}

#[test]
fn a4_a_dry_run_changes_nothing_and_is_replayed() {
    let mut server = Server::with_budget(Settings::default(), Some(100));
    assert_eq!(server.evaluate(1, &create(1_000), 0), Ok(Ok(())));
    assert_eq!(server.budget().reserved, 0);
    refused(server.get(MINE, 0), NotFound);
    let more = Create { estimate: tokens(101), ..create(1_000) };
    assert_eq!(server.evaluate(2, &more, 0), Ok(Err(Denial::BudgetExceeded)));
    server.tenant().budget = None;
    assert_eq!(server.evaluate(2, &more, 1), Ok(Err(Denial::BudgetExceeded)), "a replay");
    assert_eq!(server.evaluate(3, &more, 1), Ok(Ok(())));
}

#[test]
fn a5_a_budget_refuses_in_order() {
    let whole = Budget { spent: 10, ..Budget::new(tokens(110)) };
    let cases: [(Budget, Create, Option<Denial>); 8] = [
        (whole, create(1_000), None),
        (whole, Create { estimate: tokens(101), ..create(1_000) }, Some(Denial::BudgetExceeded)),
        (Budget { reserved: 1, ..whole }, create(1_000), Some(Denial::BudgetExceeded)),
        (
            Budget { over_limit: true, reserved: 1, ..whole },
            create(1_000),
            Some(Denial::OverdraftLimitExceeded),
        ),
        (
            Budget { state: BudgetState::Frozen, over_limit: true, ..whole },
            create(1_000),
            Some(Denial::BudgetFrozen),
        ),
        (Budget { state: BudgetState::Closed, ..whole }, create(1_000), Some(Denial::BudgetClosed)),
        (
            Budget { unit: Unit::Credits, state: BudgetState::Closed, ..whole },
            create(1_000),
            Some(Denial::UnitMismatch { requested: Unit::Tokens, expected: Unit::Credits }),
        ),
        (whole, Create { in_budget: false, ..create(1_000) }, Some(Denial::BudgetNotFound)),
    ];
    for (budget, create, denial) in cases {
        let mut server = Server::new(Settings::default());
        server.tenant().budget = Some(budget);
        let evaluated = server.evaluate(1, &create, 0);
        match denial {
            Some(unit @ Denial::UnitMismatch { .. }) => assert_eq!(evaluated, Err(unit.into())),
            other => assert_eq!(evaluated, Ok(other.map_or(Ok(()), Err))),
        }
        let live = server.create(2, &create, 0);
        assert_eq!(live.err(), denial.map(Refusal::Denied));
        let held = if denial.is_none() { 100 } else { budget.reserved };
        assert_eq!(server.budget().reserved, held);
    }
}

#[test]
fn a5_what_nobody_holds_any_more_refuses_nothing() {
    let mut server = Server::with_budget(Settings::default(), Some(100));
    server.create(0, &create(1_000), 0).expect("it is created");
    let another = Create { id: ReservationId(2), ..create(1_000) };
    refused(server.create(1, &another, 6_000), BudgetExceeded);
    assert!(server.create(1, &another, 6_001).is_ok());
}

#[test]
fn a6_an_extension_adds_to_the_current_expiry() {
    let mut server = Server::holding(Settings::default(), 8_000);
    for (by_ms, now, expected) in [
        (8_000, 3_000, Ok((16_000, Some(13_000)))),
        (1, 3_000, Ok((16_001, Some(13_001)))),
        (DAY, 16_001, Ok((DAY + 16_001, Some(DAY)))),
    ] {
        assert_eq!(server.extend(u128::from(by_ms), by_ms, now), expected);
    }
    for by_ms in [0, DAY + 1] {
        refused(server.extend(9, by_ms, 16_001), InvalidRequest);
    }
}

#[test]
fn a7_an_extension_comes_at_the_expiry_at_the_latest() {
    assert!(Server::holding(Settings::default(), 8_000).extend(1, 8_000, 8_000).is_ok());
    refused(Server::holding(Settings::default(), 8_000).extend(1, 8_000, 8_001), ReservationExpired);
    refused(Server::holding(Settings::default(), 8_000).extend(1, 8_000, 13_001), ReservationExpired);
}

#[test]
fn a8_extensions_are_counted() {
    let mut server = Server::holding(Settings::default(), 8_000);
    for key in 1..=10 {
        assert!(server.extend(key, 1_000, 0).is_ok());
        assert!(server.extend(key, 1_000, 0).is_ok(), "a replay counts for nothing");
        refused(server.extend(key, 0, 0), InvalidRequest);
    }
    refused(server.extend(11, 1_000, 0), MaxExtensionsExceeded);
    assert!(server.extend(10, 1_000, 0).is_ok(), "a replay needs no budget of extensions");

    let mut server = Server::holding(Settings { max_extensions: Some(0), ..Settings::default() }, 8_000);
    refused(server.extend(1, 1_000, 0), MaxExtensionsExceeded);
    let mut server = Server::holding(Settings { max_extensions: None, ..Settings::default() }, 8_000);
    assert!((1..=100).all(|key| server.extend(key, 1_000, 0).is_ok()));
}

#[test]
fn a9_a_grant_is_clamped() {
    let clamped = Settings { grant_clamp_ms: Some(5_000), ..Settings::default() };
    for (by_ms, expiry, clamp) in
        [(4_999, 12_999, Clamp::None), (5_000, 13_000, Clamp::None), (5_001, 13_000, Clamp::Grant)]
    {
        let mut server = Server::holding(clamped, 8_000);
        let answer = server.extend_answered(1, by_ms, 1_000).expect("it is extended").answer;
        assert_eq!((answer.expires_at, answer.clamp), (at(expiry), clamp));
    }
}

#[test]
fn a10_the_lead_is_clamped() {
    for (lead, shortens, grant, now, expiry, clamp) in [
        (20_000, false, None, 1_000, 16_000, Clamp::None),
        (15_000, false, None, 1_000, 16_000, Clamp::None),
        (14_999, false, None, 1_000, 15_999, Clamp::Lead),
        (14_999, false, Some(5_000), 1_000, 13_000, Clamp::Grant),
        (8_000, false, Some(5_000), 3_000, 11_000, Clamp::Lead),
        (7_000, false, None, 1_000, 8_000, Clamp::Lead),
        (3_000, false, None, 1_000, 8_000, Clamp::Lead),
        (3_000, true, None, 1_000, 4_000, Clamp::Shortened),
        (7_000, true, None, 1_000, 8_000, Clamp::Lead),
    ] {
        let settings = Settings {
            max_lead_ms: Some(lead),
            max_lead_shortens: shortens,
            grant_clamp_ms: grant,
            ..Settings::default()
        };
        let mut server = Server::holding(settings, 8_000);
        let answer = server.extend_answered(1, 8_000, now).expect("it is extended").answer;
        assert_eq!((answer.expires_at, answer.clamp), (at(expiry), clamp), "{lead} {shortens} {grant:?}");
    }
}
