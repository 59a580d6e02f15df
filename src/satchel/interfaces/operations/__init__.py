"""The table of operations: every edge is made from it, so that no two of them can drift apart.

An area's rows are loaded when one of its commands is given: a command must not wait for the others.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from satchel.interfaces.operations.operation import Operation, Parameter
from satchel.interfaces.operations.session import Session

__all__ = ["AREAS", "OPERATIONS", "Operation", "Parameter", "Session", "beginning_with", "of_area"]

AREAS: Mapping[str, tuple[str, ...]] = {
    "memories": ("store", "recall", "get", "list", "forget"),
    "history": ("tag",),
    "packing": ("pack",),
    "attention": ("attention",),
    "observations": (
        "capture",
        "ingest",
        "search",
        "timeline",
        "artifacts",
        "observations",
    ),
    "lifecycle": ("grade", "lifecycle", "drift"),
    "episodes": ("episodes",),
    "documents": ("docs",),
    "graph": ("graph",),
    "routing": ("route", "backends"),
    "facts": ("fact",),
    "conversations": ("conversation",),
    "transfer": ("export", "import"),
    "maintenance": ("stats", "doctor", "index", "receipts"),
    "explaining": ("why", "why-not"),
    "configuration": ("config",),
    "machine": ("model", "demo", "eval"),
    "turns": ("turn",),
    "slot": ("tool",),
}
"""The areas in the order of the table, each with the words that its commands begin with."""

OPERATIONS: tuple[Operation, ...]
"""Every operation of every area."""


def of_area(area: str) -> tuple[Operation, ...]:
    """Return the operations of an area."""
    operations: tuple[Operation, ...] = import_module(f"{__name__}.{area}").OPERATIONS
    return operations


def beginning_with(word: str) -> tuple[Operation, ...]:
    """Return the operations among which are all whose command begins with a word."""
    return next((of_area(area) for area, words in AREAS.items() if word in words), ())


@cache
def _whole_table() -> tuple[Operation, ...]:
    return tuple(operation for area in AREAS for operation in of_area(area))


def __getattr__(name: str) -> tuple[Operation, ...]:
    if name != "OPERATIONS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _whole_table()
