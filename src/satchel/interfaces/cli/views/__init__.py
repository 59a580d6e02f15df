"""Every result in words: one module for each area, one function for each type."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from satchel.interfaces.cli.views.lines import Lines
from satchel.interfaces.encode import encoded

# Where a result is defined tells which areas may know words for it: the others need not be loaded.
AREAS: Mapping[str, tuple[str, ...]] = {
    "builtins": ("maintenance",),
    "satchel.domain.answers": ("memories", "transfer", "maintenance"),
    "satchel.attention.values": ("attention",),
    "satchel.config.answers": ("configuration",),
    "satchel.domain.episode": ("episodes",),
    "satchel.packing.values": ("packing",),
    "satchel.documents.values": ("documents",),
    "satchel.observations.values": ("observations",),
    "satchel.domain.graph_answers": ("graph",),
    "satchel.observations.lifecycle_values": ("lifecycle",),
    "satchel.domain.history": ("history",),
    "satchel.domain.explanation": ("explaining",),
    "satchel.domain.routing": ("routing",),
    "satchel.routing.values": ("routing",),
    "satchel.conversations.values": ("conversations",),
    "satchel.facts.values": ("facts",),
    "satchel.domain.lane": ("lane",),
    "satchel.interfaces.demo": ("maintenance",),
    "satchel.interfaces.http.status": ("maintenance",),
    "satchel.interfaces.evaluation.metrics": ("evaluation",),
    "satchel.ports.ledger": ("maintenance",),
    "satchel.interfaces.slot.tools": ("tools",),
}


def lines(result: Any, explain: bool) -> Lines:
    """Yield a result line by line; with `explain`, how it came about."""
    for area in AREAS.get(type(result).__module__, ()):
        words = import_module(f"{__name__}.{area}")
        shown: dict[type, Callable[[Any], Lines]] = words.SHOWN
        if explain:
            # Few results have more to say of themselves.
            shown = shown | getattr(words, "EXPLAINED", {})
        if type(result) in shown:
            return shown[type(result)](result)
    return _plain(result)


def _plain(result: Any) -> Lines:
    for name, value in dict(encoded(result)).items():  # type: ignore[arg-type]
        yield f"{name.replace('_', ' ')}: {value}", ""
