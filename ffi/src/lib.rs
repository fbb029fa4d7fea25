//! The C ABI of leasebeat. Its documentation is the header `include/leasebeat.h`, which is generated from this crate,
//! and the guide `docs/C.md`; a program in Rust uses the crate `leasebeat` itself.
//!
//! - `codes.rs` and `types.rs` are what C sees; `raw.rs` is how Rust reads an enumeration that C may fill with anything.
//! - `memory.rs` has every check of a pointer and the handle's inside; no other file trusts an address.
//! - The other files are the functions, one idea each. Each checks all of its arguments before it changes anything.

#![cfg_attr(not(any(feature = "std", test)), no_std)]
// These are C's names.
#![allow(non_camel_case_types)]
// Of what every decision pays for.
#![allow(clippy::inline_always)]
#![cfg_attr(test, allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used))]

mod answer;
mod codes;
mod config;
mod convert;
mod explain;
#[cfg(feature = "fleet")]
mod fleet;
#[cfg(feature = "fleet")]
mod fleet_memory;
#[cfg(all(test, feature = "fleet"))]
mod fleet_tests;
#[cfg(feature = "fleet")]
mod fleet_types;
#[cfg(feature = "fleet")]
mod fleet_view;
mod heartbeat;
mod memory;
mod names;
mod raw;
mod snapshot;
#[cfg(all(test, feature = "wire"))]
mod tests;
mod text;
mod ticks;
mod types;
mod view;
#[cfg(feature = "wire")]
mod wire;

pub use answer::{leasebeat_classify, leasebeat_parse_retry_after};
pub use codes::*;
pub use config::{
    leasebeat_abi_version, leasebeat_config_check, leasebeat_config_init, leasebeat_plan_config,
    leasebeat_sizeof,
};
pub use explain::{leasebeat_describe, leasebeat_explain, leasebeat_numbers};
#[cfg(feature = "fleet")]
pub use fleet::{
    leasebeat_fleet_add_class, leasebeat_fleet_adopt, leasebeat_fleet_handle, leasebeat_fleet_init,
    leasebeat_fleet_insert, leasebeat_fleet_poll, leasebeat_fleet_remove, leasebeat_fleet_size,
};
#[cfg(feature = "fleet")]
pub use fleet_types::*;
#[cfg(feature = "fleet")]
pub use fleet_view::{
    leasebeat_fleet_fenced, leasebeat_fleet_get, leasebeat_fleet_in_danger, leasebeat_fleet_next,
    leasebeat_fleet_next_deadline, leasebeat_fleet_totals,
};
pub use heartbeat::{leasebeat_handle, leasebeat_init, leasebeat_tick};
pub use names::{
    leasebeat_action_name, leasebeat_error_code_name, leasebeat_key_name, leasebeat_operation_name,
    leasebeat_rule_name, leasebeat_status_name, leasebeat_status_text, leasebeat_stop_name,
};
pub use snapshot::{leasebeat_restore, leasebeat_snapshot};
pub use ticks::{leasebeat_ticks_init, leasebeat_ticks_lap, leasebeat_ticks_widen};
pub use types::*;
pub use view::{
    leasebeat_danger, leasebeat_fence, leasebeat_held_for, leasebeat_in_flight, leasebeat_lead,
    leasebeat_next_deadline, leasebeat_plan, leasebeat_stats, leasebeat_stopped,
};
#[cfg(feature = "wire")]
pub use wire::{leasebeat_decode, leasebeat_decode_problem, leasebeat_decode_reservation_id};

/// What ends up here does not link: `leasebeat_can_panic` is defined nowhere.
#[cfg(not(any(feature = "std", test)))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe extern "C" {
        fn leasebeat_can_panic() -> !;
    }
    // SAFETY: it takes nothing and never returns; where it would be called, the library does not link.
    unsafe { leasebeat_can_panic() }
}
