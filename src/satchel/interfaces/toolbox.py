"""Describe operations as agent tools: their descriptions, input schemas, structured results and texts."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from satchel.domain.envelope import Failed, Ok
from satchel.domain.episode import EpisodesFound
from satchel.errors import Conflict, InvalidRequest, NotFound, Refused, SatchelError, Unavailable
from satchel.explaining.values import ReceiptExplanation, WhyNot
from satchel.interfaces.agents import Bounds, settable_parameters
from satchel.interfaces.failures import failure_of
from satchel.interfaces.operations import Operation, Parameter
from satchel.interfaces.serialization import Schema, envelope, object_schema, schema_of, to_json
from satchel.interfaces.slot.any_result import lines_of_any
from satchel.interfaces.slot.reasons import lines_of_why, lines_of_why_not
from satchel.interfaces.slot.text import (
    lines_of_episodes,
    lines_of_search,
    lines_of_timeline,
)
from satchel.interfaces.slot.text import text_of as text_with_warnings
from satchel.interfaces.slot.tools import ToolResult
from satchel.observations.values import FoundObservations, Timeline

_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
# Objects and lists may hold anything: the operation checks them.
_UNTYPED: dict[type, Schema] = {dict: _OBJECT, list: {"type": "array"}}
# Hints for agents, where the error's own hint names a command line option.
_HINTS = {
    "not_found": "it may be in another scope, or forgotten",
    "file_exists": "choose another name",
    # The error's own hint names scopes that the agent may not know of.
    "invalid_scope": "use lower case, digits and . _ : / -, such as project/shop",
}
# What to do about an error without a hint, by its class.
_GENERAL_HINTS: dict[type[SatchelError], str] = {
    SatchelError: "go on without it, and tell the person to run: satchel doctor",
    InvalidRequest: "correct the arguments and call it again",
    NotFound: "memory_recall and memory_list find what there is",
    Refused: "ask the person who set up this server",
    Conflict: "look at the record again before you change it",
    Unavailable: "try again; if it keeps failing, go on without it and tell the person",
}


def description(operation: Operation) -> str:
    """Return what a model reads before it chooses the tool."""
    return f"{operation.help[0].upper()}{operation.help[1:]}. {operation.details}".strip()


def input_schema(operation: Operation, bounds: Bounds) -> Schema:
    """Return the schema of a call's arguments."""
    parameters = settable_parameters(operation, bounds)
    return object_schema(
        {name: parameter_schema(one) for name, one in parameters.items()},
        required=[name for name, one in parameters.items() if one.required],
    )


def parameter_schema(parameter: Parameter) -> Schema:
    """Return the schema of one argument."""
    schema = dict(_UNTYPED.get(parameter.type) or schema_of(parameter.type))
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    if parameter.repeated:
        schema = {"type": "array", "items": schema}
    schema["description"] = f"each {parameter.help}" if parameter.repeated else parameter.help
    if parameter.default is not None:
        schema["default"] = list(parameter.default) if parameter.repeated else parameter.default
    return schema


def structured_content(operation: Operation, answer: Ok[Any] | Failed) -> dict[str, Any]:
    """Return the JSON of an answer: in the shape that the tool's specification fixes, or in the envelope."""
    if not operation.agents_only:
        return envelope(answer)
    if isinstance(answer, Ok):
        return dict(to_json(answer.result.details))  # type: ignore[arg-type]
    error = {"error": answer.code, "message": answer.message, "hint": answer.hint}
    return error | {"receipt": {"digest": answer.receipt.digest, "latencyMs": answer.receipt.duration_ms}}


def agent_failure(operation: str, error: SatchelError) -> Failed:
    """Return the failure of an operation, with a hint that suits an agent instead of a person at a terminal."""
    failure = failure_of(operation, error)
    general = next(_GENERAL_HINTS[kind] for kind in type(error).__mro__ if kind in _GENERAL_HINTS)
    return replace(failure, hint=_HINTS.get(failure.code) or failure.hint or general)


def text_of(answer: Ok[Any] | Failed) -> str:
    """Return the short text of an answer, for models that see only text."""
    if isinstance(answer, Failed):
        return f"{answer.code}: {answer.message}" + (f" ({answer.hint})" if answer.hint else "")
    if isinstance(answer.result, ToolResult):
        return answer.result.text
    lines = _LINES.get(type(answer.result), lambda result: lines_of_any(to_json(result)))
    return text_with_warnings(lines(answer.result), answer.receipt.warnings)


_LINES: dict[type, Callable[[Any], Iterator[str]]] = {
    ReceiptExplanation: lines_of_why,
    WhyNot: lines_of_why_not,
    FoundObservations: lines_of_search,
    Timeline: lines_of_timeline,
    EpisodesFound: lines_of_episodes,
}
