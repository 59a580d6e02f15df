"""A knob: one thing that can be set, with its help, its limits and its default, written down once where it is used."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Knob:
    """What there is to know of a knob beside its name, its type and its default."""

    help: str
    least: float | None = None
    most: float | None = None
    off: float | None = None
    """A number outside the range that switches it off."""
    choices: tuple[str, ...] = ()
    most_items: int | None = None
    """How many entries a list may have."""
    secret: bool = False
    """Whether its value is never shown."""
    variable: str = ""
    """Its environment variable after the prefix, where that is not simply its name."""


def knob(default: Any, help: str, **more: Any) -> Any:
    """Return a field of a group of settings."""
    return field(default=default, metadata={"knob": Knob(help, **more)})


def knobs(group: type) -> Mapping[str, Knob]:
    """Return the knobs of a group, by the name of their field."""
    return {one.name: one.metadata["knob"] for one in fields(group) if "knob" in one.metadata}
