"""Which lines of a text a program wrote."""

from collections.abc import Sequence
from itertools import pairwise

from satchel.domain.safety.compiled import compiled
from satchel.domain.statements import sentence_types

# A row of a file of values: no space follows the first separators.
_ROW = r"[^,;]{0,60}(?P<mark>[,;])(?=\S)[^,;]{0,60}(?P=mark)(?=\S)|[^\t]{0,200}(?P<tab>\t)[^\t\s]"


def is_tool_output(line: str) -> bool:
    """Return whether a line was written by a program."""
    return (
        compiled(sentence_types.LOG_LEVEL).search(line) is not None
        or compiled(sentence_types.TOOL_OUTPUT).search(line.lower()) is not None
    )


def printed_lines(words: Sequence[str]) -> frozenset[int]:
    """Return the lines between two of a program without an empty line, and the rows of a file of values.

    A line of a program that stands alone is not among them.
    """
    printed, last = set[int](), None
    for place, line in enumerate(words):
        if not line.strip():
            last = None
        elif is_tool_output(line):
            printed |= set(range(place if last is None else last + 1, place))
            last = place
    rows = [compiled(_ROW).match(line) for line in words]
    for place, (one, below) in enumerate(pairwise(rows)):
        if one and below and one["mark"] == below["mark"]:
            printed |= {place, place + 1}
    return frozenset(printed)
