"""A `leasebeat serve` of its own for each test."""

import json
import os
import pathlib
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
API_KEY = "demo-key"


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
        """Stops it gracefully."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=10) == 0

    def requests(self) -> list[dict]:
        """Every request so far, as logged."""
        lines = [json.loads(line) for line in self.log.read_text().split("\n") if line]
        return [line for line in lines if line["event"] == "request"]


@pytest.fixture
def serve(tmp_path):
    """Starts servers with the arguments given, and stops them."""
    servers = []

    def start(*arguments: str) -> Server:
        server = Server(*arguments, log=tmp_path / f"log-{len(servers)}.jsonl")
        servers.append(server)
        return server

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()
