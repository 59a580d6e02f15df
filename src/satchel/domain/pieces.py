"""Pieces of a text: what is looked for when nothing of the text may be left anywhere."""

import re
from collections.abc import Iterable
from typing import Any

MIN_FRAGMENT_BYTES = 8
MAX_FRAGMENT_CHARS = 32

# Where JSON would write an escape, or a database could break a line: a piece never spans one of these.
_BREAKS = re.compile(r'[\\"\x00-\x1f]+')


def pieces(text: str) -> list[str]:
    """Cut a text into pieces short enough to lie unbroken in a file; leave out those too short to mean something."""
    cut = [
        run[start : start + MAX_FRAGMENT_CHARS]
        for run in _BREAKS.split(text)
        for start in range(0, len(run), MAX_FRAGMENT_CHARS)
    ]
    return [piece for piece in dict.fromkeys(cut) if len(piece.strip().encode()) >= MIN_FRAGMENT_BYTES]


class Trace:
    """Finds the pieces of one text in others, however many pieces there are."""

    def __init__(self, text: str) -> None:
        self._by_length: dict[int, set[str]] = {}
        for piece in pieces(text):
            self._by_length.setdefault(len(piece), set()).add(piece)

    def among(self, texts: Iterable[tuple[Any, ...]]) -> list[int]:
        """Return the numbers of those numbered texts that hold a piece."""
        return [number for number, text in texts if self._is_in(text)]

    def _is_in(self, text: str) -> bool:
        return any(
            text[start : start + length] in wanted
            for length, wanted in self._by_length.items()
            for start in range(len(text) - length + 1)
        )
