"""Fragments of a text, by which its copies are found before and after it is erased."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.redact import MASK, mask

MIN_FRAGMENT_BYTES = 8
MAX_FRAGMENT_CHARS = 32
MANY_SEARCHES = 32

# JSON escapes these characters and a database may break a line there, so a fragment never spans one.
_BREAKS = r'[\\"\x00-\x1f]+'
_RUN = r'[^\\"\x00-\x1f]+'


def text_fragments(text: str) -> list[str]:
    """Split a text into fragments short enough to be contiguous in a file; drop those too short to be distinctive."""
    cut = [
        run[start : start + MAX_FRAGMENT_CHARS]
        for run in compiled(_BREAKS).split(text)
        for start in range(0, len(run), MAX_FRAGMENT_CHARS)
    ]
    return [fragment for fragment in dict.fromkeys(cut) if len(fragment.strip().encode()) >= MIN_FRAGMENT_BYTES]


def stored_forms(text: str) -> tuple[str, ...]:
    """Return the forms in which copies of a text are stored: as it is, and with its secrets masked if it has any."""
    return tuple(dict.fromkeys((text, mask(text))))


def masked_fragments(text: str) -> list[str]:
    """Return the fragments of the masked form of a text, in which it is stored elsewhere; none if it has no secret.

    A fragment that is a mask and little else would be found in unrelated texts.
    """
    masked = mask(text)
    if masked == text:
        return []
    own = MASK.sub(lambda found: "\0" * len(found[0]), masked)
    windows = [
        (found.start() + start, min(found.start() + start + MAX_FRAGMENT_CHARS, found.end()))
        for found in compiled(_RUN).finditer(masked)
        for start in range(0, found.end() - found.start(), MAX_FRAGMENT_CHARS)
    ]
    return [
        masked[start:end]
        for start, end in windows
        if len(own[start:end].replace("\0", "").strip().encode()) >= MIN_FRAGMENT_BYTES
    ]


class FragmentSearch:
    """Finds the fragments of one text in other texts, as it is and with its secrets masked."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def fragments(self) -> tuple[str, ...]:
        """The fragments, made at the first use: most erased records are quoted nowhere."""
        return (*text_fragments(self._text), *masked_fragments(self._text))

    @cached_property
    def _by_length(self) -> dict[int, set[str]]:
        found: dict[int, set[str]] = {}
        for fragment in self.fragments:
            found.setdefault(len(fragment), set()).add(fragment)
        return found

    def among(self, texts: Iterable[tuple[Any, ...]]) -> list[int]:
        """Return the numbers of the numbered texts that hold a fragment."""
        return [number for number, text in texts if self._is_in(text)]

    def _is_in(self, text: str) -> bool:
        return any(
            text[start : start + length] in wanted
            for length, wanted in self._by_length.items()
            for start in range(len(text) - length + 1)
        )


class QuotedTexts:
    """Tells quickly whether any of many texts holds a fragment of a record."""

    def __init__(self, texts: Iterable[str], *, searches: int) -> None:
        """For many searches, every piece of the texts as long as most fragments is put into a set first."""
        # No fragment spans a NUL.
        self._all = "\0".join(texts)
        ends = range(MAX_FRAGMENT_CHARS, len(self._all) + 1) if searches >= MANY_SEARCHES else ()
        self._pieces = {self._all[end - MAX_FRAGMENT_CHARS : end] for end in ends}

    def hold(self, trace: FragmentSearch) -> bool:
        """Return whether a text holds a fragment."""
        return any(map(self._holds, trace.fragments))

    def _holds(self, fragment: str) -> bool:
        known = self._pieces and len(fragment) == MAX_FRAGMENT_CHARS
        return fragment in self._pieces if known else fragment in self._all
