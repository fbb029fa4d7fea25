"""The driver with asyncio, against the real server and through cancellation."""

import asyncio

import httpx
import pytest
from conftest import API_KEY, RESERVATION

import leasebeat as lb
from leasebeat import aio
from leasebeat.cycles import AsyncCycles

TTL_MS, TIMEOUT_MS = 4_000, 1_000


def created(ms=TTL_MS):
    return lb.Created(0, ms, 1_785_585_600_000 + ms)


async def silent(attempt):
    raise ConnectionError("nobody answers")


async def until(what, timeout_s=20.0):
    deadline = asyncio.get_running_loop().time() + timeout_s
    while not what():
        assert asyncio.get_running_loop().time() < deadline, "it did not happen in time"
        await asyncio.sleep(0.01)


@pytest.mark.parametrize("fault", ["lost-response", "status=503", "throttle=0", "reset", "malformed", "stall"])
async def test_a_lease_lives_through_each_fault(serve, fault):
    server = serve("--max-lead", f"{TTL_MS}ms", "--fault", f"extend:2={fault}")
    failures = []
    async with httpx.AsyncClient() as client:
        send = AsyncCycles(client, server.url, API_KEY, reservation=RESERVATION)
        async with aio.keep_alive(send, ttl_ms=TTL_MS, timeout_ms=TIMEOUT_MS, on_failure=failures.append) as lease:
            assert await lease.wait_granted()
            await until(lambda: lease.heartbeat.stats.extensions >= 4)
            assert lease.held() and lease.lost is None
    extends = server.assert_held_throughout()
    assert failures and extends[1]["key"] == extends[2]["key"]
    assert len({line["key"] for line in extends}) == len(extends) - 1


async def test_cancel_ends_the_guarded_work_with_lease_lost():
    reached = []
    with pytest.raises(lb.LeaseLost):
        async with aio.keep_alive(silent, ttl_ms=600, timeout_ms=100, created=created(600), policy="cancel"):
            await asyncio.sleep(10)
            reached.append("the end")
    assert not reached
    await asyncio.sleep(0)


async def test_warn_lets_the_work_end():
    async with aio.keep_alive(silent, ttl_ms=600, timeout_ms=100, created=created(600)) as lease:
        await asyncio.sleep(0.8)
        assert lease.lost is not None and not lease.held()


async def test_fail_on_finalize_raises_at_the_end():
    with pytest.raises(lb.LeaseLost):
        async with aio.keep_alive(silent, ttl_ms=600, timeout_ms=100, created=created(600), policy="fail_on_finalize"):
            await asyncio.sleep(0.8)


async def test_a_cancelled_task_is_cancelled_and_leaves_no_task():
    async def work():
        async with aio.keep_alive(silent, ttl_ms=60_000, timeout_ms=1_000, created=created(60_000)):
            await asyncio.sleep(60)

    before = len(asyncio.all_tasks())
    task = asyncio.create_task(work())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(asyncio.all_tasks()) == before


async def test_an_attempt_that_hangs_is_cancelled():
    calls, cancelled = [], []

    async def send(attempt):
        calls.append(attempt)
        if len(calls) == 1:
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append(attempt.number)
                raise
        return lb.Extended(remaining_ttl_ms=TTL_MS, expires_at_ms=1_785_585_660_000)

    async with aio.keep_alive(send, ttl_ms=TTL_MS, timeout_ms=1_000, give_up_ms=300, created=created(3_200)) as lease:
        await until(lambda: lease.heartbeat.stats.extensions >= 1)
    assert cancelled == [1] and calls[0].idempotency_key == calls[1].idempotency_key


async def test_a_reservation_is_created_by_the_first_attempt_and_a_denial_ends_it():
    async def send(attempt):
        return lb.Denied()

    async with aio.keep_alive(send, ttl_ms=TTL_MS, timeout_ms=1_000) as lease:
        assert not await lease.wait_granted()
        assert lease.stopped == "not-granted"
