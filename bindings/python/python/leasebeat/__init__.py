"""Keeps a server-granted lease alive.

`Heartbeat` is the kernel of one lease: events in, decisions out, no clock and no socket. `keep_alive` runs it with
threads, `leasebeat.aio.keep_alive` with asyncio.
"""

from __future__ import annotations

from leasebeat._dataclasses import dress
from leasebeat._native import (
    Begin,
    Close,
    Created,
    Decision,
    Denied,
    Event,
    Extended,
    Failed,
    LeasebeatError,
    Misuse,
    Send,
    SnapshotError,
    StaleAttempt,
    Stop,
    Tick,
    TimingLost,
    UnexpectedEvent,
    Wait,
)
from leasebeat.kernel import (
    Config,
    Decoded,
    Disposition,
    Heartbeat,
    Plan,
    Stats,
    classify,
    decode,
    parse_retry_after,
    plan,
)
from leasebeat.lease import Attempt, Failure, Lease, LeaseLost, Policy
from leasebeat.threads import keep_alive

dress()
# The names of traces: what a log says, and a test compares.
UnexpectedEvent.code = "unexpected-event"
StaleAttempt.code = "stale-attempt"

__all__ = [
    "Attempt",
    "Begin",
    "Close",
    "Config",
    "Created",
    "Decision",
    "Decoded",
    "Denied",
    "Disposition",
    "Event",
    "Extended",
    "Failed",
    "Failure",
    "Heartbeat",
    "Lease",
    "LeaseLost",
    "LeasebeatError",
    "Misuse",
    "Plan",
    "Policy",
    "Send",
    "SnapshotError",
    "StaleAttempt",
    "Stats",
    "Stop",
    "Tick",
    "TimingLost",
    "UnexpectedEvent",
    "Wait",
    "classify",
    "decode",
    "keep_alive",
    "parse_retry_after",
    "plan",
]
