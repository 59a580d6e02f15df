"""Amounts: how many of something is asked for, and how many there are."""

from collections import Counter
from collections.abc import Iterable

from satchel.errors import InvalidRequest


def amount(value: int, name: str, least: int, most: int, hint: str = "") -> int:
    """Return a whole number within its limits, or refuse it."""
    if type(value) is not int or not least <= value <= most:
        raise InvalidRequest(f"{name} {value!r} is not a number from {least} to {most}", code="out_of_range", hint=hint)
    return value


def counted(words: Iterable[str]) -> dict[str, int]:
    """Return how often each word is there, by word."""
    return {str(word): count for word, count in sorted(Counter(words).items())}
