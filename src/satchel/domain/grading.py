"""Grades of importance, and who gives them."""

from collections.abc import Callable

from msgspec import Struct

from satchel.domain.record import Label


class Grade(Struct, frozen=True):
    """A score from 0 to 1, what it is called, and the signals it is made of."""

    score: float
    label: Label
    signals: tuple[str, ...]


class Grader(Struct, frozen=True):
    """Somebody who grades texts, with the name and version that stand on every grade."""

    method: str
    version: int
    grade: Callable[[str], Grade]
