"""JSON shapes that specifications fix: these commands print them instead of the envelope."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import Json
from satchel.domain.envelope import Failed, Ok
from satchel.interfaces.serialization import envelope, to_json

# Fields of the router's envelope that are omitted when null.
_OPTIONAL_ROUTE_FIELDS = ("error_code", "error_message", "trace")


class Shape(Struct, frozen=True):
    """The JSON of a command's answers and failures."""

    answer: Callable[[Ok[Any]], dict[str, Json]]
    failure: Callable[[Failed], dict[str, Json]]
    exit_code: int | None = 1
    """Exit code of every failure; None keeps the failure's own."""


def shape_of(command: str) -> Shape | None:
    """Return the fixed shape of a command's answers; None if it answers in the envelope."""
    return _BY_COMMAND.get(command) or _BY_GROUP.get(command.split()[0])


def _result_fields(answer: Ok[Any]) -> dict[str, Any]:
    return dict(to_json(answer.result))  # type: ignore[arg-type]


def _without_null(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value is not None}


def _flat_answer(answer: Ok[Any]) -> dict[str, Json]:
    return {"ok": True, **_result_fields(answer)}


def _added_answer(answer: Ok[Any]) -> dict[str, Json]:
    fields = _flat_answer(answer)
    return {name: value for name, value in fields.items() if name != "duplicate" or value}


def _flat_failure(failure: Failed) -> dict[str, Json]:
    return {"ok": False, "error": failure.message + (f" ({failure.hint})" if failure.hint else "")}


def _router_answer(answer: Ok[Any]) -> dict[str, Json]:
    fields = _result_fields(answer)
    fields["results"] = [_without_null(one) for one in fields["results"]]
    return {name: value for name, value in fields.items() if name not in _OPTIONAL_ROUTE_FIELDS or value is not None}


def _tool_answer(answer: Ok[Any]) -> dict[str, Json]:
    return {"content": to_json(answer.result.content), "details": to_json(answer.result.details)}


def _tool_failure(failure: Failed) -> dict[str, Json]:
    details: dict[str, Json] = {"error": failure.code, "message": failure.message, "hint": failure.hint}
    text = f"{failure.code}: {failure.message}" + (f" ({failure.hint})" if failure.hint else "")
    return {"content": [{"type": "text", "text": text}], "details": details, "isError": True}


_FLAT = Shape(_flat_answer, _flat_failure)
_BY_GROUP = {"attention": _FLAT, "tool": Shape(_tool_answer, _tool_failure)}
_BY_COMMAND: dict[str, Shape] = {
    # "imported" and "not_imported" are omitted if there is no database of the original skill.
    "attention init": replace(_FLAT, answer=lambda answer: _without_null(_flat_answer(answer))),
    # "duplicate" is omitted if the memory is new.
    "attention add": replace(_FLAT, answer=_added_answer),
    # "procedure_memory_id" is omitted if no procedure was made.
    "attention reflect": replace(_FLAT, answer=lambda answer: _without_null(_flat_answer(answer))),
    # "trace" is omitted unless asked for.
    "pack": Shape(lambda answer: _without_null(_result_fields(answer)), envelope),
    "route": Shape(_router_answer, envelope, exit_code=None),
}
