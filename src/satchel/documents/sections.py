"""Sections: runs of lines that belong together, made into chunks of a bounded size.

A chunk never begins or ends with an empty line; every other line of a document is in exactly one chunk, unless it is
too long for one and is spread over several.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from satchel.domain.document import Chunk


class Section(Struct, frozen=True):
    """Some lines of a document, counted from 0, the end not included, and the headings that lead to them."""

    first: int
    end: int
    heading: tuple[str, ...] = ()
    alone: bool = False
    """Whether it is never joined with its neighbour, small as both may be: a definition is a thing of its own."""


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, whichever system wrote it."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def chunks_of(lines: Sequence[str], sections: Iterable[Section], max_chars: int) -> tuple[Chunk, ...]:
    """Return the chunks of some sections: small neighbours under one heading are joined, large ones are cut."""
    cut = (piece for section in _joined(lines, sections, max_chars) for piece in _pieces(lines, section, max_chars))
    return tuple(Chunk(number, *piece) for number, piece in enumerate(cut, start=1))


def length(lines: Sequence[str], first: int, end: int) -> int:
    """Return how many characters some lines have, with what joins them."""
    return sum(len(line) + 1 for line in lines[first:end]) - 1 if end > first else 0


def _joined(lines: Sequence[str], sections: Iterable[Section], max_chars: int) -> Iterator[Section]:
    waiting: Section | None = None
    size = 0
    for section in sections:
        more = length(lines, section.first, section.end) + 1
        if waiting and _are_one(waiting, section) and size + more <= max_chars:
            waiting, size = Section(waiting.first, section.end, waiting.heading), size + more
            continue
        if waiting:
            yield waiting
        waiting, size = section, more - 1
    if waiting:
        yield waiting


def _are_one(one: Section, other: Section) -> bool:
    return not one.alone and not other.alone and one.heading == other.heading


_Piece = tuple[str, int, int, tuple[str, ...]]


def _pieces(lines: Sequence[str], section: Section, max_chars: int) -> Iterator[_Piece]:
    first = _skip_empty(lines, section.first, section.end)
    while first < section.end:
        if len(lines[first]) > max_chars:
            yield from _spread(lines[first], first, section.heading, max_chars)
            end = first + 1
        else:
            end = _fitting(lines, first, section.end, max_chars)
            last = end - 1
            while not lines[last].strip():
                last -= 1
            yield "\n".join(lines[first : last + 1]), first + 1, last + 1, section.heading
        first = _skip_empty(lines, end, section.end)


def _spread(line: str, place: int, heading: tuple[str, ...], max_chars: int) -> Iterator[_Piece]:
    for start in range(0, len(line), max_chars):
        if (part := line[start : start + max_chars]).strip():
            yield part, place + 1, place + 1, heading


def _skip_empty(lines: Sequence[str], first: int, end: int) -> int:
    while first < end and not lines[first].strip():
        first += 1
    return first


def _fitting(lines: Sequence[str], first: int, end: int, max_chars: int) -> int:
    """Return where a chunk that begins at a line has to end: where everything fits, else at the best place to break."""
    size, stop = -1, first
    while stop < end and (size := size + len(lines[stop]) + 1) <= max_chars:
        stop += 1
    return stop if stop == end else _break(lines, first, stop)


def _break(lines: Sequence[str], first: int, stop: int) -> int:
    """Return the best line of the second half to break before: after an empty one, else the least indented."""
    half = first + max(1, (stop - first) // 2)
    empty = [place for place in range(half, stop) if not lines[place].strip()]
    if empty:
        return empty[-1] + 1
    return min(range(half, stop + 1), key=lambda place: (_indent(lines[place]), -place))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
