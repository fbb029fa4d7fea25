//! What holds however requests come: random requests, keys, policies and times, with a clock that may step back.

#![allow(clippy::arithmetic_side_effects, clippy::expect_used, clippy::panic)] // tests may

mod common;

use std::collections::HashMap;

use common::{at, tokens};
use leasebeat::Millis;
use leasebeat_authority::*;
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Ask {
    Create { ttl_ms: u64, dry_run: bool },
    Extend { by_ms: u64 },
    Commit { amount: u64 },
    Release,
    Event { amount: u64 },
    Get,
}

#[derive(Debug, Clone)]
struct Request {
    ask: Ask,
    reservation: u8,
    key: u8,
    tenant: u16,
    /// How far the clock goes before it; now and then it goes back.
    step_ms: i64,
}

fn request() -> impl Strategy<Value = Request> {
    let ask = prop_oneof![
        3 => (1_000u64..20_000, any::<bool>()).prop_map(|(ttl_ms, dry)| Ask::Create { ttl_ms, dry_run: dry }),
        8 => (1u64..20_000).prop_map(|by_ms| Ask::Extend { by_ms }),
        1 => (0u64..300).prop_map(|amount| Ask::Commit { amount }),
        1 => Just(Ask::Release),
        1 => (0u64..300).prop_map(|amount| Ask::Event { amount }),
        1 => Just(Ask::Get),
    ];
    let step = prop_oneof![12 => 0i64..4_000, 1 => -3_000i64..0, 1 => 0i64..150_000];
    (ask, 0u8..2, 0u8..8, prop_oneof![4 => Just(0u16), 1 => Just(1)], step).prop_map(
        |(ask, reservation, key, tenant, step_ms)| Request { ask, reservation, key, tenant, step_ms },
    )
}

fn settings() -> impl Strategy<Value = Settings> {
    let clamp = || proptest::option::of(1u64..15_000);
    (0u32..6, clamp(), clamp(), any::<bool>(), 1_000u64..20_000).prop_map(
        |(most, grant, lead, shortens, ttl)| Settings {
            max_extensions: Some(most),
            grant_clamp_ms: grant,
            max_lead_ms: lead,
            max_lead_shortens: shortens,
            max_ttl_ms: ttl,
            ..Settings::default()
        },
    )
}

type Store = Authority<(), Vec<Tenant>, Vec<Option<Reservation<()>>>, Vec<Option<KeyRecord>>>;

/// What the test knows of a reservation: the name the authority was given, and what it was answered.
#[derive(Debug, Default)]
struct Known {
    extensions: HashMap<u128, u32>,
    expiry: HashMap<u128, ServerTime>,
    /// Which payload each key applied, per tenant and operation.
    applied: HashMap<(u16, &'static str, u8), u32>,
}

fn true_remaining(store: &Store, id: ReservationId, now: ServerTime) -> u64 {
    match store.peek(id) {
        Some(reservation) if reservation.status() == Status::Active => {
            now.until(reservation.expires_at()).get()
        }
        _ => 0,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn a8_a10_a15_a17_whatever_is_asked(
        settings in settings(),
        requests in proptest::collection::vec(request(), 1..80),
    ) {
        let policy = Policy::new(settings).expect("in range");
        let tenants = vec![
            Tenant::new(policy, Some(Budget::new(tokens(1_000)))),
            Tenant::new(policy, None),
        ];
        // Nothing is forgotten here, so that a key can apply only once.
        let mut store: Store =
            Authority::new(tenants, vec![None; 256], vec![None; 256], Millis::new(u64::MAX));
        let (mut known, mut clock_ms) = (Known::default(), 1_000_000u64);
        let mut names: HashMap<u8, u128> = HashMap::new();
        for (number, request) in requests.iter().enumerate() {
            clock_ms = clock_ms.saturating_add_signed(request.step_ms);
            let now = at(clock_ms);
            let Request { ask, reservation, key, tenant, .. } = request;
            // A key's low bits choose its payload, so that some requests repeat a key with another.
            let payload = format!("{ask:?}").len() as u128;
            let call = Call { tenant: TenantId(*tenant), key: Digest((*key).into()), payload: Digest(payload) };
            let id = ReservationId(names.get(reservation).copied().unwrap_or(u128::MAX));
            let before = store.clone();
            let operation = match ask {
                Ask::Create { ttl_ms, dry_run } => {
                    let fresh = ReservationId(number as u128);
                    let create = Create {
                        id: fresh,
                        ttl_ms: Some(*ttl_ms),
                        grace_ms: None,
                        estimate: tokens(ttl_ms % 400),
                        overage: Overage::default(),
                        dry_run: *dry_run,
                        in_budget: true,
                    };
                    match store.create(&call, &create, (), now) {
                        Ok(Answered { answer: CreateAnswer::Created(created), replayed }) => {
                            let remaining = created.remaining_ttl.expect("it is said").get();
                            prop_assert!(remaining <= true_remaining(&store, created.id, now));
                            if !replayed {
                                prop_assert!(created.id == fresh && remaining <= settings.max_ttl_ms);
                                names.insert(*reservation, fresh.0);
                            }
                            Some(("create", replayed))
                        }
                        Ok(Answered { answer: CreateAnswer::Evaluated(_), replayed }) => Some(("create", replayed)),
                        Err(_) => None,
                    }
                }
                Ask::Extend { by_ms } => match store.extend(&call, id, *by_ms, now) {
                    Ok(Answered { answer, replayed }) => {
                        let remaining = answer.remaining_ttl.expect("it is said").get();
                        prop_assert!(remaining <= true_remaining(&store, id, now), "overstated");
                        let was = before.peek(id).expect("it was there").expires_at();
                        if replayed {
                            prop_assert_eq!(store.peek(id).expect("it is there").expires_at(), was);
                        } else {
                            *known.extensions.entry(id.0).or_default() += 1;
                            let moved_back = answer.expires_at < was;
                            prop_assert_eq!(moved_back, answer.clamp == Clamp::Shortened);
                            prop_assert!(answer.expires_at <= was.plus(Millis::new(*by_ms)));
                            known.expiry.insert(id.0, answer.expires_at);
                        }
                        Some(("extend", replayed))
                    }
                    Err(_) => None,
                },
                Ask::Commit { amount } => match store.commit(&call, id, tokens(*amount), now) {
                    Ok(answered) => Some(("commit", answered.replayed)),
                    Err(_) => None,
                },
                Ask::Release => match store.release(&call, id, now) {
                    Ok(answered) => Some(("release", answered.replayed)),
                    Err(_) => None,
                },
                Ask::Event { amount } => {
                    let event = Event {
                        id: number as u128,
                        actual: tokens(*amount),
                        overage: Overage::default(),
                        in_budget: true,
                    };
                    match store.event(&call, &event, now) {
                        Ok(answered) => Some(("event", answered.replayed)),
                        Err(_) => None,
                    }
                }
                Ask::Get => {
                    let _ = store.get(call.tenant, id, now);
                    None
                }
            };
            if let Some((operation, replayed)) = operation {
                let times = known.applied.entry((*tenant, operation, *key)).or_default();
                *times += u32::from(!replayed);
                prop_assert_eq!(*times, 1, "a key applies once, and is replayed only after that");
            } else {
                prop_assert_eq!(store.stored().1, before.stored().1, "a refusal is not remembered");
            }
            // What is held is what active reservations hold.
            let held: u64 = (0..=number as u128)
                .filter_map(|name| store.peek(ReservationId(name)))
                .filter(|reservation| reservation.status() == Status::Active && reservation.tenant() == TenantId(0))
                .map(|reservation| reservation.reserved().amount)
                .sum();
            let budget = store.tenant_mut(TenantId(0)).and_then(|tenant| tenant.budget).expect("it has one");
            prop_assert_eq!(budget.reserved, held);
            prop_assert!(budget.spent + budget.reserved <= budget.allocated);
        }
        for (id, extensions) in &known.extensions {
            prop_assert!(*extensions <= settings.max_extensions.unwrap_or(0));
            let reservation = store.peek(ReservationId(*id)).expect("nothing is forgotten");
            prop_assert_eq!(reservation.extensions(), *extensions);
            prop_assert_eq!(Some(&reservation.expires_at()), known.expiry.get(id));
        }
    }
}
