"""What the official SDK's scheduler costs a lease, and in the same run the C library called by ctypes: an object of JSON a line.

    sdk.py LIBRARY

`runcycles` keeps each lease with a scheduler of its own in a task (or thread) of its own. Its class has a private name; only
what its documentation says is called.
"""

import asyncio
import ctypes
import gc
import json
import struct
import sys
import time
import tracemalloc

from runcycles.lifecycle import _AuthoritativeScheduler as Scheduler

LEASES = 1_000
RUNS = 401


def spread(samples: list[float]) -> dict[str, float]:
    samples.sort()
    at = {"ns_low": 10, "ns_per_call": 50, "ns_high": 90}
    return {key: samples[(len(samples) - 1) * percent // 100] for key, percent in at.items()}


def report(name: str, **figures: float) -> None:
    print(json.dumps({"name": name, "leases": LEASES, **figures}))


def calls() -> None:
    schedulers = [Scheduler(10_000.0) for _ in range(LEASES)]
    kinds = {
        "a success": lambda scheduler, now: scheduler.on_valid_success(60_000, 20.0, now),
        "the lead": lambda scheduler, now: scheduler.lead_estimate_ms(now),
        "a failure": lambda scheduler, now: scheduler.on_transient_failure(now),
    }
    ns = {name: [] for name in ["a call that does nothing", *kinds]}
    now = 0.0
    for _ in range(RUNS):
        # The success, the lead a second later, and a failure when the beat is due: what a lease goes through.
        for name, after in [("a call that does nothing", 0.0), ("a success", 0.0), ("the lead", 1_000.0), ("a failure", 38_000.0)]:
            now += after
            call = kinds.get(name, lambda scheduler, now: None)
            decided = None
            start = time.perf_counter_ns()
            for scheduler in schedulers:
                decided = call(scheduler, now)
            ns[name].append((time.perf_counter_ns() - start) / LEASES)
            assert name not in kinds or decided > 0, (name, decided)
    for name, samples in ns.items():
        report(f"runcycles: {name}", **spread(samples))


def allocated(make) -> float:
    gc.collect()
    tracemalloc.start()
    kept = make()
    gc.collect()
    live, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del kept
    return live / LEASES


def schedulers() -> list[Scheduler]:
    made = [Scheduler(10_000.0) for _ in range(LEASES)]
    for scheduler in made:
        scheduler.on_valid_success(60_000, 20.0, 0.0)
    return made


def tasks() -> list:
    """Each scheduler in a task that sleeps until its beat, as the SDK's asynchronous client does."""

    async def beat(scheduler: Scheduler) -> None:
        await asyncio.sleep(scheduler.on_valid_success(60_000, 20.0, 0.0) / 1_000)

    made = [loop.create_task(beat(Scheduler(10_000.0))) for _ in range(LEASES)]
    loop.run_until_complete(asyncio.sleep(0))
    return made


def library() -> None:
    """A lease's success, and its beat, through ctypes: a foreign call each, with every argument checked by the library."""
    c = ctypes.CDLL(sys.argv[1])
    c.leasebeat_sizeof.restype = ctypes.c_size_t
    size = c.leasebeat_sizeof()
    config, decision = ctypes.create_string_buffer(48), (ctypes.c_uint64 * 5)()
    assert c.leasebeat_config_init(config, ctypes.c_size_t(48), ctypes.c_uint64(60_000)) == 0
    # present, extend_by_ms, request_timeout_ms
    struct.pack_into("=IQQ", config, 4, 1, 60_000, 10_000)

    def success(kind: int) -> ctypes.Array:
        # kind, present, rtt_ns, remaining_ttl_ms, expires_at_ms
        packed = struct.pack("=BxxB12xQQQQ", kind, 2 | 4 | 8, 20_000_000, 60_000, 1_785_585_660_000, 0)
        return (ctypes.c_uint64 * 6).from_buffer_copy(packed)

    heartbeats = [(ctypes.c_uint64 * (size // 8))() for _ in range(LEASES)]
    created, extended = success(2), success(4)
    handle, tick = c.leasebeat_handle, c.leasebeat_tick
    handle.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
    tick.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p]
    noop = c.leasebeat_abi_version
    now = 1_000_000_000
    for heartbeat in heartbeats:
        assert c.leasebeat_init(heartbeat, ctypes.c_size_t(size), config) == 0
        assert handle(heartbeat, created, now, decision) == 0
    wait, send = 2, 1
    kinds = {
        "a call that does nothing": (0, None, lambda heartbeat, now: noop() * 0),
        "a beat that is due": (40, send, lambda heartbeat, now: tick(heartbeat, now, decision)),
        "a success": (1, wait, lambda heartbeat, now: handle(heartbeat, extended, now, decision)),
    }
    ns = {name: [] for name in kinds}
    for _ in range(RUNS):
        for name, (after, expected, call) in kinds.items():
            now += after * 1_000_000_000
            start = time.perf_counter_ns()
            for heartbeat in heartbeats:
                status = call(heartbeat, now)
            ns[name].append((time.perf_counter_ns() - start) / LEASES)
            assert status == 0, (name, status)
            assert expected in (None, decision[0] & 0xFF), (name, decision[0])
    for name, samples in ns.items():
        report(f"leasebeat by ctypes: {name}", **spread(samples))
    report("leasebeat: memory, the heartbeat", bytes_per_lease=size)


calls()
library()
report("runcycles: memory, the scheduler", bytes_per_lease=allocated(schedulers))
loop = asyncio.new_event_loop()
report("runcycles: memory, the scheduler in its task", bytes_per_lease=allocated(tasks))
for task in asyncio.all_tasks(loop):
    task.cancel()
loop.run_until_complete(asyncio.sleep(0))
loop.close()
