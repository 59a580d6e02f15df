"""The body of a receipt as a tree of bounded size."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from satchel.domain.canonical import canonical

# A receipt may hold thousands of values, and a hostile one may be nested deeply; a page stays readable.
MAX_DEPTH = 12
MAX_CHILDREN = 200
MAX_BRANCHES = 5_000


class Branch(Struct, frozen=True):
    """A named value. One with inner values has no text of its own."""

    name: str
    text: str = ""
    inner: tuple["Branch", ...] = ()
    hidden: int = 0
    """How many inner values are not shown."""


def tree(body: Mapping[str, Any]) -> tuple[Branch, ...]:
    """Return the values of a body as branches, in their order."""
    return _grown("", body, 0, [MAX_BRANCHES]).inner


def _grown(name: str, value: Any, depth: int, left: list[int]) -> Branch:
    """Return the branch of a value. `left` holds how many more branches there may be."""
    left[0] -= 1
    children = list(_children(value))
    if not children or depth >= MAX_DEPTH:
        return Branch(name, value if isinstance(value, str) else canonical(value))
    inner = list[Branch]()
    for key, child in children[:MAX_CHILDREN]:
        if left[0] <= 0:
            break
        inner.append(_grown(key, child, depth + 1, left))
    return Branch(name, "", tuple(inner), len(children) - len(inner))


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list | tuple):
        yield from ((str(place), one) for place, one in enumerate(value, start=1))
