"""What the views of several areas share."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from satchel.domain.counting import count as count
from satchel.domain.media import kind_of
from satchel.domain.record import Memory
from satchel.interfaces.local_time import local_day
from satchel.interfaces.serialization import to_json

if TYPE_CHECKING:
    from satchel.domain.ranking import LaneAnswer

Lines = Iterator[tuple[str, str]]
"""Lines to print, each with its style."""
Views = Mapping[str, Callable[..., Lines]]
"""The views of an area, by command or by the first word of several."""


def tally(counts: Mapping[str, object]) -> str:
    """Return the names and values that are not zero: "fact 2, decision 1"."""
    shown = {name: f"{value:,}" if isinstance(value, int) else value for name, value in counts.items() if value}
    return ", ".join(f"{name} {value}" for name, value in shown.items())


def scopes_named(scope: str) -> str:
    """Return the scope of an answer in words."""
    return "all scopes" if scope == "*" else f"scope {scope}"


def one_line(text: str, width: int = 200) -> str:
    """Return a text on one line, cut to a width."""
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def attributes(memory: Memory) -> str:
    """Return the kind, label, trust, scope and date of a memory, its state unless active, and its kinds of media."""
    state = "" if memory.state == "active" else f" · {memory.state}"
    media = f" · {', '.join(sorted({*map(kind_of, memory.media_refs)}))}" if memory.media_refs else ""
    day = local_day(memory.created_at)
    return f"{memory.kind} · {memory.label} · {memory.trust}{state} · {memory.scope} · {day}{media}"


def fields(result: Any) -> Lines:
    """Yield the fields of a result that has no view."""
    for name, value in dict(to_json(result)).items():  # type: ignore[arg-type]
        yield f"{name.replace('_', ' ')}: {value}", ""


_REMEDIES = {
    "not_utf8": "save such a file as UTF-8, with iconv for example",
    "binary": "such a file is not UTF-8 text",
}


def remedies(reasons: Iterable[str]) -> Lines:
    """Yield what to do about files that could not be read, once for each reason."""
    for reason in sorted({*reasons} & _REMEDIES.keys()):
        yield f"  {reason}: {_REMEDIES[reason]}", "dim"


def found_items(result: "LaneAnswer") -> Lines:
    """Yield the items that a search found, with their relevance."""
    if not result.items:
        yield f"nothing found in {scopes_named(result.scope)}", "dim"
    for one in result.items:
        yield one_line(one.text), "bold"
        yield f"  {one.kind} · {one.trust} · relevance {one.relevance:.2f} · {one.id}", "dim"
