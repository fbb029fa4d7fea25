//! Keys, tenants, rate limits and storage (A15–A21, A23), as tables.

#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::panic)] // tests may

mod common;

use common::*;
use leasebeat::ErrorCode::*;
use leasebeat::Millis;
use leasebeat_authority::*;

#[test]
fn a15_a_replay_repeats_and_applies_nothing() {
    let mut server = Server::holding(Settings::default(), 8_000);
    let other = Create { id: ReservationId(2), ..create(8_000) };
    let again = server.0.create(&call(0), &other, "other", at(2_000)).expect("a replay");
    let CreateAnswer::Created(created) = again.answer else { panic!("{again:?}") };
    assert!(again.replayed);
    assert_eq!((created.id, created.reserved), (R, tokens(100)));
    assert_eq!(server.extend(1, 8_000, 3_000), Ok((16_000, Some(13_000))));
    assert_eq!(server.extend(1, 8_000, 4_250), Ok((16_000, Some(11_750))));
    assert_eq!(server.0.peek(R).map(Reservation::extensions), Some(1));
    assert_eq!(server.commit(2, 30, 5_000), Ok((30, 70)));
    assert_eq!(server.commit(2, 30, 60_000), Ok((30, 70)), "before the state, however late");
    assert_eq!(server.extend(1, 8_000, 5_000), Ok((16_000, Some(0))), "no longer active");
}

#[test]
fn a15_keys_are_apart_by_tenant_and_operation() {
    let mut server = Server::holding(Settings::default(), 8_000);
    // Key 0 made the reservation, and is fresh for everything else.
    assert!(server.extend(0, 1_000, 0).is_ok());
    assert!(server.event(0, 1, Overage::Reject, 0).is_ok());
    assert!(server.commit(0, 1, 0).is_ok());
    let others = Call { tenant: OTHERS, ..call(0) };
    let create = Create { id: ReservationId(2), ..create(8_000) };
    assert!(!server.0.create(&others, &create, "data", at(0)).expect("it is created").replayed);
}

#[test]
fn a15_a_refusal_is_not_remembered() {
    let mut server = Server::holding(Settings::default(), 8_000);
    server.tenant().closed = true;
    refused(server.extend(1, 1_000, 0), TenantClosed);
    server.tenant().closed = false;
    assert!(server.extend(1, 1_000, 0).is_ok());
}

#[test]
fn a16_another_payload_or_reservation_is_a_mismatch() {
    let mut server = Server::holding(Settings::default(), 8_000);
    server.extend(1, 1_000, 0).expect("it is extended");
    refused(server.extend(1, 1_001, 0), IdempotencyMismatch);
    let another = Create { id: ReservationId(2), ..create(8_000) };
    server.create(2, &another, 0).expect("it is created");
    let call = Call { payload: Digest(1_000), ..call(1) };
    refused(server.0.extend(&call, ReservationId(2), 1_000, at(0)), IdempotencyMismatch);
    let other = Call { payload: Digest(7), ..common::call(0) };
    refused(server.0.create(&other, &another, "data", at(0)), IdempotencyMismatch);
    server.release(3, 0).expect("it is released");
    refused(server.0.release(&common::call(3), ReservationId(2), at(0)), IdempotencyMismatch);
}

#[test]
fn a17_what_remains_is_counted_anew() {
    let mut server = Server::holding(Settings::default(), 8_000);
    server.extend(1, 8_000, 0).expect("it is extended");
    server.extend(2, 8_000, 0).expect("it is extended");
    // Each replay speaks of its own expiry: 8 s, 16 s and 24 s.
    for (now, created, first, second) in [
        (5_000, 3_000, 11_000, 19_000),
        (8_000, 0, 8_000, 16_000),
        (20_000, 0, 0, 4_000),
        (29_000, 0, 0, 0),
        (29_001, 0, 0, 0),
    ] {
        assert_eq!(server.create(0, &create(8_000), now), Ok((8_000, Some(created))), "{now}");
        assert_eq!(server.extend(1, 8_000, now), Ok((16_000, Some(first))), "{now}");
        assert_eq!(server.extend(2, 8_000, now), Ok((24_000, Some(second))), "{now}");
    }
}

#[test]
fn a17_a_replay_knows_that_the_expiry_has_moved_back() {
    let shortens = Settings { max_lead_ms: Some(3_000), max_lead_shortens: true, ..Settings::default() };
    let mut server = Server::holding(shortens, 8_000);
    assert_eq!(server.extend(1, 1_000, 1_000), Ok((4_000, Some(3_000))));
    assert_eq!(server.create(0, &create(8_000), 1_000), Ok((8_000, Some(3_000))));
}

#[test]
fn a18_a_closed_tenant_comes_before_the_state_and_after_replays() {
    let mut server = Server::holding(Settings::default(), 8_000);
    server.extend(1, 1_000, 0).expect("it is extended");
    server.event(9, 1, Overage::Reject, 0).expect("it is applied");
    server.commit(2, 1, 0).expect("it is committed");
    server.tenant().closed = true;
    assert!(server.extend(1, 1_000, 0).is_ok());
    assert!(server.commit(2, 1, 0).is_ok());
    assert!(server.create(0, &create(8_000), 0).is_ok());
    assert!(server.event(9, 1, Overage::Reject, 0).is_ok());
    refused(server.extend(3, 1_000, 0), TenantClosed);
    refused(server.commit(3, 1, 0), TenantClosed);
    refused(server.release(3, 0), TenantClosed);
    refused(server.create(3, &create(8_000), 0), TenantClosed);
    refused(server.event(3, 1, Overage::Reject, 0), TenantClosed);
    assert_eq!(server.evaluate(4, &create(8_000), 0), Ok(Err(Denial::TenantClosed)));
}

#[test]
fn a19_another_tenants_is_forbidden_and_none_is_not_found() {
    let mut server = Server::holding(Settings::default(), 8_000);
    refused(server.get(OTHERS, 0), Forbidden);
    // The other tenant has answers to the same keys: they do not hide whose reservation it is.
    let others = Call { tenant: OTHERS, ..call(1) };
    let theirs = ReservationId(2);
    server.0.create(&others, &Create { id: theirs, ..create(8_000) }, "data", at(0)).expect("it is created");
    server.0.extend(&others, theirs, 1_000, at(0)).expect("it is extended");
    refused(server.0.extend(&others, R, 1_000, at(0)), Forbidden);
    refused(server.0.commit(&others, R, tokens(1), at(0)), Forbidden);
    refused(server.0.release(&others, R, at(0)), Forbidden);
    let none = ReservationId(3);
    refused(server.0.extend(&call(1), none, 1_000, at(0)), NotFound);
    refused(server.0.commit(&call(1), none, tokens(1), at(0)), NotFound);
    refused(server.0.release(&call(1), none, at(0)), NotFound);
    refused(server.0.get(MINE, none, at(0)), NotFound);
}

#[test]
fn a20_an_older_server_does_not_say_what_remains() {
    let mut server = Server::holding(Settings { remaining_ttl: false, ..Settings::default() }, 8_000);
    assert_eq!(server.create(0, &create(8_000), 0), Ok((8_000, None)));
    assert_eq!(server.extend(1, 1_000, 0), Ok((9_000, None)));
}

#[test]
fn a21_a_window_lets_so_many_through() {
    let limit = RateLimit { requests: 2, window_ms: 2_500 };
    let mut server = Server::new(Settings { rate_limit: Some(limit), ..Settings::default() });
    for (now, expected) in [
        (100, None),
        (200, None),
        (300, Some((3, 2_600))),
        (1_600, Some((1, 2_600))),
        (2_599, Some((1, 2_600))),
        (2_600, None),
        (2_601, None),
        (2_602, Some((3, 5_100))),
        // A clock that was set back begins a new window.
        (50, None),
    ] {
        let admitted = server.0.admit(MINE, at(now)).err();
        let throttled =
            expected.map(|(retry_after_s, reset)| Refusal::Throttled { retry_after_s, reset_at: at(reset) });
        assert_eq!(admitted, throttled, "{now}");
    }
    assert_eq!(server.0.admit(OTHERS, at(300)), Ok(()), "each tenant has its own");
}

#[test]
fn a23_what_ended_is_forgotten_after_the_retention() {
    let mut server = Server::holding(Settings::default(), 8_000);
    server.release(1, 1_000).expect("it is released");
    refused(server.extend(2, 1_000, 101_000), ReservationFinalized);
    refused(server.extend(2, 1_000, 101_001), NotFound);

    // An expired one is remembered from the end of its grace period on, and its create's key as long.
    let mut server = Server::holding(Settings::default(), 8_000);
    refused(server.get(MINE, 113_000), ReservationExpired);
    assert_eq!(server.create(0, &create(8_000), 113_000), Ok((8_000, Some(0))));
    let another = Create { id: ReservationId(2), ..create(8_000) };
    assert_eq!(server.create(0, &another, 113_001), Ok((121_001, Some(8_000))), "the key is fresh again");

    let mut server = Server::holding(Settings::default(), 8_000);
    server.0.sweep(64, at(200_000));
    server.0.sweep(256, at(200_000));
    assert_eq!(server.0.stored(), (0, 0));
}

#[test]
fn a23_without_room_nothing_is_applied() {
    let tenants = [Tenant::new(Policy::default(), Some(Budget::new(tokens(10_000))))];
    let mut authority: Authority<(), _, _, _> =
        Authority::new(tenants, [const { None }; 3], [const { None }; 8], Millis::new(1_000));
    for id in 1..=2u128 {
        let create = Create { id: ReservationId(id), ..create(86_400_000) };
        authority.create(&call(id), &create, (), at(0)).expect("there is room");
    }
    let third = Create { id: ReservationId(3), ..create(8_000) };
    refused(authority.create(&call(3), &third, (), at(0)), InternalError);
    assert_eq!(
        authority.tenant_mut(MINE).and_then(|mine| mine.budget).map(|budget| budget.reserved),
        Some(200)
    );

    let one = ReservationId(1);
    for key in 11..=15 {
        authority.extend(&call(key), one, 1_000, at(0)).expect("there is room");
    }
    refused(authority.extend(&call(16), one, 1_000, at(0)), InternalError);
    refused(authority.release(&call(16), one, at(0)), InternalError);
    assert_eq!(authority.peek(one).map(Reservation::extensions), Some(5));
    // Old answers make room by themselves, and the creates' keys stay.
    authority.extend(&call(16), one, 1_000, at(1_001)).expect("there is room again");
    assert_eq!(authority.stored(), (2, 3));
}
