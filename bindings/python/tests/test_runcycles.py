"""The official Python client with its heartbeat replaced, by the code of docs/REPLACE.md, through every class of fault."""

import concurrent.futures
import time

import pytest
from conftest import API_KEY, ROOT, eventually
from runcycles import Action, Amount, CommitRequest, CyclesClient, CyclesConfig, ReservationCreateRequest, Subject, Unit

TTL_MS, TIMEOUT_MS = 4_000, 1_000
GUIDE = {}
exec((ROOT / "docs" / "REPLACE.md").read_text().split("## Python")[1].split("```python\n")[1].split("```")[0], GUIDE)

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


def client_of(server, tmp_path):
    config = CyclesConfig(
        base_url=server.url,
        api_key=API_KEY,
        tenant="demo",
        connect_timeout=0.2,
        read_timeout=0.5,
        journal_dir=str(tmp_path / "journal"),
    )
    return CyclesClient(config)


def request():
    return ReservationCreateRequest(
        idempotency_key="create-1",
        subject=Subject(tenant="demo"),
        action=Action(kind="llm.completion", name="test"),
        estimate=Amount(unit=Unit.TOKENS, amount=100),
        ttl_ms=TTL_MS,
    )


def lives_through(fault, server, tmp_path):
    with client_of(server, tmp_path) as client:
        with GUIDE["keep"](client, request(), ttl_ms=TTL_MS, timeout_ms=TIMEOUT_MS) as lease:
            eventually(lambda: lease.heartbeat.stats.extensions >= 4, 30)
            assert lease.held() and lease.lost is None, fault
        commit = CommitRequest(idempotency_key="commit-1", actual=Amount(unit=Unit.TOKENS, amount=40))
        assert client.commit_reservation(lease.reservation_id, commit).is_success, fault
    extends = server.assert_held_throughout()
    # The attempt that failed and its retry carry one key, every other a key of its own. One of the two was applied: a
    # request that was held back may come after its retry.
    [failed] = [line for line in extends if line["fault"]]
    pair = [line for line in extends if line["key"] == failed["key"]]
    assert len(pair) == 2 and sum(line["applied"] for line in pair) == 1, fault
    assert len({line["key"] for line in extends}) == len(extends) - 1, fault


def test_a_lease_of_the_official_client_lives_through_each_fault(serve, tmp_path):
    servers = {fault: serve("--max-lead", f"{TTL_MS}ms", "--fault", f"extend:2={fault}") for fault in FAULTS}
    with concurrent.futures.ThreadPoolExecutor(len(FAULTS)) as pool:
        runs = {
            pool.submit(lives_through, fault, server, tmp_path / str(number))
            for number, (fault, server) in enumerate(servers.items())
        }
        for run in concurrent.futures.as_completed(runs):
            run.result()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("status=409:MAX_EXTENSIONS_EXCEEDED", "max-extensions-exceeded"),
        ("status=410:RESERVATION_EXPIRED", "reservation-expired"),
        ("throttle", "throttled"),
    ],
)
def test_what_cannot_be_recovered_stops_it_and_says_why(serve, tmp_path, fault, reason):
    server = serve("--max-lead", f"{TTL_MS}ms", "--fault", f"extend:1={fault}")
    failures = []
    with (
        client_of(server, tmp_path) as client,
        GUIDE["keep"](client, request(), ttl_ms=TTL_MS, timeout_ms=TIMEOUT_MS, on_failure=failures.append) as lease,
    ):
        eventually(lambda: lease.stopped is not None)
        assert lease.stopped == reason and len(failures) == 1
        assert failures[0].reservation_id == lease.reservation_id
        time.sleep(0.3)
    assert len(server.of("extend")) == 1


def test_a_denial_is_no_lease(serve, tmp_path):
    server = serve("--fault", "create:1=status=409:BUDGET_EXCEEDED")
    with client_of(server, tmp_path) as client:
        assert GUIDE["keep"](client, request(), ttl_ms=TTL_MS, timeout_ms=TIMEOUT_MS) is None
