"""The kernel of one lease, and what goes with it: settings, plans, and HTTP answers decoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from leasebeat import _native

__all__ = [
    "Config",
    "Decoded",
    "Disposition",
    "Heartbeat",
    "Plan",
    "Stats",
    "classify",
    "decode",
    "parse_retry_after",
    "plan",
]


@dataclass(frozen=True)
class Config:
    """What a host sets. Out of range is a ValueError that names the field, its value and the range."""

    extend_by_ms: int
    """How much each extension asks for, in ms: 1 to 86,400,000. Usually the TTL the lease was created with."""
    request_timeout_ms: int | None = None
    """How long one whole attempt may take until its failure is reported, in ms: 1 or more. None is unknown: then no
    delay can be proved safe, and the heartbeat stops soon (P3, P5)."""
    clock_resolution_ns: int = 0
    """By how much two readings of the clock may understate the time between them, in ns: 0 to 10,000,000,000 (T3)."""
    max_wait_ms: int | None = None
    """The longest wait that the host's timer can take, in ms: 1 or more. Longer waits are cut to it."""
    fallback: Literal["band", "refuse"] = "band"
    """With a server that does not say what remains: measure grants, or stop (F1)."""

    def __post_init__(self) -> None:
        _native.check_config(self)


@dataclass(frozen=True)
class Plan:
    """What a timeout, a lead and a round trip come to (P3, P4), in ms. None is unbounded, or impossible."""

    safety_margin_ms: int
    attempt_budget_ms: int | None
    retry_reserve_ms: int | None
    delay_ms: int | None
    """How long after an answer the next beat follows. None: the lease is in the dead zone."""
    largest_timeout_ms: int | None
    shortest_lead_ms: int | None


@dataclass(frozen=True)
class Stats:
    """Counts since the heartbeat was made. Each sticks at its maximum."""

    attempts: int
    retries: int
    extensions: int
    failures: int


@dataclass(frozen=True)
class Disposition:
    """What a failure means for the lease."""

    kind: Literal["transient", "throttled", "permanent", "rejected", "unexpected-status"]
    reason: str | None = None
    """Permanent: what the heartbeat stops for."""
    retry_after_ms: int | None = None
    """Throttled: not before so long, where the answer said so."""


@dataclass(frozen=True)
class Decoded:
    """What a raw HTTP answer says (W1)."""

    event: _native.Event
    """To be reported, with its attempt and, for a success, its round trip: `dataclasses.replace` sets them."""
    reservation_id: str | None = None
    """Of a create that was granted."""
    problem: str | None = None
    """The first thing that is wrong with the answer, in words, for a log."""


class Heartbeat(_native.Heartbeat):
    """The kernel of one lease: tell it what happens and when, and do what it decides.

    Times are ns of one monotonic clock, best one that counts time asleep. `handle` raises Misuse where the event cannot
    happen now; nothing has changed then. A heartbeat may be used by one thread at a time.
    """

    config: Config

    def __new__(cls, config: Config) -> Heartbeat:
        made: Heartbeat = super().__new__(cls, config)
        made.config = config
        return made

    @property
    def stats(self) -> Stats:
        """What has been counted."""
        return Stats(*self._stats())

    @property
    def plan(self) -> Plan:
        """What the last success and the round trips so far come to."""
        return Plan(*self._plan())

    @classmethod
    def restore(cls, config: Config, snapshot: bytes, now_ns: int) -> tuple[Heartbeat, _native.Decision]:
        """The heartbeat of a snapshot on a clock that reads now_ns, and what it wants done first (T6).

        The snapshot carries the settings that decide; `config` is only what `heartbeat.config` says.
        """
        restored = cls(config)
        return restored, restored._restore(snapshot, now_ns)


def plan(config: Config, lead_ms: int, max_rtt_ms: int = 0) -> Plan:
    """What settings come to with a lead and a round trip to expect."""
    return Plan(*_native.plan(config, lead_ms, max_rtt_ms))


def classify(operation: Literal["create", "extend"], failed: _native.Failed) -> Disposition:
    """What the failure of an attempt means for the lease."""
    return Disposition(*_native.classify(operation, failed))  # type: ignore[arg-type]


def parse_retry_after(header: str | bytes) -> int | None:
    """The value of a Retry-After header in ms; None where it is not valid, and counts as absent (C5)."""
    return _native.parse_retry_after(_bytes(header))


def decode(
    operation: Literal["create", "extend"],
    status: int,
    body: bytes,
    *,
    retry_after: str | bytes | None = None,
    unknown_keys: Literal["reject", "ignore"] = "reject",
) -> Decoded:
    """Decodes a raw HTTP answer to the event to report, by the protocol's schemas."""
    header = None if retry_after is None else _bytes(retry_after)
    return Decoded(*_native.decode(operation, status, body, header, unknown_keys))


def _bytes(header: str | bytes) -> bytes:
    return header.encode("utf-8", "surrogateescape") if isinstance(header, str) else header
