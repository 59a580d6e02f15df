"""Describe operations as agent tools: their descriptions, schemas, structured results and texts."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from satchel.domain.envelope import Failed, Ok
from satchel.domain.episode import EpisodesFound
from satchel.explaining.values import ReceiptExplanation, WhyNot
from satchel.interfaces.agents import Bounds, settable_parameters
from satchel.interfaces.operations import Operation, Parameter
from satchel.interfaces.serialization import Schema, envelope, object_schema, schema_of, to_json
from satchel.interfaces.slot.reasons import lines_of_why, lines_of_why_not
from satchel.interfaces.slot.text import (
    line_of_memory,
    lines_of_episodes,
    lines_of_observation,
    lines_of_search,
    lines_of_timeline,
    quoted,
)
from satchel.interfaces.slot.text import text_of as text_with_warnings
from satchel.interfaces.slot.tools import ToolResult
from satchel.memories.values import MemoryShown
from satchel.observations.values import FoundObservations, Observed, Timeline

_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
# Objects and lists may hold anything: the operation checks them.
_UNTYPED: dict[type, Schema] = {dict: _OBJECT, list: {"type": "array"}}
_ERROR = object_schema({"code": _TEXT, "message": _TEXT, "hint": _TEXT})
_RECEIPT_BODY = object_schema(
    {
        "schema": _TEXT,
        "operation": _TEXT,
        "asked": _OBJECT,
        "considered": _OBJECT,
        "decided": _OBJECT,
        "warnings": {"type": "array", "items": _TEXT},
    }
)
_RECEIPT = object_schema(
    {
        "digest": _TEXT,
        "body": _RECEIPT_BODY,
        "at": {"type": "integer"},
        "duration_ms": {"type": "number"},
        "kept": {"type": "boolean"},
    }
)
_TOOL_ERROR: dict[str, Schema] = {"error": _TEXT, "message": _TEXT, "hint": _TEXT}
_SHORT_RECEIPT = object_schema({"digest": _TEXT, "latencyMs": {"type": "number"}})
# Hints for agents, where the error's own hint names a command line option.
_HINTS = {
    "not_found": "it may be in another scope, or forgotten",
    "file_exists": "choose another name",
    # The error's own hint names scopes that the agent may not know of.
    "invalid_scope": "use lower case, digits and . _ : / -, such as project/shop",
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


def output_schema(operation: Operation) -> Schema:
    """Return the schema of an answer: one for success and failure, since MCP validates both against it."""
    result = schema_of(operation.result)
    if operation.agents_only:
        receipt = {"receipt": {"anyOf": [result["properties"]["receipt"], _SHORT_RECEIPT]}}
        return object_schema(result["properties"] | _TOOL_ERROR | receipt, required=["receipt"]) | {
            "oneOf": [{"required": result["required"]}, {"required": list(_TOOL_ERROR)}]
        }
    properties = {"ok": {"type": "boolean"}, "result": result, "error": _ERROR, "receipt": _RECEIPT}
    return object_schema(properties, required=["ok", "receipt"]) | {
        "oneOf": [{"required": ["result"]}, {"required": ["error"]}]
    }


def structured_content(operation: Operation, answer: Ok[Any] | Failed) -> dict[str, Any]:
    """Return the JSON of an answer: in the shape that the tool's specification fixes, or in the envelope."""
    if not operation.agents_only:
        return envelope(answer)
    if isinstance(answer, Ok):
        return dict(to_json(answer.result.details))  # type: ignore[arg-type]
    error = {"error": answer.code, "message": answer.message, "hint": answer.hint}
    return error | {"receipt": {"digest": answer.receipt.digest, "latencyMs": answer.receipt.duration_ms}}


def with_agent_hint(failure: Failed) -> Failed:
    """Return a failure whose hint suits an agent instead of a person at a terminal."""
    return replace(failure, hint=_HINTS.get(failure.code, failure.hint))


def text_of(answer: Ok[Any] | Failed) -> str:
    """Return the short text of an answer, for models that see only text."""
    if isinstance(answer, Failed):
        return f"{answer.code}: {answer.message}" + (f" ({answer.hint})" if answer.hint else "")
    if isinstance(answer.result, ToolResult):
        return answer.result.text
    lines = _LINES.get(type(answer.result), lambda result: iter([quoted(to_json(result))]))
    return text_with_warnings(lines(answer.result), answer.receipt.warnings)


def _memory_lines(found: MemoryShown) -> Iterator[str]:
    yield line_of_memory(found.memory)
    yield from (f"#{event.seq} {event.operation} by {event.actor}" for event in found.history)


_LINES: dict[type, Callable[[Any], Iterator[str]]] = {
    MemoryShown: _memory_lines,
    ReceiptExplanation: lines_of_why,
    WhyNot: lines_of_why_not,
    Observed: lines_of_observation,
    FoundObservations: lines_of_search,
    Timeline: lines_of_timeline,
    EpisodesFound: lines_of_episodes,
}
