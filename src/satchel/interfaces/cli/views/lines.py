"""How values of every area are put into words for a person."""

from collections.abc import Iterator, Mapping
from typing import Any

from satchel.domain.moment import iso
from satchel.domain.record import Memory
from satchel.interfaces.encode import encoded

Lines = Iterator[tuple[str, str]]
"""Lines to print, each with its style."""


def standing(memory: Memory) -> str:
    """Return what a person should know of a memory beside its text."""
    state = "" if memory.state == "active" else f" · {memory.state}"
    return f"{memory.kind} · {memory.label} · {memory.trust}{state} · {memory.scope} · {iso(memory.created_at)[:10]}"


def one_line(text: str, width: int = 200) -> str:
    """Return a text on one line, cut where it gets too wide."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def counts_of(counts: Mapping[str, int]) -> str:
    """Return how many there are of each, those that there are."""
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def pairs(counts: Mapping[str, int] | Mapping[str, str]) -> str:
    """Return names with their values on one line."""
    return ", ".join(f"{name} {value}" for name, value in counts.items())


def fields(result: Any) -> Lines:
    """Yield the fields of a result that has no view of its own."""
    for name, value in dict(encoded(result)).items():  # type: ignore[arg-type]
        yield f"{name.replace('_', ' ')}: {value}", ""
