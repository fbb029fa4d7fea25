//! Bytes as a run of a lease: `leasebeat_tests::events` says how they are read and what must hold.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| leasebeat_tests::events::run(data));
