"""The clock that leases are kept by: one that counts time asleep, where the platform has one."""

from __future__ import annotations

import time

_BOOTTIME = getattr(time, "CLOCK_BOOTTIME", None)

COUNTS_SLEEP = _BOOTTIME is not None
"""Whether `now_ns` goes on while the machine sleeps. Where it does not, a jump of the wall clock beside it gives a sleep
away, and timing is reported lost (T6)."""


def now_ns() -> int:
    """Monotonic ns."""
    if _BOOTTIME is not None:
        return time.clock_gettime_ns(_BOOTTIME)
    return time.monotonic_ns()
