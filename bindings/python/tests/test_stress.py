"""Ten thousand leases on sixteen threads, over and over: nothing is left behind, and memory stays flat."""

import gc
import resource
import sys
import threading
import weakref

import pytest
from conftest import eventually

import leasebeat as lb

THREADS, LEASES, ROUNDS = 16, 10_000, 8
CONFIG = lb.Config(60_000, request_timeout_ms=10_000)


def resident_kib():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() // 1024


def a_life(number):
    heartbeat = lb.Heartbeat(CONFIG)
    now = number * 1_000
    decision = heartbeat.handle(lb.Created(20_000_000, 60_000, 1_785_585_660_000), now)
    for beat in range(3):
        now += decision.ms * 1_000_000
        sent = heartbeat.tick(now)
        assert isinstance(sent, lb.Send)
        now += 20_000_000
        if beat == number % 3:
            waiting = heartbeat.handle(lb.Failed("connection", attempt=sent.attempt), now)
            now += waiting.ms * 1_000_000
            sent = heartbeat.tick(now)
        decision = heartbeat.handle(lb.Extended(20_000_000, 60_000, 1_785_585_660_000, sent.attempt), now)
    with pytest.raises(lb.UnexpectedEvent):
        heartbeat.handle(lb.Begin(), now)
    assert heartbeat.stats == lb.Stats(attempts=4, retries=1, extensions=3, failures=1)


def a_round():
    errors = []

    def work(first):
        try:
            for number in range(first, LEASES, THREADS):
                a_life(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(first,)) for first in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="resident memory is read from /proc")
def test_memory_is_flat_over_ten_thousand_leases_on_sixteen_threads():
    for _ in range(2):
        a_round()
    gc.collect()
    before = resident_kib()
    for _ in range(ROUNDS):
        a_round()
    gc.collect()
    grown = resident_kib() - before
    # One object kept of each life would be 80,000 objects of some 300 bytes.
    assert grown < 6 * 1024, f"{grown} KiB more after {ROUNDS * LEASES} leases"


def test_a_thousand_kept_leases_leave_nothing_behind():
    def send(attempt):
        return lb.Extended(remaining_ttl_ms=60_000, expires_at_ms=1_785_585_660_000)

    created = lb.Created(0, 60_000, 1_785_585_660_000)
    leases = [lb.keep_alive(send, ttl_ms=60_000, timeout_ms=1_000, created=created) for _ in range(1_000)]
    assert all(lease.held(30) for lease in leases)
    assert threading.active_count() < 20
    dead = [weakref.ref(lease) for lease in leases]
    for lease in leases:
        lease.close()
    del leases, lease

    def freed():
        gc.collect()
        return sum(ref() is None for ref in dead) >= 1_000

    eventually(freed, 30)
