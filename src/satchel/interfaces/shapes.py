"""Shapes of their own: where a specification fixes how an operation answers, that is printed as it is."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.envelope import Failed, Ok
from satchel.interfaces.encode import encoded


class Shape(Struct, frozen=True):
    """How an operation answers a program, in the place of the envelope."""

    answer: Callable[[Ok[Any]], dict[str, Json]]
    failure: Callable[[Failed], dict[str, Json]]
    exit_code: int | None = 1
    """What every failure exits with; None leaves each its own."""


def flat(answer: Ok[Any]) -> dict[str, Json]:
    """Return the fields of a result beside "ok"."""
    return {"ok": True, **dict(encoded(answer.result))}  # type: ignore[arg-type]


def in_words(failure: Failed) -> dict[str, Json]:
    """Return an error as one text, with what to do about it."""
    return {"ok": False, "error": failure.message + (f" ({failure.hint})" if failure.hint else "")}


FLAT = Shape(flat, in_words)
