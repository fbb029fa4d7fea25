//! What is broken, each by replacing text in a copy of the kernel's own source. A text that does not stand there exactly
//! once ends the build, so that no fault is lost when the kernel changes.

/// A file of `core/src`, what stands there, and what is put in its place.
pub(crate) type Edit = (&'static str, &'static str, &'static str);

/// The name of the module, and its edits.
pub(crate) const FAULTS: [(&str, &[Edit]); 15] = [
    ("rtt_not_subtracted", &[("lead.rs", "remaining.minus(consumed)", "remaining")]),
    (
        "floor_and_ceil_swapped",
        &[
            ("time.rs", "pub(crate) const fn ceil(self)", "pub(crate) const fn was_ceil(self)"),
            ("time.rs", "pub(crate) const fn floor(self)", "pub(crate) const fn ceil(self)"),
            ("time.rs", "pub(crate) const fn was_ceil(self)", "pub(crate) const fn floor(self)"),
        ],
    ),
    ("quantum_forgotten", &[("config.rs", "Nanos(self.clock_resolution_ns)", "Nanos(0)")]),
    ("tainted_rtt_used", &[("heartbeat.rs", "self.tainted = true;", "")]),
    (
        "lost_timing_keeps_the_lead",
        &[("heartbeat.rs", "self.lead.void();\n        self.ledger.void();", "self.ledger.void();")],
    ),
    (
        "reserve_omitted",
        &[("budget.rs", "lead_floor.minus(self.reserve())", "lead_floor.minus(self.margin)")],
    ),
    (
        "key_rotated_on_ambiguity",
        &[(
            "heartbeat.rs",
            "self.send(Operation::Create, Key::Same, Rule::L4)",
            "self.send(Operation::Create, Key::Fresh, Rule::L4)",
        )],
    ),
    ("zero_delay_guard_dropped", &[("heartbeat.rs", "if self.guards.zero_delay {", "if false {")]),
    ("zero_window_guard_dropped", &[("recovery.rs", "if self.zero_window_spent {", "if false {")]),
    (
        "cadence_without_a_minimum",
        &[("ledger.rs", "const CADENCE_MIN_MS: u32 = 500", "const CADENCE_MIN_MS: u32 = 1")],
    ),
    ("retry_after_cut_short", &[("recovery.rs", "{ retry_after.plus(quantum) }", "{ retry_after.half() }")]),
    ("retry_cut_short", &[("heartbeat.rs", "rule == Rule::L3 || self.key == Key::Same", "rule == Rule::L3")]),
    ("margin_dropped", &[("budget.rs", "?.checked_minus(self.margin)", "")]),
    (
        "stop_a_call_late",
        &[(
            "recovery.rs",
            "return Err((StopReason::NoSafeRetry, Rule::R2));",
            "return Ok(Retry { delay: Millis::new(1), throttled: false, rule: Rule::R5 });",
        )],
    ),
    (
        "generations_lost_in_a_snapshot",
        &[("snapshot.rs", "heartbeat.key_generations = self.key_generations;", "")],
    ),
];
