//! Commit, release, get, events (A11–A14, A22), as tables.

#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::panic)] // tests may

mod common;

use common::*;
use leasebeat::ErrorCode::*;
use leasebeat_authority::*;

#[test]
fn a11_commit_is_accepted_through_the_grace_period() {
    for (now, accepted) in [(0, true), (8_000, true), (13_000, true), (13_001, false)] {
        let mut server = Server::holding(Settings::default(), 8_000);
        match server.commit(1, 60, now) {
            Ok(settled) => assert!(accepted && settled == (60, 40), "{now} {settled:?}"),
            Err(refusal) => assert!(!accepted && refusal.code() == ReservationExpired, "{now} {refusal}"),
        }
    }
}

#[test]
fn a11_more_than_was_held_is_charged_as_far_as_it_is_there() {
    for (overage, spent, actual, expected, over) in [
        (Overage::Reject, 0, 100, Ok((100, 0)), false),
        (Overage::Reject, 0, 101, Err(BudgetExceeded), false),
        (Overage::AllowIfAvailable, 0, 150, Ok((150, 0)), false),
        (Overage::AllowIfAvailable, 100, 150, Ok((150, 0)), false),
        (Overage::AllowIfAvailable, 150, 151, Ok((100, 0)), true),
        (Overage::AllowWithOverdraft, 150, 151, Ok((100, 0)), true),
        (Overage::AllowWithOverdraft, 120, 151, Ok((130, 0)), true),
    ] {
        let mut server = Server::with_budget(Settings::default(), Some(250));
        server.create(0, &Create { overage, ..create(8_000) }, 0).expect("it is created");
        server.tenant().budget = Some(Budget { spent, ..server.budget() });
        let settled = server.commit(1, actual, 0).map_err(|refusal| refusal.code());
        assert_eq!(settled, expected, "{overage:?} {spent} {actual}");
        assert_eq!(server.budget().over_limit, over);
        if let Ok((charged, _)) = expected {
            assert_eq!((server.budget().spent, server.budget().reserved), (spent + charged, 0));
        }
    }
}

#[test]
fn a11_the_unit_is_the_reservations() {
    let mut server = Server::holding(Settings::default(), 8_000);
    let credits = Amount { unit: Unit::Credits, amount: 1 };
    refused(server.0.commit(&call(1), R, credits, at(0)), UnitMismatch);
    assert_eq!(server.get(MINE, 0), Ok(Status::Active));
}

#[test]
fn a12_release_is_accepted_as_long_and_gives_all_back() {
    for (now, accepted) in [(13_000, true), (13_001, false)] {
        let mut server = Server::with_budget(Settings::default(), Some(100));
        server.create(0, &create(8_000), 0).expect("it is created");
        assert_eq!(server.budget().reserved, 100);
        match server.release(1, now) {
            Ok(released) => assert!(accepted && released == 100),
            Err(refusal) => assert!(!accepted && refusal.code() == ReservationExpired),
        }
        assert_eq!(server.budget().reserved, 0, "given back either way");
    }
}

#[test]
fn a13_what_is_final_stays_so_however_late() {
    for now in [0, 8_001, 13_001, 50_000] {
        let mut server = Server::holding(Settings::default(), 8_000);
        server.commit(1, 100, 0).expect("it is committed");
        refused(server.extend(2, 1_000, now), ReservationFinalized);
        refused(server.release(3, now), ReservationFinalized);
        refused(server.commit(4, 100, now), ReservationFinalized);
        assert_eq!(server.get(MINE, now), Ok(Status::Committed));
    }
}

#[test]
fn a14_get_reads_until_it_has_expired_and_for_a_closed_tenant() {
    let mut server = Server::holding(Settings::default(), 8_000);
    server.tenant().closed = true;
    assert_eq!(server.get(MINE, 13_000), Ok(Status::Active));
    refused(server.get(MINE, 13_001), ReservationExpired);

    let mut server = Server::holding(Settings::default(), 8_000);
    server.release(1, 2_000).expect("it is released");
    let reservation = server.0.get(MINE, R, at(3_000)).expect("it is there");
    assert_eq!(reservation.finalized_at(), Some(at(2_000)));
    assert_eq!(reservation.data, "data");
}

#[test]
fn a22_an_event_spends_at_once() {
    let mut server = Server::with_budget(Settings::default(), Some(100));
    assert_eq!(server.event(1, 60, Overage::Reject, 0), Ok(60));
    assert_eq!(server.event(1, 60, Overage::Reject, 0), Ok(60), "a replay");
    refused(server.event(2, 41, Overage::Reject, 0), BudgetExceeded);
    assert_eq!(server.budget().spent, 60);
    assert_eq!(server.event(3, 41, Overage::AllowIfAvailable, 0), Ok(40));
    assert!(server.budget().over_limit);
    assert_eq!(server.event(4, 0, Overage::Reject, 0), Ok(0), "over its limit, it still takes events");
    refused(server.create(5, &Create { estimate: tokens(0), ..create(8_000) }, 0), OverdraftLimitExceeded);
}
