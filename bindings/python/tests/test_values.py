"""What comes in is checked, what comes out is a value, and a refusal changes nothing."""

import copy
import dataclasses
import inspect
import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leasebeat as lb

U64 = 2**64 - 1
CONFIG = lb.Config(60_000, request_timeout_ms=10_000)
CREATED = lb.Created(20_000_000, 60_000, 1_785_585_660_000)
NOW = 20_000_000

numbers = st.integers(0, U64)
bad = st.one_of(
    st.integers(max_value=-1),
    st.integers(min_value=U64 + 1),
    st.floats(),
    st.booleans(),
    st.text(),
    st.binary(),
    st.lists(st.integers(), max_size=2),
    st.just(math.nan),
    st.just(object()),
)


def waiting():
    heartbeat = lb.Heartbeat(CONFIG)
    heartbeat.handle(CREATED, NOW)
    return heartbeat


def seen(heartbeat):
    return heartbeat.snapshot(), heartbeat.fence_ns, heartbeat.next_deadline_ns, heartbeat.stats


@given(bad, st.sampled_from(["rtt_ns", "remaining_ttl_ms", "expires_at_ms", "attempt"]))
def test_a_bad_number_is_refused_with_its_field_and_range(value, field):
    with pytest.raises((TypeError, ValueError)) as refused:
        lb.Extended(**{field: value})
    most = 2**32 - 1 if field == "attempt" else U64
    assert str(refused.value).startswith(f"{field} is ") and str(refused.value).endswith(f"from 0 to {most}")


@given(bad)
def test_a_bad_now_changes_nothing(value):
    heartbeat = waiting()
    before = seen(heartbeat)
    for call in (heartbeat.tick, lambda now: heartbeat.handle(lb.Tick(), now), heartbeat.lead_ms):
        with pytest.raises((TypeError, ValueError), match=r"^now_ns is "):
            call(value)
    assert seen(heartbeat) == before


@given(st.one_of(st.none(), st.integers(), st.text(), st.just(CONFIG), st.just(lb.Wait)))
def test_what_is_no_event_is_refused(value):
    heartbeat = waiting()
    before = seen(heartbeat)
    with pytest.raises(TypeError):
        heartbeat.handle(value, NOW)
    assert seen(heartbeat) == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"extend_by_ms": 0}, "extend_by_ms is 0; it must be from 1 to 86400000"),
        ({"extend_by_ms": 86_400_001}, "extend_by_ms is 86400001; it must be from 1 to 86400000"),
        ({"extend_by_ms": None}, "extend_by_ms is None; it must be an integer from 1 to 86400000"),
        ({"extend_by_ms": 1, "request_timeout_ms": 0}, f"request_timeout_ms is 0; it must be from 1 to {U64}"),
        ({"extend_by_ms": 1, "clock_resolution_ns": -1}, "clock_resolution_ns is -1; it must be from 0 to 10000000000"),
        ({"extend_by_ms": 1, "max_wait_ms": 0}, f"max_wait_ms is 0; it must be from 1 to {U64}"),
        ({"extend_by_ms": 1, "fallback": "Band"}, 'fallback is \'Band\'; it must be "band" or "refuse"'),
    ],
)
def test_settings_out_of_range(settings, message):
    with pytest.raises((TypeError, ValueError)) as refused:
        lb.Config(**settings)
    assert str(refused.value) == message


def test_a_failure_says_what_it_lacks():
    with pytest.raises(ValueError, match='kind is "lost"; it must be one of timeout, connection, ambiguous, http'):
        lb.Failed("lost")
    with pytest.raises(ValueError, match="status is missing"):
        lb.Failed("http")
    with pytest.raises(ValueError, match="are of a failure"):
        lb.Failed("timeout", status=500)
    with pytest.raises(ValueError, match='code is "NOPE"; it must be one of INVALID_REQUEST'):
        lb.Failed("http", status=400, code="NOPE")


def test_misuse_is_an_exception_with_a_code_and_changes_nothing():
    heartbeat = waiting()
    before = seen(heartbeat)
    with pytest.raises(lb.UnexpectedEvent) as refused:
        heartbeat.handle(CREATED, NOW)
    assert refused.value.code == "unexpected-event" and isinstance(refused.value, lb.LeasebeatError)
    assert seen(heartbeat) == before
    heartbeat.tick(heartbeat.next_deadline_ns)
    with pytest.raises(lb.StaleAttempt) as stale:
        heartbeat.handle(lb.Extended(1, 2, 3, attempt=7), heartbeat.next_deadline_ns)
    assert stale.value.code == "stale-attempt" and isinstance(stale.value, lb.Misuse)


VALUES = [
    lb.Begin(),
    lb.Created(1, 2, 3, 4),
    lb.Extended(rtt_ns=None, remaining_ttl_ms=U64),
    lb.Denied(attempt=0),
    lb.Failed("http", status=429, code="LIMIT_EXCEEDED", retry_after_ms=5, attempt=1),
    lb.Failed("timeout"),
    lb.Tick(),
    lb.TimingLost(),
    lb.Close(),
    waiting().tick(NOW),
    waiting().tick(10**18),
    waiting().handle(lb.Close(), NOW),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_events_and_decisions_are_frozen_dataclasses(value):
    assert dataclasses.is_dataclass(value)
    fields = [field.name for field in dataclasses.fields(value)]
    assert tuple(fields) == type(value).__match_args__
    assert list(dataclasses.asdict(value)) == fields
    for field in [*fields, "new"]:
        with pytest.raises(AttributeError):
            setattr(value, field, 1)
    shown = ", ".join(f"{field}={getattr(value, field)!r}" for field in fields)
    assert repr(value) == f"{type(value).__name__}({shown})"
    if isinstance(value, lb.Event):
        same = pickle.loads(pickle.dumps(value))
        assert same == value == copy.copy(value) == dataclasses.replace(value) and hash(same) == hash(value)
        assert eval(repr(value), vars(lb)) == value
    assert value != object() and sum(value == other for other in VALUES) == 1


def test_a_decision_is_matched():
    decision = waiting().tick(10**18)
    assert isinstance(decision, lb.Send) and decision.action == "send" and decision.operation == "extend"
    assert (decision.key, decision.attempt, decision.key_generation) == ("fresh", 1, 1)
    assert (decision.extend_by_ms, decision.timeout_ms, decision.rule) == (60_000, 10_000, "P4")
    assert "P4" in str(decision)


def test_views_and_a_copy():
    heartbeat = waiting()
    assert heartbeat.fence_ns == 60_000_000_000 and heartbeat.next_deadline_ns == NOW + 38_980_000_000
    assert heartbeat.lead_ms(NOW) == 59_980 and heartbeat.held_for(59_980, NOW)
    assert not heartbeat.held_for(59_981, NOW)
    assert heartbeat.in_flight is None and heartbeat.stopped is None
    assert heartbeat.plan.delay_ms == 38_980 and heartbeat.stats == lb.Stats(0, 0, 0, 0)
    twin = copy.copy(heartbeat)
    assert isinstance(twin, lb.Heartbeat) and seen(twin) == seen(heartbeat)
    twin.handle(lb.Close(), NOW)
    assert twin.stopped == "closed" and heartbeat.stopped is None
    assert "reserve" in heartbeat.explain(heartbeat.tick(NOW))


def test_a_snapshot_goes_on_as_after_lost_timing():
    heartbeat = waiting()
    restored, decision = lb.Heartbeat.restore(CONFIG, heartbeat.snapshot(), 5)
    assert decision == heartbeat.handle(lb.TimingLost(), 5) and isinstance(decision, lb.Send)
    assert restored.stats == heartbeat.stats
    with pytest.raises(lb.SnapshotError):
        lb.Heartbeat.restore(CONFIG, bytes(96), 5)
    with pytest.raises(lb.SnapshotError):
        lb.Heartbeat.restore(CONFIG, b"", 5)


def test_functions():
    assert lb.plan(CONFIG, 60_000).delay_ms == 39_000
    assert lb.parse_retry_after(" 5\t") == 5_000 and lb.parse_retry_after(b"soon") is None
    throttled = lb.classify("extend", lb.Failed("http", status=429, retry_after_ms=5))
    assert throttled == lb.Disposition("throttled", None, 5)
    gone = lb.classify("extend", lb.Failed("http", status=404, code="NOT_FOUND"))
    assert gone == lb.Disposition("permanent", "not-found")
    body = b'{"status":"ACTIVE","expires_at_ms":1785585660000,"remaining_ttl_ms":60000}'
    assert lb.decode("extend", 200, body).event == lb.Extended(None, 60_000, 1_785_585_660_000)
    refused = lb.decode("extend", 429, b"", retry_after="7")
    assert refused.event == lb.Failed("http", status=429, retry_after_ms=7_000) and refused.problem
    with pytest.raises(ValueError, match='operation is "commit"; it must be one of create, extend'):
        lb.decode("commit", 200, b"")


@settings(max_examples=200)
@given(st.sampled_from(["create", "extend"]), st.integers(0, 65_535), st.binary(max_size=300), st.binary(max_size=9))
def test_any_bytes_decode(operation, status, body, header):
    assert isinstance(lb.decode(operation, status, body, retry_after=header).event, lb.Event)


@given(numbers, numbers, numbers, numbers)
def test_any_success_is_decided(rtt_ns, remaining, expires, now):
    decision = lb.Heartbeat(CONFIG).handle(lb.Created(rtt_ns, remaining, expires), now)
    assert isinstance(decision, lb.Decision)


def test_everything_public_says_what_it_is():
    for name in lb.__all__:
        assert inspect.getdoc(getattr(lb, name)) or name == "Policy", name
