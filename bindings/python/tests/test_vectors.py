"""Every vector, byte for byte."""

import json
import pathlib

import pytest

import leasebeat as lb

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "tests" / "vectors"
TRACES = sorted(path for path in VECTORS.glob("*.jsonl") if not path.name.endswith(".expected.jsonl"))
PLAIN = {"begin": lb.Begin, "tick": lb.Tick, "timing-lost": lb.TimingLost, "close": lb.Close}


def event(line):
    kind = line["in"]
    fields = {name: value for name, value in line.items() if name not in ("at", "in")}
    if kind == "failed":
        header = fields.pop("retry_after", None)
        if header is not None:
            fields["retry_after_ms"] = lb.parse_retry_after(header)
        return lb.Failed(**fields)
    return {**PLAIN, "created": lb.Created, "denied": lb.Denied, "extended": lb.Extended}[kind](**fields)


def written(decision):
    if isinstance(decision, lb.Send):
        said = {"do": "send", "op": decision.operation, "key": decision.key}
        return {**said, "attempt": decision.attempt, "timeout_ms": decision.timeout_ms}
    if isinstance(decision, lb.Wait):
        return {"do": "wait", "ms": decision.ms}
    return {"do": "stop", "reason": decision.reason}


def replay(text):
    first, *lines = [json.loads(line) for line in text.splitlines() if line.strip()]
    try:
        heartbeat = lb.Heartbeat(lb.Config(**first["config"]))
    except (TypeError, ValueError):
        yield {"error": "invalid-config"}
        return
    for line in lines:
        try:
            yield written(heartbeat.handle(event(line), line["at"]))
        except lb.Misuse as error:
            yield {"error": error.code}


def test_all_are_there():
    assert len(TRACES) >= 98


@pytest.mark.parametrize("trace", TRACES, ids=lambda path: path.stem)
def test_vector(trace):
    decided = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in replay(trace.read_text()))
    assert decided.encode() == trace.with_suffix("").with_suffix(".expected.jsonl").read_bytes()
