"""Hide the names of people in a result: agents see that somebody owns or decides something, not who."""

import re
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

A_PERSON = "a person"
# The actors that are agents. The command line and Python are the operator's.
AGENTS = frozenset({"mcp", "hook"})

Result = TypeVar("Result")


def hide_people(result: Result, names: Iterable[str]) -> Result:
    """Return a result in which no text contains one of the names. Ids and everything else stay."""
    pattern = _any_of(names)
    return result if pattern is None else _hidden(result, pattern)


def _any_of(names: Iterable[str]) -> re.Pattern[str] | None:
    # The longest first, so that a full name is replaced as a whole.
    given = sorted({name for name in names if name.strip()}, key=lambda name: (-len(name), name))
    words = [rf"{_edge(name[0], '(?<!')}{re.escape(name)}{_edge(name[-1], '(?!')}" for name in given]
    return re.compile("|".join(words)) if words else None


def _edge(letter: str, look: str) -> str:
    """Return the boundary of a name beside a letter; scripts without spaces have none."""
    return rf"{look}[A-Za-z0-9_])" if letter.isascii() else ""


def _hidden(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, Enum):
        return value
    if isinstance(value, str):
        return pattern.sub(A_PERSON, value)
    if isinstance(value, Struct):
        fields = {name: _hidden(one, pattern) for name, one in asdict(value).items() if name != "id"}
        return replace(value, **fields)
    if isinstance(value, (tuple, list)):
        return type(value)(_hidden(one, pattern) for one in value)
    if isinstance(value, Mapping):
        return {key: _hidden(one, pattern) for key, one in value.items()}
    return value
