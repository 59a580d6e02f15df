"""Parts of a text around some places, so that a rule need not look at the whole text."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

# No rule looks farther from a secret than this, but for the rest of a line.
REACH = 1_000
# A text is looked at in blocks of about this size: each has only a few of the keywords.
BLOCK = 6_000


class Block(NamedTuple):
    """A part of a text, and the part around it that the rules may look at."""

    first: int
    last: int
    start: int
    end: int


def blocks(text: str) -> Iterator[Block]:
    """Yield whole lines of a text, block by block, with the lines around each."""
    first = 0
    while first < len(text):
        last = _line_end(text, first + BLOCK)
        start = text.rfind("\n", 0, max(0, first - REACH)) + 1
        yield Block(first, last, start, _line_end(text, last + REACH))
        first = last


def line_start(text: str, place: int, reach: int) -> int:
    """Return where the line of a place starts; in a line that is longer than the reach, how far back a rule may look."""
    first = max(0, place - reach)
    return max(first, text.rfind("\n", first, place) + 1)


def _line_end(text: str, place: int) -> int:
    """Return where the line at a place ends, after its line break; the end of the text if little is left."""
    end = text.find("\n", place)
    return end + 1 if 0 <= end < len(text) - REACH else len(text)


def around(text: str, places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the whole lines around some places, which are in order; the whole text if that is most of it."""
    parts: list[tuple[int, int]] = []
    for first, last in places:
        if parts and last + REACH <= parts[-1][1]:
            continue
        start = text.rfind("\n", 0, max(0, first - REACH)) + 1
        end = text.find("\n", last + REACH)
        end = len(text) if end < 0 else end
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    size = sum(end - start for start, end in parts)
    return [(0, len(text))] if 2 * size > len(text) else parts
