"""The driver with asyncio: a task for each lease."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Literal

from leasebeat._native import Created, Event, Failed
from leasebeat.lease import Attempt, Lease, LeaseLost, log

__all__ = ["AsyncLease", "keep_alive"]

# The loop's clock counts no sleep of the machine, so no nap is longer.
_NAP_S = 10.0


class AsyncLease(Lease):
    """A lease kept by a task of the running loop. Use it in `async with`, or `start` and `close` it."""

    def __init__(self, send: Callable[[Attempt], Awaitable[Event]], **options: Any) -> None:
        super().__init__(**options)
        self._send = self._adapter = send
        self._changed = asyncio.Event()
        self._settled = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._sender: asyncio.Task[None] | None = None
        self._guarded: asyncio.Task[Any] | None = None
        self._cancelled_work = False

    def start(self) -> None:
        """Begins, in the running loop."""
        if self._keeper is None:
            self._begin()
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    async def close(self) -> None:
        """The work is done: no further beat. What is in flight is cancelled. Closing twice is fine."""
        self._close()
        self._changed.set()
        tasks = [task for task in (self._sender, self._keeper) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def timing_lost(self) -> None:
        """The machine slept or its clock jumped, where you know it better: the lease is extended at once."""
        self._timing_lost()
        self._changed.set()

    async def wait_granted(self) -> bool:
        """Waits for the first success, or until it stops without one; whether it was granted."""
        await self._settled.wait()
        return self._granted

    async def __aenter__(self) -> AsyncLease:
        self._guarded = asyncio.current_task()
        self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> Literal[False]:
        await self.close()
        if self._cancelled_work and isinstance(error, asyncio.CancelledError):
            uncancel = getattr(self._guarded, "uncancel", None)
            if uncancel is not None:
                uncancel()
            raise LeaseLost(self._lost) from error
        if self.policy != "warn" and error is None and self._lost is not None:
            raise LeaseLost(self._lost)
        return False

    def _lose(self, what: str) -> None:
        super()._lose(what)
        if self.policy == "cancel" and self._guarded is not None and not self._guarded.done():
            self._cancelled_work = self._guarded.cancel()

    def _handle(self, event: Event, sent_ns: int | None = None) -> None:
        super()._handle(event, sent_ns)
        if self._granted or self._stop is not None:
            self._settled.set()

    async def _keep(self) -> None:
        """Sends what is to be sent, and wakes the kernel when it is due."""
        while True:
            attempt, wakes_ns = self._take(), self._wakes_ns()
            if attempt is not None:
                self._sender = asyncio.get_running_loop().create_task(self._attempt(attempt))
            if wakes_ns is None and self._stop is not None:
                return
            nap_s = _NAP_S if wakes_ns is None else min(_NAP_S, max(0.0, (wakes_ns - self._now_ns()) / 1e9))
            self._changed.clear()
            try:
                await asyncio.wait_for(self._changed.wait(), nap_s)
            except asyncio.TimeoutError:
                self._wake()

    async def _attempt(self, attempt: Attempt) -> None:
        error: BaseException | None = None
        try:
            event = await asyncio.wait_for(self._send(attempt), attempt.timeout_s)
        except (asyncio.TimeoutError, TimeoutError) as raised:
            error, event = raised, Failed("timeout")
        except Exception as raised:
            error, event = raised, Failed("connection")
        try:
            self._answered(attempt.number, event, error)
        except Exception:
            log.exception("reservation %s: the driver failed", self.reservation_id)
        self._changed.set()


def keep_alive(
    send: Callable[[Attempt], Awaitable[Event]],
    *,
    ttl_ms: int,
    timeout_ms: int,
    created: Created | None = None,
    **options: Any,
) -> AsyncLease:
    """As `leasebeat.keep_alive`, for `async with`. `send` is a coroutine function; it is cancelled when it takes too long.

    Under the policy "cancel" the task that entered the `async with` is cancelled when the lease is lost, and LeaseLost is
    what it ends with.
    """
    return AsyncLease(send, ttl_ms=ttl_ms, timeout_ms=timeout_ms, created=created, **options)
