"""What 1,000 leases cost in one process, over HTTP against a real server, with threads and with asyncio. JSON lines.

LEASEBEAT is the path of the command; `cargo xtask python --bench` sets it.
"""

import asyncio
import http.client
import json
import logging
import os
import queue
import subprocess
import sys
import time
from urllib.parse import urlsplit

import httpx

import leasebeat
from leasebeat import aio, clock
from leasebeat.cycles import AsyncCycles, Cycles

LEASES, TTL_MS, TIMEOUT_MS, API_KEY = 1_000, 60_000, 10_000, "demo-key"
WINDOW_S = int(sys.argv[1]) if len(sys.argv) > 1 else 45
RESERVATION = {
    "subject": {"tenant": "demo"},
    "action": {"kind": "llm.completion", "name": "bench"},
    "estimate": {"unit": "TOKENS", "amount": 1},
}
logging.basicConfig(level=logging.WARNING)


class Plain:
    """`send` over http.client, a connection for each thread that sends: what httpx costs can be told from it."""

    connections: "queue.SimpleQueue[http.client.HTTPConnection]" = queue.SimpleQueue()

    def __init__(self, url: str, reservation_id: str) -> None:
        self.host = urlsplit(url).netloc
        self.path = f"/v1/reservations/{reservation_id}/extend"

    def __call__(self, attempt):
        try:
            connection = self.connections.get_nowait()
        except queue.Empty:
            connection = http.client.HTTPConnection(self.host, timeout=attempt.timeout_s)
        body = f'{{"idempotency_key":"{attempt.idempotency_key}","extend_by_ms":{attempt.extend_by_ms}}}'
        headers = {"X-Cycles-API-Key": API_KEY, "Content-Type": "application/json"}
        connection.request("POST", self.path, body, headers)
        answer = connection.getresponse()
        raw = answer.read()
        self.connections.put(connection)
        return leasebeat.decode("extend", answer.status, raw, retry_after=answer.headers.get("Retry-After")).event


def created(client, url, number):
    """A reservation made by hand: its id, and what its answer said."""
    body = {**RESERVATION, "idempotency_key": f"create-{number}", "ttl_ms": TTL_MS}
    sent_ns = clock.now_ns()
    answer = client.post(f"{url}/v1/reservations", json=body, headers={"X-Cycles-API-Key": API_KEY})
    said = leasebeat.decode("create", answer.status_code, answer.content)
    event = said.event
    rtt_ns = clock.now_ns() - sent_ns
    return said.reservation_id, leasebeat.Created(rtt_ns, event.remaining_ttl_ms, event.expires_at_ms)


def line(name, leases, cpu_s, wall_s, extensions):
    lost = sum(lease.lost is not None or lease.stopped is not None for lease in leases)
    figures = {"extensions_per_s": round(extensions / wall_s, 1), "cpu_percent": round(100 * cpu_s / wall_s, 2)}
    print(json.dumps({"name": name, "leases": len(leases), "ttl_ms": TTL_MS, **figures, "lost": lost}), flush=True)


def extensions(leases):
    return sum(lease.heartbeat.stats.extensions for lease in leases)


def threads(name, url, sender):
    leases = []
    with httpx.Client() as client:
        for number in range(LEASES):
            reservation_id, event = created(client, url, f"{name}-{number}")
            options = {"ttl_ms": TTL_MS, "timeout_ms": TIMEOUT_MS, "created": event, "reservation_id": reservation_id}
            leases.append(leasebeat.keep_alive(sender(client, reservation_id), **options))
            time.sleep(0.035)
        before, cpu, began = extensions(leases), time.process_time(), time.monotonic()
        time.sleep(WINDOW_S)
        cpu_s, wall_s = time.process_time() - cpu, time.monotonic() - began
        line(name, leases, cpu_s, wall_s, extensions(leases) - before)
        for lease in leases:
            lease.close()


async def tasks(name, url):
    leases = []
    async with httpx.AsyncClient() as client:
        with httpx.Client() as creator:
            for number in range(LEASES):
                reservation_id, event = created(creator, url, f"{name}-{number}")
                send = AsyncCycles(client, url, API_KEY, reservation_id=reservation_id)
                lease = aio.keep_alive(send, ttl_ms=TTL_MS, timeout_ms=TIMEOUT_MS, created=event)
                lease.start()
                leases.append(lease)
                await asyncio.sleep(0.035)
        before, cpu, began = extensions(leases), time.process_time(), time.monotonic()
        await asyncio.sleep(WINDOW_S)
        cpu_s, wall_s = time.process_time() - cpu, time.monotonic() - began
        line(name, leases, cpu_s, wall_s, extensions(leases) - before)
        await asyncio.gather(*(lease.close() for lease in leases))


def main():
    command = [os.environ["LEASEBEAT"], "serve", "--listen", "127.0.0.1:0", "--max-lead", f"{TTL_MS}ms"]
    server = subprocess.Popen([*command, "--log", os.devnull], stdout=subprocess.PIPE, text=True)
    try:
        url = json.loads(server.stdout.readline())["url"]
        threads("threads, http.client", url, lambda client, id: Plain(url, id))
        threads("threads, httpx", url, lambda client, id: Cycles(client, url, API_KEY, reservation_id=id))
        asyncio.run(tasks("asyncio, httpx", url))
    finally:
        server.terminate()
        server.wait()


main()
