"""A `leasebeat serve` of its own for each test."""

import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
API_KEY = "demo-key"
RESERVATION = {
    "subject": {"tenant": "demo"},
    "action": {"kind": "llm.completion", "name": "test"},
    "estimate": {"unit": "TOKENS", "amount": 100},
}


class Server:
    """A running server, and what its log says."""

    def __init__(self, *arguments: str, log: pathlib.Path) -> None:
        binary = os.environ.get("LEASEBEAT", str(ROOT / "target" / "debug" / "leasebeat"))
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--log", str(log), *arguments]
        self.log = log
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line, f"{command} said nothing"
        self.url = json.loads(line)["url"]

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=10) == 0

    def of(self, operation: str) -> list:
        """Every request of an operation so far, as logged."""
        lines = [json.loads(line) for line in self.log.read_text().split("\n") if line]
        return [line for line in lines if line["event"] == "request" and line["operation"] == operation]

    def assert_held_throughout(self) -> list:
        """Every extension came while the lease was held, and each key was applied once."""
        extends = self.of("extend")
        applied = [line for line in extends if line["applied"]]
        assert applied and all(line["remaining_before_ms"] > 0 for line in applied), extends
        assert len({line["key"] for line in applied}) == len(applied)
        return extends


@pytest.fixture
def serve(tmp_path):
    """Starts servers with the arguments given, and stops them."""
    servers = []

    def start(*arguments: str) -> Server:
        servers.append(Server(*arguments, log=tmp_path / f"log-{len(servers)}.jsonl"))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()


def eventually(what, timeout_s=20.0):
    """Waits until it is true."""
    deadline = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
