"""Makes the native classes of events and decisions dataclasses to everyone who asks.

They are immutable and made in native code, since building a frozen dataclass in Python costs more than the whole decision.
What `dataclasses` reads is copied from templates: `fields`, `asdict` and `replace` work as with any other.
"""

from __future__ import annotations

import dataclasses

from leasebeat import _native

_MADE_BY_HOSTS = ("Begin", "Created", "Denied", "Extended", "Failed", "Tick", "TimingLost", "Close")
_MADE_BY_THE_KERNEL = ("Send", "Wait", "Stop")


def dress() -> None:
    """Gives each class the attributes of a dataclass with its fields."""
    for name in _MADE_BY_HOSTS + _MADE_BY_THE_KERNEL:
        native: type = getattr(_native, name)
        fields: tuple[str, ...] = native.__match_args__  # type: ignore[attr-defined]
        template = dataclasses.make_dataclass(
            name, [(field, object, dataclasses.field(default=None)) for field in fields], frozen=True
        )
        native.__dataclass_fields__ = template.__dataclass_fields__  # type: ignore[attr-defined]
        native.__dataclass_params__ = template.__dataclass_params__  # type: ignore[attr-defined]
