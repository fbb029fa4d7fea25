"""What a call of the kernel costs from Python, beside a call through the same bridge that does nothing. JSON lines."""

import json
import statistics
import timeit

import leasebeat

NUMBER, ROUNDS = 100_000, 9
CONFIG = leasebeat.Config(60_000, request_timeout_ms=10_000)
CREATED = leasebeat.Created(20_000_000, 60_000, 1_785_585_660_000)
TICK = leasebeat.Tick()
NOW = 20_000_000


def ns_per_call(statement: str, names: dict) -> float:
    timer = timeit.Timer(statement, globals=names)
    return statistics.median(timer.repeat(ROUNDS, NUMBER)) / NUMBER * 1e9


def waiting() -> leasebeat.Heartbeat:
    heartbeat = leasebeat.Heartbeat(CONFIG)
    heartbeat.handle(CREATED, NOW)
    return heartbeat


def in_flight() -> leasebeat.Heartbeat:
    heartbeat = waiting()
    heartbeat.tick(heartbeat.next_deadline_ns)
    return heartbeat


def pair_ns() -> float:
    """A due tick and the success that follows, over and over: half of it is one call of the mix."""
    heartbeat, extended = waiting(), leasebeat.Extended(20_000_000, 60_000, 1_785_585_660_000)
    handle = heartbeat.handle
    now = heartbeat.next_deadline_ns

    def beat() -> None:
        nonlocal now
        handle(TICK, now)
        handle(extended, now + 20_000_000)
        now += 38_980_000_000 + 20_000_000

    return statistics.median(timeit.Timer(beat).repeat(ROUNDS, NUMBER)) / NUMBER * 1e9


heartbeat = waiting()
names = {"handle": heartbeat.handle, "tick": heartbeat.tick, "noop": heartbeat._noop, "event": TICK, "now": NOW + 5}
noop_ns = ns_per_call("noop(event, now)", names)
results = {
    "handle, an early tick": ns_per_call("handle(event, now)", names),
    "tick, early": ns_per_call("tick(now)", names),
    "handle, a due tick and its success (each)": pair_ns() / 2,
}
for name, ns in results.items():
    line = {"name": name, "ns_per_call": round(ns, 1), "noop_ns": round(noop_ns, 1), "ratio": round(ns / noop_ns, 2)}
    print(json.dumps(line))
