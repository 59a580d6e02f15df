"""Line ranges of a text, from which chunks are made."""

from collections.abc import Sequence

from msgspec import Struct


class TextSection(Struct, frozen=True):
    """Lines of a text, from 0, without the end, and the headings above them."""

    first: int
    end: int
    heading: tuple[str, ...] = ()
    alone: bool = False
    """Never joined with its neighbour, as a definition."""


def length(lines: Sequence[str], first: int, end: int) -> int:
    """Return the number of characters of some lines, including newlines between them."""
    return sum(len(line) + 1 for line in lines[first:end]) - 1 if end > first else 0
