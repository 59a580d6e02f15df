"""Find out which line of a file took the place of which, from one version of the file to the next."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec import Struct

from satchel.domain.words import segment

# Minimum share of words that two lines have in common if one is the other, reworded.
MIN_SHARED_WORDS = 0.5
# Maximum number of characters compared.
COMPARED_CHARS = 1_000


class FileLine(Struct, frozen=True):
    """A statement of a file. The same statement has the same id in every version."""

    id: str
    text: str
    title: str
    """The headings above it."""


def match_lines(before: Sequence[FileLine], now: Sequence[FileLine]) -> dict[str, str]:
    """Return the ids of replaced lines, each with the id of the line in its place.

    Both are under the same headings, and have similar words or stand between the same lines that did not change.
    """
    there, here = {one.id for one in before}, {one.id for one in now}
    gone = [one for one in before if one.id not in here]
    new = [one for one in now if one.id not in there]
    pairs = dict(_alike(gone, new))
    taken = {*pairs.values()}
    gone, new = [one for one in gone if one.id not in pairs], [one for one in new if one.id not in taken]
    return pairs | dict(_in_same_place(gone, new, _places(before, here), _places(now, there)))


def _alike(gone: Sequence[FileLine], new: Sequence[FileLine]) -> Iterator[tuple[str, str]]:
    """Yield pairs of lines with similar words, the most similar first, each line once."""
    words = {one.id: frozenset(segment(one.text[:COMPARED_CHARS].casefold()).split()) for one in (*gone, *new)}
    found = [
        (-_shared(words[old.id], words[line.id]), first, second)
        for first, old in enumerate(gone)
        for second, line in enumerate(new)
        if old.title == line.title
    ]
    taken: set[str] = set()
    for negative, first, second in sorted(found):
        old, line = gone[first].id, new[second].id
        if -negative >= MIN_SHARED_WORDS and not {old, line} & taken:
            taken |= {old, line}
            yield old, line


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 0.0


_Place = tuple[str, str | None, str | None]


def _places(lines: Sequence[FileLine], unchanged: set[str]) -> dict[str, _Place]:
    """Return the headings of each line, and the nearest lines before and after it that did not change."""
    last: str | None = None
    earlier = dict[str, str | None]()
    for one in lines:
        earlier[one.id] = last
        last = one.id if one.id in unchanged else last
    following: str | None = None
    places = dict[str, _Place]()
    for one in reversed(lines):
        places[one.id] = (one.title, earlier[one.id], following)
        following = one.id if one.id in unchanged else following
    return places


def _in_same_place(
    gone: Sequence[FileLine], new: Sequence[FileLine], before: dict[str, _Place], now: dict[str, _Place]
) -> Iterator[tuple[str, str]]:
    """Yield lines between the same neighbours, in order, where as many came as went."""
    left, come = defaultdict[_Place, list[str]](list), defaultdict[_Place, list[str]](list)
    for one in gone:
        left[before[one.id]].append(one.id)
    for one in new:
        come[now[one.id]].append(one.id)
    for place, ids in left.items():
        # Without a neighbour nothing says that it is the same place.
        if len(ids) == len(come[place]) and place[1:] != (None, None):
            yield from zip(ids, come[place], strict=True)
