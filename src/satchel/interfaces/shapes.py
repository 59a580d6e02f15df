"""Answers whose shape a specification fixes: these operations do not answer a program in the envelope."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import Json
from satchel.domain.envelope import Failed, Ok
from satchel.interfaces.encode import encoded, envelope

# Fields of the router's envelope that are there only when they say something.
_OPTIONAL_ROUTE_FIELDS = ("error_code", "error_message", "trace")


class Shape(Struct, frozen=True):
    """How an operation answers a program, in the place of the envelope."""

    answer: Callable[[Ok[Any]], dict[str, Json]]
    failure: Callable[[Failed], dict[str, Json]]
    exit_code: int | None = 1
    """Exit code of every failure; None keeps each failure's own."""


def shape_of(command: str) -> Shape | None:
    """Return the shape of the answers to a command; None for the envelope."""
    return _SHAPES.get(command) or _GROUPS.get(command.split()[0])


def _fields(answer: Ok[Any]) -> dict[str, Any]:
    return dict(encoded(answer.result))  # type: ignore[arg-type]


def _without_null(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}


def _flat(answer: Ok[Any]) -> dict[str, Json]:
    """Return the fields of a result beside "ok"."""
    return {"ok": True, **_fields(answer)}


def _in_words(failure: Failed) -> dict[str, Json]:
    return {"ok": False, "error": failure.message + (f" ({failure.hint})" if failure.hint else "")}


def _router_envelope(answer: Ok[Any]) -> dict[str, Json]:
    fields = _fields(answer)
    fields["results"] = [_without_null(one) for one in fields["results"]]
    return {name: value for name, value in fields.items() if name not in _OPTIONAL_ROUTE_FIELDS or value is not None}


def _tool_result(answer: Ok[Any]) -> dict[str, Json]:
    return {"content": encoded(answer.result.content), "details": encoded(answer.result.details)}


def _tool_failure(failure: Failed) -> dict[str, Json]:
    refusal: dict[str, Json] = {"error": failure.code, "message": failure.message, "hint": failure.hint}
    text = f"{failure.code}: {failure.message}"
    return {"content": [{"type": "text", "text": text}], "details": refusal, "isError": True}


_FLAT = Shape(_flat, _in_words)
_GROUPS = {"attention": _FLAT, "tool": Shape(_tool_result, _tool_failure)}
"""By the word that several commands begin with."""
_SHAPES: dict[str, Shape] = {
    # A reflection has a procedure only where one was made.
    "attention reflect": replace(_FLAT, answer=lambda answer: _without_null(_flat(answer))),
    # A ContextPack has a trace only where one was asked for.
    "pack": Shape(lambda answer: _without_null(_fields(answer)), envelope),
    "route": Shape(_router_envelope, envelope, exit_code=None),
}
