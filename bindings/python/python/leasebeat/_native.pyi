from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

from leasebeat.kernel import Config

class LeasebeatError(Exception): ...

class Misuse(LeasebeatError):
    code: ClassVar[str]

class UnexpectedEvent(Misuse): ...
class StaleAttempt(Misuse): ...
class SnapshotError(LeasebeatError): ...

class Event:
    pass

@final
@dataclass(frozen=True)
class Begin(Event):
    pass

@final
@dataclass(frozen=True)
class Tick(Event):
    pass

@final
@dataclass(frozen=True)
class TimingLost(Event):
    pass

@final
@dataclass(frozen=True)
class Close(Event):
    pass

@final
@dataclass(frozen=True)
class Created(Event):
    rtt_ns: int | None = None
    remaining_ttl_ms: int | None = None
    expires_at_ms: int | None = None
    attempt: int | None = None

@final
@dataclass(frozen=True)
class Extended(Event):
    rtt_ns: int | None = None
    remaining_ttl_ms: int | None = None
    expires_at_ms: int | None = None
    attempt: int | None = None

@final
@dataclass(frozen=True)
class Denied(Event):
    attempt: int | None = None

@final
@dataclass(frozen=True)
class Failed(Event):
    kind: Literal["timeout", "connection", "ambiguous", "http"]
    status: int | None = None
    code: str | None = None
    retry_after_ms: int | None = None
    attempt: int | None = None

class Decision:
    rule: str
    @property
    def action(self) -> Literal["send", "wait", "stop"]: ...

@final
@dataclass(frozen=True)
class Send(Decision):
    operation: Literal["create", "extend"]
    key: Literal["fresh", "same"]
    attempt: int
    key_generation: int
    extend_by_ms: int
    timeout_ms: int | None
    rule: str

@final
@dataclass(frozen=True)
class Wait(Decision):
    ms: int | None
    rule: str

@final
@dataclass(frozen=True)
class Stop(Decision):
    reason: str
    rule: str

_Planned = tuple[int, int | None, int | None, int | None, int | None, int | None]

class Heartbeat:
    def __new__(cls, config: Config) -> Any: ...
    def handle(self, event: Event, now_ns: int) -> Decision: ...
    def tick(self, now_ns: int) -> Decision: ...
    @property
    def next_deadline_ns(self) -> int | None: ...
    @property
    def fence_ns(self) -> int | None: ...
    @property
    def danger_ns(self) -> int | None: ...
    def lead_ms(self, now_ns: int) -> int: ...
    def held_for(self, duration_ms: int, now_ns: int) -> bool: ...
    @property
    def in_flight(self) -> int | None: ...
    @property
    def stopped(self) -> str | None: ...
    def explain(self, decision: Decision) -> str: ...
    def snapshot(self) -> bytes: ...
    def _stats(self) -> tuple[int, int, int, int]: ...
    def _plan(self) -> _Planned: ...
    def _restore(self, snapshot: bytes, now_ns: int) -> Decision: ...
    def _noop(self, event: Event, now_ns: int) -> None: ...

def check_config(config: Config) -> None: ...
def plan(config: Config, lead_ms: int, max_rtt_ms: int) -> _Planned: ...
def decode(
    operation: str, status: int, body: bytes, retry_after: bytes | None, unknown_keys: str
) -> tuple[Event, str | None, str | None]: ...
def classify(operation: str, failed: Failed) -> tuple[str, str | None, int | None]: ...
def parse_retry_after(header: bytes) -> int | None: ...
