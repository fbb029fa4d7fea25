"""The official Python client, unchanged, against `leasebeat serve`: reserve, heartbeat, commit, through faults."""

import time

import pytest
from conftest import API_KEY
from runcycles import (
    Action,
    Amount,
    CommitRequest,
    CyclesClient,
    CyclesConfig,
    ReservationCreateRequest,
    Subject,
    Unit,
    cycles,
)

# The client budgets 5.75 s for an attempt, whatever its timeouts here, so a lease of 13 s has a beat of half a second:
# lost at 0.5 s, replayed at 3.6 s with too little left for a delay, so extended at once, refused with the 503, and
# retried at 6 s.
TTL_MS = 13_000
WORK_S = 8.0


@pytest.fixture
def client_of(tmp_path):
    """A client of a server."""
    clients = []

    def make(server):
        config = CyclesConfig(
            base_url=server.url,
            api_key=API_KEY,
            tenant="demo",
            connect_timeout=0.25,
            read_timeout=0.5,
            journal_dir=str(tmp_path / "journal"),
        )
        clients.append(CyclesClient(config))
        return clients[-1]

    yield make
    for client in clients:
        client.close()


def of(server, operation):
    return [line for line in server.requests() if line["operation"] == operation]


def assert_held_throughout(server):
    """Every extension came while the lease was held, and each key was applied once."""
    applied = [line for line in of(server, "extend") if line["applied"]]
    assert all(line["remaining_before_ms"] > 0 for line in applied)
    assert len({line["key"] for line in applied}) == len(applied)


def test_the_decorator_keeps_its_lease_through_a_lost_response_and_a_503(serve, client_of):
    server = serve("--max-lead", f"{TTL_MS}ms", "--fault", "extend:1=lost-response", "--fault", "extend:3=status=503")
    client = client_of(server)

    @cycles(estimate=1000, actual=lambda result: len(result), ttl_ms=TTL_MS, unit="TOKENS", client=client)
    def work() -> str:
        time.sleep(WORK_S)
        return "done"

    assert work() == "done"
    extends = of(server, "extend")
    faults = [line["fault"] for line in extends]
    assert faults[0] == "lost-response" and faults[2] == "status=503", faults
    # The retry of the lost response is a replay, and that of the 503 the first to be applied.
    assert extends[0]["key"] == extends[1]["key"] and extends[1]["replayed"]
    assert extends[2]["key"] == extends[3]["key"] and extends[3]["applied"]
    assert_held_throughout(server)
    [commit] = of(server, "commit")
    assert commit["status"] == 200 and commit["applied"]


def test_the_client_reserves_extends_and_commits_through_a_lost_response_and_a_503(serve, client_of):
    server = serve("--fault", "create:1=lost-response", "--fault", "commit:1=status=503")
    client = client_of(server)
    create = ReservationCreateRequest(
        idempotency_key="create-1",
        subject=Subject(tenant="demo"),
        action=Action(kind="llm.completion", name="test"),
        estimate=Amount(unit=Unit.TOKENS, amount=100),
        ttl_ms=5_000,
    )
    assert not client.create_reservation(create).is_success
    created = client.create_reservation(create)
    assert created.is_success
    reservation = created.get_body_attribute("reservation_id")

    extend = {"idempotency_key": "extend-1", "extend_by_ms": 5_000}
    extended = client.extend_reservation(reservation, extend)
    assert extended.is_success and extended.get_body_attribute("remaining_ttl_ms") > 5_000

    commit = CommitRequest(idempotency_key="commit-1", actual=Amount(unit=Unit.TOKENS, amount=40))
    assert client.commit_reservation(reservation, commit).status == 503
    assert client.commit_reservation(reservation, commit).is_success
    assert client.get_reservation(reservation).get_body_attribute("status") == "COMMITTED"
    assert sum(line["applied"] for line in of(server, "create")) == 1
    assert sum(line["applied"] for line in of(server, "commit")) == 1


def test_the_decorator_recovers_spend_that_comes_after_the_lease(serve, client_of):
    """The commit finds the reservation expired: the SDK records the spend as an event."""
    server = serve("--fault", "commit:1=clock=+1h")
    client = client_of(server)

    @cycles(estimate=1000, actual=500, ttl_ms=60_000, client=client)
    def work() -> str:
        return "done"

    assert work() == "done"
    deadline = time.monotonic() + 20
    while not of(server, "event") and time.monotonic() < deadline:
        time.sleep(0.1)
    [event] = of(server, "event")
    assert of(server, "commit")[0]["error"] == "RESERVATION_EXPIRED"
    assert event["status"] == 201 and event["applied"]
