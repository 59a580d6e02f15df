"""Check that a word is one of the values of an enum."""

from enum import StrEnum
from typing import TypeVar

from satchel.errors import InvalidRequest

Word = TypeVar("Word", bound=StrEnum)


def one_of(words: type[Word], text: str, name: str) -> Word:
    """Return the value with this name, or raise InvalidRequest."""
    try:
        return words(text)
    except ValueError:
        raise InvalidRequest(
            f"unknown {name} {str(text)[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(words)}"
        ) from None
