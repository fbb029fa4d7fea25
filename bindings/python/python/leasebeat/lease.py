"""What both drivers share: one lease, its kernel and its bookkeeping. It owns no thread, no task and no timer."""

from __future__ import annotations

import dataclasses
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from leasebeat import clock
from leasebeat._native import (
    Begin,
    Close,
    Created,
    Decision,
    Denied,
    Event,
    Extended,
    Failed,
    Misuse,
    Send,
    Stop,
    Tick,
    TimingLost,
    Wait,
)
from leasebeat.kernel import Config, Disposition, Heartbeat, classify

__all__ = ["Attempt", "Failure", "Lease", "LeaseLost", "Policy"]

log = logging.getLogger("leasebeat")

Policy = Literal["warn", "cancel", "fail_on_finalize"]
_POLICIES = ("warn", "cancel", "fail_on_finalize")

# A step between the two clocks that no slewing explains between two wakes: the machine slept, or was set.
_JUMP_NS = 100_000_000


class LeaseLost(Exception):
    """The lease is no longer provably held while its work still wanted it."""


@dataclass(frozen=True)
class Attempt:
    """One request to be sent, by `send`."""

    operation: Literal["create", "extend"]
    number: int
    """Counts the attempts of the lease, from 1."""
    idempotency_key: str
    """The same for attempts that repeat each other, and no other's."""
    extend_by_ms: int
    timeout_s: float
    """How long the whole attempt may take: enforce it. What answers later is dropped."""


@dataclass(frozen=True)
class Failure:
    """A failed attempt, and what it means for the lease."""

    reservation_id: str | None
    attempt: Attempt
    event: Failed
    disposition: Disposition
    error: BaseException | None = None
    """What `send` raised."""


class Lease:
    """A lease that is being kept. Its readings may be taken from any thread."""

    def __init__(
        self,
        *,
        ttl_ms: int,
        timeout_ms: int,
        give_up_ms: int | None = None,
        created: Created | None = None,
        created_at_ns: int | None = None,
        reservation_id: str | None = None,
        policy: Policy = "warn",
        fallback: Literal["band", "refuse"] = "band",
        idempotency_key: Callable[[int], str] | None = None,
        on_decision: Callable[[Decision], object] | None = None,
        on_failure: Callable[[Failure], object] | None = None,
        on_lost: Callable[[str], object] | None = None,
        now_ns: Callable[[], int] = clock.now_ns,
        wall_ns: Callable[[], int] | None = None if clock.COUNTS_SLEEP else time.time_ns,
    ) -> None:
        """Nothing is sent before the driver begins."""
        if policy not in _POLICIES:
            raise ValueError(f"policy is {policy!r}; it must be one of {', '.join(_POLICIES)}")
        give_up_ms = timeout_ms * 3 // 4 if give_up_ms is None else give_up_ms
        self._adapter: object = None
        self._heartbeat = Heartbeat(Config(ttl_ms, request_timeout_ms=timeout_ms, fallback=fallback))
        if not 0 < give_up_ms <= timeout_ms:
            raise ValueError(f"give_up_ms is {give_up_ms}; it must be from 1 to timeout_ms, which is {timeout_ms}")
        if created is not None and not isinstance(created, Created):
            raise TypeError(f"created is {created!r}; it must be the Created of the reservation's answer")
        self.reservation_id = reservation_id
        self.policy: Policy = policy
        self._give_up_ns = give_up_ms * 1_000_000
        self._created = created
        self._created_at_ns = created_at_ns
        prefix = uuid.uuid4()
        self._key = idempotency_key or (lambda generation: f"{prefix}-{generation}")
        self._on_decision = on_decision
        self._on_failure = on_failure
        self._on_lost = on_lost
        self._now_ns = now_ns
        self._wall_ns = wall_ns
        self._drift_ns = wall_ns() - now_ns() if wall_ns else 0
        self._in_flight: tuple[Attempt, int] | None = None
        self._to_send: Attempt | None = None
        self._wait_ends_ns: int | None = None
        self._granted = False
        self._lost: str | None = None
        self._stop: str | None = None

    # What a host reads.

    @property
    def fence(self) -> float | None:
        """Until when the lease is provably held, in seconds on `leasebeat.clock`; None where nothing is proved."""
        fence_ns = self._heartbeat.fence_ns
        return None if fence_ns is None else fence_ns / 1e9

    @property
    def lead(self) -> float:
        """For how many seconds the lease is provably held, rounded down to ms; 0 where nothing is proved."""
        return self._heartbeat.lead_ms(self._now_ns()) / 1e3

    def held(self, seconds: float = 0.0) -> bool:
        """Whether the lease is provably held for so many seconds more: whether a step of the work still fits."""
        if not seconds >= 0:
            raise ValueError(f"seconds is {seconds!r}; it must be 0 or more")
        ms = min(-(-int(seconds * 1_000_000) // 1_000), 2**64 - 1) if seconds < 2e16 else 2**64 - 1
        return self._heartbeat.held_for(ms, self._now_ns())

    @property
    def granted(self) -> bool:
        """Whether a success has been reported."""
        return self._granted

    @property
    def stopped(self) -> str | None:
        """Why it is no longer extended, such as "closed" or "no-safe-retry"; None while it is."""
        return self._stop

    @property
    def lost(self) -> str | None:
        """Why the lease is no longer provably held, once it was not; None while all is well."""
        return self._lost

    @property
    def heartbeat(self) -> Heartbeat:
        """The kernel, to read from: danger, statistics, plan."""
        return self._heartbeat

    def check(self) -> None:
        """Raises LeaseLost once the lease was lost: to be called between the steps of the work."""
        if self._lost is not None:
            raise LeaseLost(self._lost)

    # What a driver does. It calls one at a time.

    def _begin(self) -> None:
        created = self._created
        if created is None:
            self._handle(Begin())
        elif created.rtt_ns is None and self._created_at_ns is not None:
            self._handle(created, self._created_at_ns)
        else:
            self._handle(created)

    def _take(self) -> Attempt | None:
        """The attempt to send now, once."""
        attempt, self._to_send = self._to_send, None
        return attempt

    def _wakes_ns(self) -> int | None:
        """When `_wake` is to be called, unless something happens before."""
        times = [self._wait_ends_ns]
        if self._in_flight is not None:
            times.append(self._in_flight[1] + self._give_up_ns)
        if self._lost is None and self._stop != "closed":
            times.append(self._heartbeat.fence_ns)
        known = [time_ns for time_ns in times if time_ns is not None]
        return min(known) if known else None

    def _wake(self) -> None:
        now = self._now_ns()
        if self._in_flight is not None and now >= self._in_flight[1] + self._give_up_ns:
            self._answered(self._in_flight[0].number, Failed("timeout"), None)
        elif self._wait_ends_ns is not None and now >= self._wait_ends_ns:
            self._handle(Tick())
        self._watch_fence()

    def _answered(self, number: int, event: Event, error: BaseException | None) -> None:
        """What became of an attempt; one that is not in flight any more is dropped."""
        if self._in_flight is None or self._in_flight[0].number != number:
            return
        attempt, sent_ns = self._in_flight
        self._in_flight = None
        if self.reservation_id is None:
            # An adapter that has created the reservation knows its id.
            self.reservation_id = getattr(self._adapter, "reservation_id", None)
        if not isinstance(event, (Created, Denied, Extended, Failed)):
            error = TypeError(f"send returned {event!r}; it must return Created, Denied, Extended or Failed")
            event = Failed("ambiguous")
        event = dataclasses.replace(event, attempt=number)
        try:
            self._report(attempt, event, sent_ns, error)
        except Misuse as misuse:
            # An answer to something else than what was asked proves nothing.
            self._report(attempt, Failed("ambiguous", attempt=number), sent_ns, misuse)

    def _report(self, attempt: Attempt, event: Event, sent_ns: int, error: BaseException | None) -> None:
        if isinstance(event, Failed):
            failure = Failure(self.reservation_id, attempt, event, classify(attempt.operation, event), error)
            log.warning(
                "reservation %s: attempt %d (%s) failed: %s, %s%s",
                self.reservation_id,
                attempt.number,
                attempt.operation,
                event,
                failure.disposition.kind,
                "" if error is None else f" ({error!r})",
            )
            self._call(self._on_failure, failure)
        self._handle(event, sent_ns)

    def _timing_lost(self) -> None:
        self._handle(TimingLost())

    def _close(self) -> None:
        if self._stop is None:
            self._handle(Close())
        self._stop = self._stop or "closed"
        self._in_flight = self._to_send = self._wait_ends_ns = None

    def _handle(self, event: Event, sent_ns: int | None = None) -> None:
        if self._stop is not None:
            return
        jumped = self._finds_jump()
        if jumped and not isinstance(event, TimingLost):
            self._follow(self._heartbeat.handle(TimingLost(), self._now_ns()), self._now_ns())
            # A tick is answered by that; and it may have stopped.
            if isinstance(event, Tick) or self._stop is not None:
                return
        now = self._now_ns()
        if isinstance(event, (Created, Extended)) and sent_ns is not None:
            event = dataclasses.replace(event, rtt_ns=now - sent_ns if now >= sent_ns else None)
        self._follow(self._heartbeat.handle(event, now), now)
        self._granted = self._granted or isinstance(event, (Created, Extended))

    def _follow(self, decision: Decision, now: int) -> None:
        self._wait_ends_ns = None
        if isinstance(decision, Send):
            attempt = Attempt(
                decision.operation,
                decision.attempt,
                self._key(decision.key_generation),
                decision.extend_by_ms,
                self._give_up_ns / 1e9,
            )
            self._in_flight, self._to_send = (attempt, now), attempt
        elif isinstance(decision, Wait):
            self._wait_ends_ns = None if decision.ms is None else now + decision.ms * 1_000_000
        elif isinstance(decision, Stop):
            self._finish(decision.reason)
        self._call(self._on_decision, decision)
        self._watch_fence()

    def _finish(self, reason: str) -> None:
        self._stop = reason
        self._in_flight = self._to_send = self._wait_ends_ns = None
        if reason == "closed":
            return
        fence_ns = self._heartbeat.fence_ns
        left = "nothing says that it is still held"
        if fence_ns is not None:
            left = f"it is held for {max(0, fence_ns - self._now_ns()) // 1_000_000} ms more"
        log.warning("reservation %s is no longer extended (%s); %s", self.reservation_id, reason, left)
        if fence_ns is None:
            self._lose(f"the lease is no longer extended ({reason}); {left}")

    def _watch_fence(self) -> None:
        fence_ns = self._heartbeat.fence_ns
        if fence_ns is not None and self._stop != "closed" and self._now_ns() >= fence_ns:
            self._lose("the lease is no longer provably held")

    def _lose(self, what: str) -> None:
        if self._lost is not None:
            return
        self._lost = what
        log.warning("reservation %s: %s", self.reservation_id, what)
        self._call(self._on_lost, what)

    def _finds_jump(self) -> bool:
        """Whether the wall clock moved and ours did not, or the reverse, since this was last asked (T6)."""
        if self._wall_ns is None:
            return False
        before_ns, self._drift_ns = self._drift_ns, self._wall_ns() - self._now_ns()
        return abs(self._drift_ns - before_ns) > _JUMP_NS

    def _call(self, callback: Callable[..., object] | None, value: object) -> None:
        """A host's callback: what it raises is the host's, and stops no lease."""
        if callback is None:
            return
        try:
            callback(value)
        except Exception:
            log.exception("reservation %s: a callback failed", self.reservation_id)
