//! Raw bytes become calls on a fleet of C's beside a heartbeat for each lease: statuses, decisions and what can be read are
//! the same, a refusal writes no output, and a stale id is never another lease.
#![no_main]

use leasebeat_ffi::leasebeat_status_t::{
    LEASEBEAT_ERROR_FLEET_CLASS, LEASEBEAT_ERROR_FLEET_FULL, LEASEBEAT_ERROR_FLEET_ID,
    LEASEBEAT_ERROR_MISALIGNED, LEASEBEAT_ERROR_NULL, LEASEBEAT_ERROR_OVERLAP, LEASEBEAT_NONE,
    LEASEBEAT_NOTHING_DUE, LEASEBEAT_OK,
};
use leasebeat_ffi::*;
use libfuzzer_sys::fuzz_target;

const LEASES: usize = 6;
const CALLS_MAX: usize = 100;
/// No decision that any heartbeat makes.
const UNTOUCHED: u64 = 0x5555_5555_5555_5555;

struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// Often a round duration, sometimes anything.
    fn number(&mut self) -> u64 {
        let byte = self.byte();
        match byte % 8 {
            0 => 0,
            1 => u64::MAX - u64::from(byte),
            2..5 => u64::from(self.byte()) * 1_000,
            5 => 60_000,
            _ => u64::from(self.byte()) << (byte % 48),
        }
    }
}

/// A lease as it is alone.
struct Single {
    id: u64,
    heartbeat: leasebeat_heartbeat_t,
}

struct World {
    memory: Vec<u64>,
    config: leasebeat_config_t,
    singles: Vec<Single>,
    gone: Vec<u64>,
    now_ns: u64,
}

fn untouched() -> leasebeat_decision_t {
    leasebeat_decision_t { wait_ms: UNTOUCHED, ..Default::default() }
}

impl World {
    fn new(input: &mut Input<'_>) -> Self {
        let bytes = leasebeat_fleet_size(LEASES as u32, 1, 0);
        let mut memory = vec![input.number(); bytes / 8];
        let mut config = unsafe { std::mem::zeroed::<leasebeat_config_t>() };
        let mut class = 1;
        let fleet: *mut leasebeat_fleet_t = memory.as_mut_ptr().cast();
        unsafe {
            assert_eq!(leasebeat_config_init(&raw mut config, size_of_val(&config), 60_000), LEASEBEAT_OK);
            config.request_timeout_ms = 10_000;
            config.present = LEASEBEAT_CONFIG_HAS_REQUEST_TIMEOUT_MS;
            let made = leasebeat_fleet_init(fleet, bytes, LEASES as u32, 1, 0, std::ptr::null());
            assert_eq!(made, LEASEBEAT_OK);
            assert_eq!(leasebeat_fleet_add_class(fleet, &raw const config, &raw mut class), LEASEBEAT_OK);
        }
        assert_eq!(class, 0);
        Self { memory, config, singles: Vec::new(), gone: Vec::new(), now_ns: 0 }
    }

    fn fleet(&mut self) -> *mut leasebeat_fleet_t {
        self.memory.as_mut_ptr().cast()
    }

    fn insert(&mut self, input: &mut Input<'_>) {
        let (fleet, class, full) =
            (self.fleet(), u16::from(input.byte() == 255), self.singles.len() == LEASES);
        let mut single = Single {
            id: UNTOUCHED,
            heartbeat: leasebeat_heartbeat_t { opaque: [0; LEASEBEAT_HEARTBEAT_WORDS] },
        };
        let status = unsafe {
            assert_eq!(leasebeat_init(&raw mut single.heartbeat, 256, &raw const self.config), LEASEBEAT_OK);
            if input.byte() & 1 == 0 {
                leasebeat_fleet_insert(fleet, class, &raw mut single.id)
            } else {
                leasebeat_fleet_adopt(fleet, class, &raw const single.heartbeat, &raw mut single.id)
            }
        };
        if status == LEASEBEAT_OK {
            assert!(!full && class == 0 && single.id != 0 && !self.gone.contains(&single.id));
            assert!(self.singles.iter().all(|other| other.id != single.id));
            return self.singles.push(single);
        }
        assert_eq!(single.id, UNTOUCHED, "{status:?} wrote an output");
        let expected = if class == 1 { LEASEBEAT_ERROR_FLEET_CLASS } else { LEASEBEAT_ERROR_FLEET_FULL };
        assert!(status == expected && (class == 1 || full));
    }

    fn handle(&mut self, input: &mut Input<'_>) {
        let (fleet, now_ns, which) = (self.fleet(), self.now_ns, usize::from(input.byte()));
        let event = leasebeat_event_t {
            kind: input.byte() % 10,
            failure: input.byte() % 6,
            error_code: input.byte() % 19,
            present: input.byte() % 64,
            attempt: u32::from(input.byte() % 8),
            http_status: [200, 429, 503, 409, 410, 302, 0, u16::MAX][usize::from(input.byte() % 8)],
            reserved: [0, 0, 0, 0, 0, u8::from(input.byte() == 255)],
            rtt_ns: input.number(),
            remaining_ttl_ms: input.number(),
            expires_at_ms: input.number(),
            retry_after_ms: input.number(),
        };
        let (mut of_fleet, mut alone) = (untouched(), untouched());
        let count = self.singles.len();
        let Some(single) = self.singles.get_mut(which % (count + 1)) else {
            // No lease: a raw number, or one that was removed.
            let id = self.gone.get(which % (self.gone.len() + 1)).copied().unwrap_or(UNTOUCHED);
            let mut fine = event;
            (fine.kind, fine.present, fine.reserved) = (6, 0, [0; 6]);
            let status =
                unsafe { leasebeat_fleet_handle(fleet, id, &raw const fine, now_ns, &raw mut of_fleet) };
            assert!(status == LEASEBEAT_ERROR_FLEET_ID && of_fleet == untouched());
            return;
        };
        unsafe {
            let status =
                leasebeat_handle(&raw mut single.heartbeat, &raw const event, now_ns, &raw mut alone);
            let fleets =
                leasebeat_fleet_handle(fleet, single.id, &raw const event, now_ns, &raw mut of_fleet);
            assert_eq!(fleets, status);
        }
        assert_eq!(of_fleet, alone);
    }

    fn poll(&mut self) {
        let (fleet, now_ns) = (self.fleet(), self.now_ns);
        for _ in 0..LEASES * 4 {
            let (mut id, mut of_fleet, mut alone) = (UNTOUCHED, untouched(), untouched());
            let status = unsafe { leasebeat_fleet_poll(fleet, now_ns, &raw mut id, &raw mut of_fleet) };
            if status == LEASEBEAT_NOTHING_DUE {
                assert!(id == UNTOUCHED && of_fleet == untouched());
                return;
            }
            assert_eq!(status, LEASEBEAT_OK);
            let single = self.singles.iter_mut().find(|single| single.id == id).expect("it is a lease");
            let ticked = unsafe { leasebeat_tick(&raw mut single.heartbeat, now_ns, &raw mut alone) };
            assert_eq!((ticked, of_fleet), (LEASEBEAT_OK, alone));
        }
    }

    fn remove(&mut self, input: &mut Input<'_>) {
        let fleet = self.fleet();
        if let Some(id) = self.gone.get(usize::from(input.byte()) % (self.gone.len() + 1)) {
            assert_eq!(unsafe { leasebeat_fleet_remove(fleet, *id) }, LEASEBEAT_ERROR_FLEET_ID);
        } else if !self.singles.is_empty() {
            let which = usize::from(input.byte()) % self.singles.len();
            let single = self.singles.swap_remove(which);
            assert_eq!(unsafe { leasebeat_fleet_remove(fleet, single.id) }, LEASEBEAT_OK);
            self.gone.push(single.id);
        }
    }

    /// Addresses that can be seen to be wrong: nothing is written, by whichever it is.
    fn misused(&mut self, input: &mut Input<'_>) {
        let fleet = self.fleet();
        let offset = usize::from(input.byte()) % (self.memory.len() - 5) * 8;
        let (mut id, mut decision) = (UNTOUCHED, untouched());
        let (id_at, decision_at) = (&raw mut id, &raw mut decision);
        unsafe {
            let inside = fleet.byte_add(offset);
            let (status, expected) = match input.byte() % 6 {
                0 => {
                    (leasebeat_fleet_poll(std::ptr::null_mut(), 0, id_at, decision_at), LEASEBEAT_ERROR_NULL)
                }
                1 => (
                    leasebeat_fleet_poll(fleet.byte_add(4), 0, id_at, decision_at),
                    LEASEBEAT_ERROR_MISALIGNED,
                ),
                2 => (leasebeat_fleet_poll(fleet, 0, inside.cast(), decision_at), LEASEBEAT_ERROR_OVERLAP),
                3 => (leasebeat_fleet_poll(fleet, 0, id_at, inside.cast()), LEASEBEAT_ERROR_OVERLAP),
                4 => (leasebeat_fleet_next(fleet, 0, inside.cast()), LEASEBEAT_ERROR_OVERLAP),
                _ => (leasebeat_fleet_insert(fleet, 0, inside.cast()), LEASEBEAT_ERROR_OVERLAP),
            };
            assert_eq!(status, expected);
        }
        assert!(id == UNTOUCHED && decision == untouched());
    }

    /// All that can be read is as alone.
    fn compare(&mut self) {
        let fleet = self.fleet();
        let (mut totals, mut id, mut seen) = (leasebeat_fleet_totals_t::default(), 0, 0);
        unsafe {
            assert_eq!(leasebeat_fleet_totals(fleet, &raw mut totals), LEASEBEAT_OK);
            while leasebeat_fleet_next(fleet, id, &raw mut id) == LEASEBEAT_OK {
                seen += 1;
                assert!(self.singles.iter().any(|single| single.id == id));
            }
            for single in &self.singles {
                let mut copy = leasebeat_heartbeat_t { opaque: [0; LEASEBEAT_HEARTBEAT_WORDS] };
                assert_eq!(leasebeat_fleet_get(fleet, single.id, &raw mut copy, 256), LEASEBEAT_OK);
                for read in [leasebeat_next_deadline, leasebeat_fence, leasebeat_danger] {
                    let (mut of_fleet, mut alone) = (UNTOUCHED, UNTOUCHED);
                    let status = read(&raw const copy, &raw mut of_fleet);
                    assert_eq!(status, read(&raw const single.heartbeat, &raw mut alone));
                    assert!(of_fleet == alone && (status == LEASEBEAT_OK || status == LEASEBEAT_NONE));
                }
            }
        }
        assert_eq!(
            (totals.leases as usize, seen, totals.removed as usize),
            (self.singles.len(), seen, self.gone.len())
        );
        assert_eq!(seen, self.singles.len());
    }
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data);
    let mut world = World::new(&mut input);
    for _ in 0..CALLS_MAX {
        if input.0.is_empty() {
            break;
        }
        match input.byte() % 16 {
            0..2 => world.insert(&mut input),
            2..9 => world.handle(&mut input),
            9..12 => {
                // Mostly forward, and sometimes back (T6).
                let by = input.number();
                let back = input.byte() % 16 == 0;
                let ms = by.saturating_mul(1_000_000) % 100_000_000_000;
                world.now_ns =
                    if back { world.now_ns.saturating_sub(ms) } else { world.now_ns.saturating_add(ms) };
                world.poll();
            }
            12 => world.remove(&mut input),
            13 => world.misused(&mut input),
            14 => world.memory = world.memory.clone(), // its bytes go on elsewhere
            _ => world.compare(),
        }
    }
    world.compare();
});
