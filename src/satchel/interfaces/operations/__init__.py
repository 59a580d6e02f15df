"""The table of operations, from which the command line, MCP, HTTP and the reference pages are built.

The operations of an area are imported when one of them is used, so that a command loads only its own feature.
"""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

from satchel.core.operations import MARK
from satchel.interfaces.operations.operation import Operation, Parameter, derive_operation
from satchel.interfaces.operations.session import Session

__all__ = [
    "AREAS",
    "OPERATIONS",
    "Operation",
    "Parameter",
    "Session",
    "area_of",
    "operations_in",
    "operations_near",
]


class OperationSource(NamedTuple):
    """A class or a module whose functions marked with `@operation` are operations."""

    module: str
    class_name: str = ""
    """Empty if the operations are functions that take a session."""
    attribute: str = ""
    """Where a session has an instance of the class; empty if one is created from the open store."""

    def operations(self) -> list[Operation]:
        """Return its operations in order of definition."""
        module = import_module(f"satchel.{self.module}")
        owner = getattr(module, self.class_name) if self.class_name else module
        instance = self._instance(owner)
        return [derive_operation(one, instance) for name, one in vars(owner).items() if _is_operation(name, one)]

    def _instance(self, owner: Any) -> Callable[[Session], Any] | None:
        if not self.class_name:
            return None
        return attrgetter(self.attribute) if self.attribute else lambda session: owner(session.memory)


def _is_operation(name: str, value: Any) -> bool:
    # An alias of a method is not a second operation.
    return MARK in getattr(value, "__dict__", ()) and value.__name__ == name


class Area(NamedTuple):
    """Commands that belong together: their first words, and where their operations are defined."""

    words: tuple[str, ...]
    sources: tuple[OperationSource, ...]


def _feature(words: str, module: str, class_name: str, attribute: str) -> Area:
    return Area(tuple(words.split()), (OperationSource(module, class_name, f"memory.{attribute}"),))


AREAS: Mapping[str, Area] = {
    "memories": Area(
        ("store", "recall", "get", "list", "forget"),
        (
            OperationSource("memories.service", "Memories", "memory.memories"),
            OperationSource("app", "Satchel", "memory"),
        ),
    ),
    "editing": _feature("edit", "memories.editing", "Editing", "editing"),
    "reviews": _feature("review confirm", "memories.reviews", "Reviews", "reviews"),
    "tags": _feature("tag", "memories.tags", "Tags", "tags"),
    "history": _feature("undo", "memories.history", "History", "history"),
    "packing": _feature("pack", "packing.service", "Packing", "packing"),
    "attention": Area(
        ("attention",),
        (
            OperationSource("interfaces.attention"),
            OperationSource("attention.service", "Attention", "memory.attention"),
        ),
    ),
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
    "transfer": _feature("export", "memories.transfer", "Transfer", "transfer"),
    "importing": _feature("import", "importing.service", "Importing", "importing"),
    "backups": Area(
        ("backup", "move"),
        (
            OperationSource("maintenance.backups", "Backups", "memory.backups"),
            OperationSource("interfaces.backups"),
            OperationSource("interfaces.moves"),
        ),
    ),
    "scopes": _feature("scopes", "maintenance.scopes", "Scopes", "scopes"),
    "maintenance": _feature("stats doctor check index receipts", "maintenance.service", "Maintenance", "maintenance"),
    "explaining": _feature("why why-not answers uses conflicts", "explaining.service", "Explaining", "explaining"),
    "writeback": Area(("writeback-lancedb",), (OperationSource("interfaces.writeback"),)),
    "rollout": Area(("rollout",), (OperationSource("interfaces.rollout.operations"),)),
    "configuration": Area(("config",), (OperationSource("interfaces.configuration"),)),
    "machine": Area(("model", "demo", "eval"), (OperationSource("interfaces.machine"),)),
    "users": Area(("user",), (OperationSource("interfaces.users"),)),
    "tokens": Area(("token",), (OperationSource("interfaces.tokens"),)),
    "install": Area(("install", "uninstall"), (OperationSource("interfaces.install.operations"),)),
    "turns": _feature("turn", "turns.service", "Turns", "turns"),
    "tools": Area(
        ("tool",),
        (
            OperationSource("interfaces.slot.tools", "MemoryTools"),
            OperationSource("interfaces.slot.context_tools", "ContextTools"),
        ),
    ),
}
"""The areas, in the order of the table."""

OPERATIONS: tuple[Operation, ...]
"""Every operation of every area."""


@cache
def operations_in(area: str) -> tuple[Operation, ...]:
    """Return the operations of an area, ordered by their first word."""
    words, sources = AREAS[area]
    operations = [one for source in sources for one in source.operations()]
    return tuple(sorted(operations, key=lambda one: _rank(one.name.split()[0], words)))


def _rank(word: str, words: tuple[str, ...]) -> int:
    return words.index(word) if word in words else 0


def area_of(word: str) -> str | None:
    """Return the area of the commands that begin with a word."""
    return next((name for name, area in AREAS.items() if word in area.words), None)


def operations_near(word: str) -> tuple[Operation, ...]:
    """Return all operations of the area of a word; none if no command begins with it."""
    area = area_of(word)
    return operations_in(area) if area else ()


def __getattr__(name: str) -> tuple[Operation, ...]:
    if name != "OPERATIONS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _all_operations()


@cache
def _all_operations() -> tuple[Operation, ...]:
    return tuple(operation for area in AREAS for operation in operations_in(area))
