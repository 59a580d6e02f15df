"""Every operation of every feature: the command line, MCP, HTTP and the reference pages are made from this table.

A feature is loaded when one of its commands is given: no command waits for the others.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

from satchel.core.operations import MARK
from satchel.interfaces.operations.operation import Operation, Parameter, derived
from satchel.interfaces.operations.session import Session

__all__ = ["AREAS", "OPERATIONS", "Operation", "Parameter", "Session", "area_of", "beginning_with", "of_area"]


class Home(NamedTuple):
    """Where operations are defined: the methods of a class, or the functions of a module, that are marked as such."""

    module: str
    owner: str = ""
    """The class; none for functions of a session."""
    path: str = ""
    """Where a session has an instance of the class; none where one is made of the open store."""

    def operations(self) -> list[Operation]:
        """Return its operations in the order in which they are defined."""
        module = import_module(f"satchel.{self.module}")
        place = getattr(module, self.owner) if self.owner else module
        instance = self._instance(place)
        return [derived(one, instance) for name, one in vars(place).items() if _is_operation(name, one)]

    def _instance(self, place: Any) -> Callable[[Session], Any] | None:
        if not self.owner:
            return None
        return attrgetter(self.path) if self.path else lambda session: place(session.memory)


def _is_operation(name: str, value: Any) -> bool:
    # Under a second name a method is still one operation.
    return MARK in getattr(value, "__dict__", ()) and value.__name__ == name


class Area(NamedTuple):
    """Commands that belong together: the words they begin with, and where they are defined."""

    words: tuple[str, ...]
    homes: tuple[Home, ...]


def _feature(words: str, module: str, owner: str, feature: str) -> Area:
    return Area(tuple(words.split()), (Home(module, owner, f"memory.{feature}"),))


AREAS: Mapping[str, Area] = {
    "memories": Area(
        ("store", "recall", "get", "list", "forget"),
        (Home("memories.service", "Memories", "memory.memories"), Home("app", "Satchel", "memory")),
    ),
    "tags": _feature("tag", "memories.tags", "Tags", "tags"),
    "packing": _feature("pack", "packing.service", "Packing", "packing"),
    "attention": _feature("attention", "attention.service", "Attention", "attention"),
    "observations": _feature(
        "capture ingest search timeline artifacts observations", "observations.service", "Observations", "observations"
    ),
    "lifecycle": _feature("grade lifecycle drift", "observations.lifecycle", "Lifecycle", "lifecycle"),
    "episodes": _feature("episodes", "episodes.service", "Episodes", "episodes"),
    "documents": _feature("docs", "documents.service", "Documents", "documents"),
    "graph": _feature("graph", "graph.service", "Graph", "graph"),
    "routing": _feature("route", "routing.service", "Routing", "routing"),
    "backends": _feature("backends", "routing.backends_service", "Backends", "backends"),
    "facts": _feature("fact", "facts.service", "Facts", "facts"),
    "conversations": _feature("conversation", "conversations.service", "Conversations", "conversations"),
    "transfer": _feature("export import", "memories.transfer", "Transfer", "transfer"),
    "maintenance": _feature("stats doctor index receipts", "maintenance.service", "Maintenance", "maintenance"),
    "explaining": _feature("why why-not", "explaining.service", "Explaining", "explaining"),
    "configuration": Area(("config",), (Home("interfaces.configuration"),)),
    "machine": Area(("model", "demo", "eval"), (Home("interfaces.machine"),)),
    "turns": _feature("turn", "turns.service", "Turns", "turns"),
    "tools": Area(("tool",), (Home("interfaces.slot.tools", "MemoryTools"),)),
}
"""The areas in the order of the table."""

OPERATIONS: tuple[Operation, ...]
"""Every operation of every area."""


@cache
def of_area(area: str) -> tuple[Operation, ...]:
    """Return the operations of an area."""
    found = AREAS[area]
    operations = [one for home in found.homes for one in home.operations()]
    # In the order of the words, whichever class defines them.
    return tuple(sorted(operations, key=lambda one: _place(one, found.words)))


def _place(operation: Operation, words: tuple[str, ...]) -> int:
    word = operation.name.split()[0]
    return words.index(word) if word in words else 0


def area_of(word: str) -> str | None:
    """Return the area whose commands begin with a word."""
    return next((name for name, area in AREAS.items() if word in area.words), None)


def beginning_with(word: str) -> tuple[Operation, ...]:
    """Return the operations of the area whose commands begin with a word; none if no command does."""
    area = area_of(word)
    return of_area(area) if area else ()


@cache
def _whole_table() -> tuple[Operation, ...]:
    return tuple(operation for area in AREAS for operation in of_area(area))


def __getattr__(name: str) -> tuple[Operation, ...]:
    if name != "OPERATIONS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _whole_table()
