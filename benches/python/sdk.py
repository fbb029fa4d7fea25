"""What the official SDK's scheduler costs a lease, an object of JSON a line.

`runcycles` keeps each lease with a scheduler of its own in a task (or thread) of its own. Its class has a private name; only
what its documentation says is called.
"""

import asyncio
import gc
import json
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
        report(name, **spread(samples))


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


calls()
report("memory: the scheduler", bytes_per_lease=allocated(schedulers))
loop = asyncio.new_event_loop()
report("memory: the scheduler in its task", bytes_per_lease=allocated(tasks))
for task in asyncio.all_tasks(loop):
    task.cancel()
loop.run_until_complete(asyncio.sleep(0))
loop.close()
