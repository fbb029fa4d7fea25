"""The driver with threads: one timer thread for all leases of the process, and a few that send."""

from __future__ import annotations

import atexit
import heapq
import itertools
import os
import queue
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal

from leasebeat._native import Created, Event, Failed
from leasebeat.lease import Attempt, Lease, LeaseLost, log

__all__ = ["ThreadLease", "keep_alive"]

# The timer never sleeps longer: `Condition.wait` counts no sleep of the machine, and takes at most threading.TIMEOUT_MAX.
_NAP_S = 5.0
_SENDERS = 8


class ThreadLease(Lease):
    """A lease kept by threads. Closing it, or leaving its `with`, ends the beats; the server is told nothing."""

    def __init__(self, send: Callable[[Attempt], Event], **options: Any) -> None:
        super().__init__(**options)
        self._send = self._adapter = send
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._scheduled_ns: int | None = None
        self._entries: list[int] = []
        self._pid = os.getpid()
        self.cancelled = threading.Event()
        """Set when the lease is lost under the policy "cancel": for the work to look at."""
        self._scheduler = _scheduler()
        with self._lock:
            self._begin()
        self._go_on()

    def close(self) -> None:
        """The work is done: no further beat. What is in flight is dropped. Closing twice is fine."""
        with self._lock:
            self._close()
            self._changed.notify_all()
        self._scheduler.forget(self)

    def timing_lost(self) -> None:
        """The machine slept or its clock jumped, where you know it better: the lease is extended at once."""
        with self._lock:
            self._timing_lost()
        self._go_on()

    def wait_granted(self, timeout_s: float | None = None) -> bool:
        """Waits for the first success, or until it stops without one; whether it was granted."""
        with self._changed:
            self._changed.wait_for(lambda: self._granted or self._stop is not None, timeout_s)
            return self._granted

    def held(self, seconds: float = 0.0) -> bool:
        """Whether the lease is provably held for so many seconds more."""
        self._not_forked()
        with self._lock:
            return super().held(seconds)

    @property
    def fence(self) -> float | None:
        """Until when the lease is provably held, in seconds on `leasebeat.clock`; None where nothing is proved."""
        self._not_forked()
        with self._lock:
            return super().fence

    def __enter__(self) -> ThreadLease:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        self._not_forked()
        self.close()
        if self.policy != "warn" and error is None and self._lost is not None:
            raise LeaseLost(self._lost)
        return False

    def _not_forked(self) -> None:
        if os.getpid() != self._pid:
            raise RuntimeError(
                f"this lease is kept by process {self._pid}, before fork(); open one in the child where it needs one"
            )

    def _lose(self, what: str) -> None:
        super()._lose(what)
        if self.policy == "cancel":
            self.cancelled.set()

    # Called by the scheduler's threads.

    def _due(self) -> None:
        with self._lock:
            self._scheduled_ns = None
            self._wake()
        self._go_on()

    def _attempt(self, attempt: Attempt) -> None:
        error: BaseException | None = None
        try:
            event = self._send(attempt)
        except TimeoutError as raised:
            error, event = raised, Failed("timeout")
        except Exception as raised:
            error, event = raised, Failed("connection")
        with self._lock:
            self._answered(attempt.number, event, error)
        self._go_on()

    def _go_on(self) -> None:
        """Sends what is to be sent, and sets the timer."""
        with self._lock:
            self._changed.notify_all()
            attempt, wakes_ns = self._take(), self._wakes_ns()
            sooner = wakes_ns is not None and (self._scheduled_ns is None or wakes_ns < self._scheduled_ns)
            if sooner:
                self._scheduled_ns = wakes_ns
        if attempt is not None:
            self._scheduler.send(self, attempt)
        if sooner and wakes_ns is not None:
            self._scheduler.schedule(self, wakes_ns)


class _Scheduler:
    """One timer over all leases, and the threads that send. All are daemons: an interpreter that ends waits for none."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._heap: list[tuple[int, int]] = []
        self._due: dict[int, ThreadLease] = {}
        self._numbers = itertools.count()
        self._work: queue.SimpleQueue[tuple[ThreadLease, Attempt] | None] = queue.SimpleQueue()
        self._senders = 0
        self._idle = 0
        self._ended = False
        self._thread = threading.Thread(target=self._run, name="leasebeat-timer", daemon=True)
        self._thread.start()

    def schedule(self, lease: ThreadLease, at_ns: int) -> None:
        with self._changed:
            number = next(self._numbers)
            self._due[number] = lease
            heapq.heappush(self._heap, (at_ns, number))
            lease._entries.append(number)
            if self._heap[0][1] == number:
                self._changed.notify()

    def forget(self, lease: ThreadLease) -> None:
        """A closed lease is kept by nothing here; its place in the heap goes when its time comes."""
        with self._changed:
            for number in lease._entries:
                self._due.pop(number, None)
            lease._entries.clear()

    def send(self, lease: ThreadLease, attempt: Attempt) -> None:
        with self._changed:
            if self._idle == 0 and self._senders < _SENDERS:
                self._senders += 1
                threading.Thread(target=self._sender, name="leasebeat-send", daemon=True).start()
        self._work.put((lease, attempt))

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._heap.clear()
            self._due.clear()
            self._changed.notify()
            senders = self._senders
        for _ in range(senders):
            self._work.put(None)

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._ended:
                    return
                lease = self._pop()
                if lease is None:
                    continue
            try:
                lease._due()
            except Exception:
                log.exception("reservation %s: the driver failed", lease.reservation_id)

    def _pop(self) -> ThreadLease | None:
        """The lease that is due, once there is one; None after a nap."""
        if not self._heap:
            self._changed.wait(_NAP_S)
            return None
        at_ns, number = self._heap[0]
        lease = self._due.get(number)
        if lease is not None:
            left_ns = at_ns - lease._now_ns()
            if left_ns > 0:
                self._changed.wait(min(left_ns / 1e9, _NAP_S))
                return None
            del self._due[number]
            lease._entries.remove(number)
        heapq.heappop(self._heap)
        # A later entry of it was overtaken by a sooner one.
        return lease if lease is not None and lease._scheduled_ns == at_ns else None

    def _sender(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
            work = self._work.get()
            with self._changed:
                self._idle -= 1
            if work is None:
                return
            lease, attempt = work
            try:
                lease._attempt(attempt)
            except Exception:
                log.exception("reservation %s: the driver failed", lease.reservation_id)


_shared: _Scheduler | None = None
_shared_lock = threading.Lock()


def _scheduler() -> _Scheduler:
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = _Scheduler()
            atexit.register(_shared.end)
        return _shared


def _forked() -> None:
    """A child has none of its parent's threads."""
    global _shared, _shared_lock
    _shared, _shared_lock = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def keep_alive(
    send: Callable[[Attempt], Event],
    *,
    ttl_ms: int,
    timeout_ms: int,
    created: Created | None = None,
    **options: Any,
) -> ThreadLease:
    """Keeps a lease alive until it is closed or can no longer be kept.

    `send` sends an attempt and returns what became of it: Extended, Created, Denied or Failed; what it raises is a lost
    connection, or a timeout where it is a TimeoutError. It is called by threads of the driver, never twice at a time for
    one lease. Without `created`, what the answer of a reservation of yours said, the first attempt creates one.

    More options: give_up_ms (three quarters of timeout_ms), created_at_ns (the clock's reading before the create was sent,
    where `created` has no rtt_ns), reservation_id, policy, fallback, idempotency_key, on_decision, on_failure, on_lost.
    """
    return ThreadLease(send, ttl_ms=ttl_ms, timeout_ms=timeout_ms, created=created, **options)
