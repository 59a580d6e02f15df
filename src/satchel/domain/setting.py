"""A knob: one thing that can be set, with its help, its limits and its default, written down once where it is used."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import fields


class Knob(Struct, frozen=True):
    """What there is to know of a knob beside its name, its type and its default: it annotates the field of a group."""

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


def knobs(group: type) -> Mapping[str, Knob]:
    """Return the knobs of a group, by the name of their field."""
    annotated = {one.name: _knob(one.type) for one in fields(group)}
    return {name: knob for name, knob in annotated.items() if knob}


def _knob(annotation: Any) -> Knob | None:
    return next((one for one in getattr(annotation, "__metadata__", ()) if isinstance(one, Knob)), None)
