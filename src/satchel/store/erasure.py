"""Erasure: which pieces of a text to look for in the files, and what finding them or not proves."""

import re

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
    if len(telling) <= MAX_FRAGMENTS:
        return telling
    # Evenly over the whole text, its end included.
    return [telling[round(place * (len(telling) - 1) / (MAX_FRAGMENTS - 1))] for place in range(MAX_FRAGMENTS)]


def judge(searched: int, before: FileSearch, after: FileSearch) -> ErasureCheck:
    """Compare the files before and after. Not finding proves something only if the same search had found it before."""
    note = ""
    if not searched:
        note = "no piece of the text is long enough and this memory's alone"
    elif not before.holding:
        note = "the search did not find the text before either"
    return ErasureCheck(
        conclusive=not note,
        fragments=searched,
        files=after.files,
        bytes=after.bytes,
        found_before=len(before.holding),
        found_after=after.holding,
        note=note,
    )
