"""Erasure: which pieces of a text to look for in the files, and what finding them or not proves."""

from satchel.domain.answers import ErasureCheck
from satchel.domain.pieces import pieces
from satchel.ports import FileSearch

MAX_FRAGMENTS = 12


def fragments(text: str) -> list[str]:
    """Return pieces of a text that are short enough to lie unbroken in a file and long enough to mean something."""
    telling = pieces(text)
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
