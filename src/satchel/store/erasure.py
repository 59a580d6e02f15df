"""Erasure: which pieces of a text to look for in the files, and what finding them or not proves."""

import re
from collections.abc import Callable, Sequence

from satchel.domain.answers import ErasureCheck
from satchel.ports import FileSearch

MIN_FRAGMENT_BYTES = 8
MAX_FRAGMENT_CHARS = 32
MAX_FRAGMENTS = 12

# Where JSON would write an escape, or a database could break a line: a fragment never spans one of these.
_BREAKS = re.compile(r'[\\"\x00-\x1f]+')


def fragments(text: str) -> list[str]:
    """Return pieces of a text that are short enough to lie unbroken in a file and long enough to mean something."""
    pieces = [
        run[start : start + MAX_FRAGMENT_CHARS]
        for run in _BREAKS.split(text)
        for start in range(0, len(run), MAX_FRAGMENT_CHARS)
    ]
    telling = [piece for piece in dict.fromkeys(pieces) if len(piece.strip().encode()) >= MIN_FRAGMENT_BYTES]
    step = max(1, len(telling) // MAX_FRAGMENTS)
    return telling[::step][:MAX_FRAGMENTS]


def judge(
    pieces: Sequence[str],
    before: FileSearch,
    still_elsewhere: Callable[[str], bool],
    search: Callable[[Sequence[bytes]], FileSearch],
) -> ErasureCheck:
    """Search the files again after an erasure. A piece that another memory holds too proves nothing either way."""
    unique = [piece for piece in pieces if not still_elsewhere(piece)]
    after = search([piece.encode() for piece in unique])
    note = "" if unique else "no piece of the text is long enough or this memory's alone, so a search proves nothing"
    return ErasureCheck(
        conclusive=bool(unique),
        fragments=len(unique),
        files=after.files,
        bytes=after.bytes,
        found_before=len(before.holding),
        found_after=after.holding,
        note=note,
    )
