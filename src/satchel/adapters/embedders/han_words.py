"""Splits runs of Chinese characters into the words that an encoder knows.

A word is written without spaces, so the longest known word is taken at each place. Simplified and traditional forms of a
word share a token.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


@cache
def han() -> re.Pattern[str]:
    """Return the pattern of a run of Chinese characters, compiled when a text may have some: that takes milliseconds."""
    return re.compile(f"[{_HAN}]+")


def han_and_other_runs(text: str) -> list[str]:
    """Split a text into runs of Chinese characters and of others."""
    if text.isascii():
        return [text]
    return _han_or_other().findall(text)


@cache
def _han_or_other() -> re.Pattern[str]:
    return re.compile(f"[{_HAN}]+|[^{_HAN}]+")


def has_han(text: str) -> bool:
    """Return whether a text contains Chinese characters."""
    return not text.isascii() and han().search(text) is not None


class HanWords:
    """The words of a model: one line of the file for each token, with all forms of the word."""

    def __init__(self, first_token: int, unknown_token: int, lines: str) -> None:
        self._unknown = unknown_token
        self._tokens: Mapping[str, int] = {
            form: token for token, line in enumerate(lines.splitlines(), first_token) for form in line.split(" ")
        }
        self._longest = max(map(len, self._tokens), default=1)

    @classmethod
    def read(cls, path: Path, first_token: int, unknown_token: int) -> "HanWords":
        """Read the words of a model."""
        return cls(first_token, unknown_token, path.read_text(encoding="utf-8"))

    def tokens(self, run: str, most: int) -> list[int]:
        """Return the tokens of a run, up to a limit. A character that no word begins with is unknown."""
        found, start = list[int](), 0
        while start < len(run) and len(found) < most:
            for length in range(min(self._longest, len(run) - start), 0, -1):
                token = self._tokens.get(run[start : start + length])
                if token is not None:
                    break
            else:
                token, length = self._unknown, 1
            found.append(token)
            start += length
        return found
