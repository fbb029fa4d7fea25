//! How a field reads that C calls an enumeration: an integer, for C may put anything there. The header generator does
//! not look into macros, so it finds only the enumerations of the same names in `codes.rs`, and writes those.

macro_rules! raw {
    ($integer:ty: $($name:ident),*) => { $(pub(crate) type $name = $integer;)* };
}

raw!(i32: leasebeat_status_t);
raw!(
    u8: leasebeat_event_kind_t,
    leasebeat_failure_t,
    leasebeat_error_code_t,
    leasebeat_action_t,
    leasebeat_operation_t,
    leasebeat_key_t,
    leasebeat_stop_t,
    leasebeat_rule_t,
    leasebeat_disposition_kind_t,
    leasebeat_fallback_t,
    leasebeat_unknown_keys_t
);
