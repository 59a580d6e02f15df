"""Validate arguments: ranges, words of an enum, lists."""

from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TypeVar

from satchel.errors import InvalidRequest

Word = TypeVar("Word", bound=StrEnum)


def check_range(value: int, name: str, least: int, most: int, hint: str = "") -> int:
    """Return an integer within its limits, or raise InvalidRequest."""
    if type(value) is not int or not least <= value <= most:
        raise InvalidRequest(f"{name} {value!r} is not a number from {least} to {most}", code="out_of_range", hint=hint)
    return value


def check_unit_interval(value: float, name: str) -> float:
    """Return a number from 0 to 1, or raise InvalidRequest."""
    if isinstance(value, bool) or not (isinstance(value, (int, float)) and 0.0 <= value <= 1.0):
        raise InvalidRequest(f"{name} {value!r} is not a number from 0 to 1", code="out_of_range", hint="such as 0.8")
    return value


def one_of(words: type[Word], text: str, name: str) -> Word:
    """Return the value with this name, or raise InvalidRequest."""
    if type(text) is words:
        return text
    try:
        return words(text)
    except ValueError:
        raise InvalidRequest(
            f"unknown {name} {str(text)[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(words)}"
        ) from None


def as_tuple(words: Sequence[str]) -> tuple[str, ...]:
    """Return a sequence of words as a tuple; a single string becomes a tuple of one, not of its letters."""
    return (words,) if isinstance(words, str) else tuple(words)


def count_values(values: Iterable[str]) -> dict[str, int]:
    """Return how often each value occurs, sorted by value."""
    return {str(value): count for value, count in sorted(Counter(values).items())}
