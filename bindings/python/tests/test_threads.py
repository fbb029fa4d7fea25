"""The driver with threads, with real timers, against the real server through faults."""

import gc
import logging
import os
import subprocess
import sys
import threading
import time

import httpx
import pytest
from conftest import API_KEY, RESERVATION, eventually

import leasebeat as lb
from leasebeat import clock, threads
from leasebeat.cycles import Cycles

TTL_MS, TIMEOUT_MS = 4_000, 1_000
FAULTS = [
    "lost-response",
    "reset",
    "delay=1500ms",
    "delay-before=1500ms",
    "status=503",
    "status-after=500",
    "throttle=0",
    "malformed",
    "wrong-schema",
    "accepted",
    "truncated",
    "stall",
]


@pytest.fixture
def client():
    with httpx.Client() as client:
        yield client


def keep(server, client, **options):
    send = Cycles(client, server.url, API_KEY, reservation=RESERVATION)
    return send, lb.keep_alive(send, ttl_ms=TTL_MS, timeout_ms=TIMEOUT_MS, **options)


@pytest.mark.parametrize(
    "fault",
    FAULTS,
)
def test_a_lease_lives_through_each_fault(serve, client, fault):
    server = serve("--max-lead", f"{TTL_MS}ms", "--fault", f"extend:2={fault}")
    failures = []
    send, lease = keep(server, client, on_failure=failures.append)
    with lease:
        assert lease.wait_granted(10)
        eventually(lambda: lease.heartbeat.stats.extensions >= 4)
        assert lease.held() and lease.lost is None and lease.stopped is None
    assert lease.stopped == "closed" and not lease.heartbeat.stats.attempts > len(server.of("extend")) + 1
    extends = server.assert_held_throughout()
    assert failures, "a fault that nobody was told of"
    for failure in failures:
        assert failure.attempt.operation == "extend" and failure.disposition.kind in ("transient", "throttled")
        assert failure.reservation_id == send.reservation_id == lease.reservation_id is not None
    # The retry carries the key of what failed, every other extend one of its own.
    assert extends[1]["key"] == extends[2]["key"]
    assert len({line["key"] for line in extends}) == len(extends) - 1


def test_the_fault_class_that_is_permanent_stops_it(serve, client, caplog):
    server = serve("--max-lead", f"{TTL_MS}ms", "--max-extensions", "2")
    with caplog.at_level(logging.WARNING, "leasebeat"):
        send, lease = keep(server, client)
        with lease:
            eventually(lambda: lease.stopped is not None)
            assert lease.stopped == "max-extensions-exceeded"
            assert lease.held(), "what was granted is still held"
    assert send.reservation_id is not None
    assert "MAX_EXTENSIONS_EXCEEDED" in caplog.text and "permanent" in caplog.text


def silent(attempt):
    raise ConnectionError("nobody answers")


def created(ms=TTL_MS):
    return lb.Created(0, ms, 1_785_585_600_000 + ms)


@pytest.mark.parametrize("policy", ["warn", "cancel", "fail_on_finalize"])
def test_what_a_lost_lease_does_is_the_policy(policy):
    lost = []

    def run():
        with lb.keep_alive(
            silent, ttl_ms=600, timeout_ms=100, created=created(600), policy=policy, on_lost=lost.append
        ) as lease:
            # The margin takes a second: no retry ever fits, and the fence is at 600 ms.
            assert lease.cancelled.wait(1.5) == (policy == "cancel")
            assert not lease.held()
            with pytest.raises(lb.LeaseLost):
                lease.check()

    if policy == "warn":
        run()
    else:
        with pytest.raises(lb.LeaseLost):
            run()
    assert len(lost) == 1


def test_an_error_of_the_work_is_not_hidden():
    with pytest.raises(KeyError), lb.keep_alive(silent, ttl_ms=600, timeout_ms=100, created=created(600), policy="cancel"):
        time.sleep(0.8)
        raise KeyError("the work's own")


def test_an_attempt_that_hangs_is_given_up_and_its_late_answer_dropped():
    release, calls = threading.Event(), []

    def send(attempt):
        calls.append(attempt)
        if len(calls) == 1:
            release.wait(10)
        return lb.Extended(remaining_ttl_ms=TTL_MS, expires_at_ms=1_785_585_660_000)

    failures = []
    with lb.keep_alive(
        send, ttl_ms=TTL_MS, timeout_ms=1_000, give_up_ms=300, created=created(3_200), on_failure=failures.append
    ) as lease:
        eventually(lambda: len(calls) >= 2)
        release.set()
        time.sleep(0.2)
        assert calls[0].idempotency_key == calls[1].idempotency_key
        assert lease.heartbeat.stats.extensions == 1 and lease.held()
    assert [failure.event.kind for failure in failures] == ["timeout"]


@pytest.mark.parametrize("answer", [None, "ok", lb.Tick(), lb.Created(1, 2, 3)])
def test_what_send_returns_is_checked(answer):
    failures = []
    with lb.keep_alive(
        lambda attempt: answer, ttl_ms=TTL_MS, timeout_ms=1_000, created=created(3_100), on_failure=failures.append
    ):
        eventually(lambda: failures)
    assert failures[0].event.kind == "ambiguous" and failures[0].error is not None


def test_a_callback_that_raises_stops_no_lease(caplog):
    def broken(_):
        raise ZeroDivisionError

    with lb.keep_alive(
        lambda attempt: lb.Extended(remaining_ttl_ms=3_100, expires_at_ms=1_785_585_660_000),
        ttl_ms=TTL_MS,
        timeout_ms=1_000,
        created=created(3_100),
        on_decision=broken,
    ) as lease:
        eventually(lambda: lease.heartbeat.stats.extensions >= 2)
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policy": "panic"}, "policy is 'panic'; it must be one of warn, cancel, fail_on_finalize"),
        ({"give_up_ms": 1_001}, "give_up_ms is 1001; it must be from 1 to timeout_ms, which is 1000"),
        ({"ttl_ms": 0}, "extend_by_ms is 0"),
        ({"timeout_ms": 0}, "request_timeout_ms is 0"),
        ({"created": "yes"}, "created is 'yes'"),
    ],
)
def test_options_are_checked_before_anything_is_sent(options, message):
    sent = []
    with pytest.raises((TypeError, ValueError), match=message):
        lb.keep_alive(sent.append, **{"ttl_ms": TTL_MS, "timeout_ms": 1_000, **options})
    assert not sent


def test_a_wait_longer_than_any_timer_is_waited():
    assert threading.TIMEOUT_MAX > threads._NAP_S
    with lb.keep_alive(silent, ttl_ms=86_400_000, timeout_ms=1_000, created=created(2**62)) as lease:
        assert lease.held(1e9) and not lease.held(1e300)
        time.sleep(0.05)
        assert lease.stopped is None
    with pytest.raises(ValueError, match="seconds is -1"):
        lease.held(-1)


def test_a_jump_of_the_wall_clock_is_lost_timing_where_the_clock_counts_no_sleep():
    slept = [0]
    sent = threading.Event()

    def send(attempt):
        sent.set()
        return lb.Extended(remaining_ttl_ms=60_000, expires_at_ms=1_785_585_660_000)

    with lb.keep_alive(
        send,
        ttl_ms=60_000,
        timeout_ms=1_000,
        created=created(60_000),
        wall_ns=lambda: clock.now_ns() + slept[0],
    ) as lease:
        assert lease.held() and not sent.is_set()
        slept[0] = 30_000_000_000
        lease.timing_lost()
        assert sent.wait(5)
        eventually(lease.held)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
def test_a_lease_of_the_parent_is_refused_in_a_child():
    with lb.keep_alive(silent, ttl_ms=60_000, timeout_ms=1_000, created=created(60_000)) as lease:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                lease.held()
                what = b"no error"
            except RuntimeError as error:
                what = str(error).encode()
            with lb.keep_alive(silent, ttl_ms=60_000, timeout_ms=1_000, created=created(60_000)) as own:
                what += b"; its own is held" if own.held() else b"; its own is not held"
            os.write(writing, what)
            os._exit(0)
        os.close(writing)
        said = os.read(reading, 1_000).decode()
        os.waitpid(child, 0)
        os.close(reading)
    assert "before fork()" in said and said.endswith("its own is held")


def test_the_interpreter_ends_though_a_lease_is_open_and_a_send_hangs():
    program = """
import time, leasebeat as lb
def send(attempt):
    time.sleep(60)
lease = lb.keep_alive(send, ttl_ms=4_000, timeout_ms=1_000, created=lb.Created(0, 3_000, 1_785_585_600_000))
time.sleep(0.3)
print("the end")
"""
    began = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    assert ran.returncode == 0 and ran.stdout == "the end\n" and "Traceback" not in ran.stderr, ran.stderr
    assert time.monotonic() - began < 10


def test_a_closed_lease_is_freed():
    made = lb.keep_alive(silent, ttl_ms=60_000, timeout_ms=1_000, created=created(60_000))
    made.close()
    made.close()
    assert made.stopped == "closed"
    gc.collect()
