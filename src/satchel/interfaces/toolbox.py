"""Which operations an agent is offered, what each takes, and how it is answered."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.envelope import Failed, Ok
from satchel.domain.episode import EpisodesFound
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, Refused, SatchelError
from satchel.explaining.values import ReceiptExplanation, WhyNot
from satchel.interfaces.encode import encoded, envelope
from satchel.interfaces.operations import OPERATIONS, Operation, Parameter
from satchel.interfaces.schema import Schema, object_of, schema_of
from satchel.interfaces.slot.reasons import lines_of_why, lines_of_why_not
from satchel.interfaces.slot.text import (
    line_of_memory,
    lines_of_episodes,
    lines_of_observation,
    lines_of_search,
    lines_of_timeline,
    quoted,
)
from satchel.interfaces.slot.text import text_of as warned
from satchel.interfaces.slot.tools import ToolResult
from satchel.memories.values import MemoryShown
from satchel.observations.values import FoundObservations, Observed, Timeline

MAX_CLIENT_CHARS = 100

_TEXT: Schema = {"type": "string"}
_ANYTHING: Schema = {"type": "object"}
_ERROR = object_of({"code": _TEXT, "message": _TEXT, "hint": _TEXT})
_BODY = object_of(
    {
        "schema": _TEXT,
        "operation": _TEXT,
        "asked": _ANYTHING,
        "considered": _ANYTHING,
        "decided": _ANYTHING,
        "warnings": {"type": "array", "items": _TEXT},
    }
)
_RECEIPT = object_of(
    {
        "digest": _TEXT,
        "body": _BODY,
        "at": {"type": "integer"},
        "duration_ms": {"type": "number"},
        "kept": {"type": "boolean"},
    }
)
_REFUSAL: dict[str, Schema] = {"error": _TEXT, "message": _TEXT, "hint": _TEXT}
_SHORT_RECEIPT = object_of({"digest": _TEXT, "latencyMs": {"type": "number"}})
# Where an error's own hint names an option of the command line, an agent is told what it can do.
_HINTS = {"not_found": "it may be in another scope, or forgotten", "file_exists": "choose another name"}
_JSON_TYPES: dict[Any, Schema] = {
    str: _TEXT,
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    dict: _ANYTHING,
    list: {"type": "array"},
}


class Bounds(Struct, frozen=True):
    """What the operator fixed when the server was started. No request can widen it."""

    scope: str | None = None
    """The one scope every call runs in; None lets the agent name one."""
    read_only: bool = False
    folder: Path | None = None
    """Where tools may read and write files; None gives them none."""
    only: tuple[str, ...] = ()
    """The tools that are offered; none named means all of them."""
    operator: bool = False
    """Whether it is the operator who asks: every parameter may be set, and nothing is set for them."""


def tool_name(operation: Operation) -> str:
    """Return the name of an operation's tool."""
    return operation.name.replace(" ", "_").replace("-", "_")


TOOLS = {tool_name(operation): operation for operation in OPERATIONS if not operation.operator_only}
"""The operations that are tools, by the tool's name."""


def offered(bounds: Bounds) -> dict[str, Operation]:
    """Return the tools that are there within these bounds."""
    return {name: operation for name, operation in TOOLS.items() if withheld(operation, bounds) is None}


def tools_named(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of tools, or refuse one that no tool has."""
    for name in names:
        if name not in TOOLS:
            raise InvalidRequest(f"there is no tool {name[:40]!r}", code="unknown_word", hint=", ".join(TOOLS))
    return tuple(names)


def withheld(operation: Operation, bounds: Bounds) -> SatchelError | None:
    """Return why an operation is no tool within these bounds; None when it is one."""
    if bounds.only and tool_name(operation) not in bounds.only:
        return Refused("this server does not offer it", code="not_offered", hint="ask the person who set it up")
    if bounds.read_only and (operation.writes or operation.handles_files):
        return Refused("this server changes nothing", code="readonly_mode", hint="ask the person who set it up")
    if operation.handles_files and bounds.folder is None:
        return Refused("no folder was given for files", code="no_folder", hint="ask the person who set it up")
    return None


def parameters(operation: Operation, bounds: Bounds) -> dict[str, Parameter]:
    """Return the parameters that may be set, by name."""
    taken = {one.name: one for one in operation.parameters}
    if bounds.operator:
        return taken
    return {
        name: one
        for name, one in taken.items()
        if not (one.operator_only or (name == "scope" and bounds.scope is not None))
    }


def description(operation: Operation) -> str:
    """Return what a model reads before it chooses the tool."""
    return f"{operation.help[0].upper()}{operation.help[1:]}. {operation.details}".strip()


def input_schema(operation: Operation, bounds: Bounds) -> Schema:
    """Return the schema of a call's arguments."""
    taken = parameters(operation, bounds)
    return object_of(
        {name: parameter_schema(one) for name, one in taken.items()},
        required=[name for name, one in taken.items() if one.required],
    )


def parameter_schema(parameter: Parameter) -> Schema:
    """Return the schema of one argument."""
    schema = dict(_JSON_TYPES[parameter.type])
    if parameter.choices:
        schema["enum"] = list(parameter.choices)
    if parameter.repeated:
        schema = {"type": "array", "items": schema}
    schema["description"] = f"each {parameter.help}" if parameter.repeated else parameter.help
    if parameter.default is not None:
        schema["default"] = list(parameter.default) if parameter.repeated else parameter.default
    return schema


def output_schema(operation: Operation) -> Schema:
    """Return the schema of an answer: one shape for both outcomes, so that a failure conforms to it too."""
    result = schema_of(operation.result)
    if operation.agents_only:
        receipt = {"receipt": {"anyOf": [result["properties"]["receipt"], _SHORT_RECEIPT]}}
        return object_of(result["properties"] | _REFUSAL | receipt, required=["receipt"]) | {
            "oneOf": [{"required": result["required"]}, {"required": list(_REFUSAL)}]
        }
    properties = {"ok": {"type": "boolean"}, "result": result, "error": _ERROR, "receipt": _RECEIPT}
    return object_of(properties, required=["ok", "receipt"]) | {
        "oneOf": [{"required": ["result"]}, {"required": ["error"]}]
    }


def structured(operation: Operation, answer: Ok[Any] | Failed) -> dict[str, Any]:
    """Return an answer as a tool gives it: in the shape its specification fixes, or in the envelope."""
    if not operation.agents_only:
        return envelope(answer)
    if isinstance(answer, Ok):
        return dict(encoded(answer.result.details))  # type: ignore[arg-type]
    error = {"error": answer.code, "message": answer.message, "hint": answer.hint}
    return error | {"receipt": {"digest": answer.receipt.digest, "latencyMs": answer.receipt.duration_ms}}


def addressed(failure: Failed) -> Failed:
    """Return a failure as an agent is told of it."""
    return replace(failure, hint=_HINTS.get(failure.code, failure.hint))


def text_of(answer: Ok[Any] | Failed) -> str:
    """Return the short text of an answer, for models that are only shown text."""
    if isinstance(answer, Failed):
        return f"{answer.code}: {answer.message}" + (f" ({answer.hint})" if answer.hint else "")
    if isinstance(answer.result, ToolResult):
        return answer.result.text
    # An operation of a later day has words too, before anybody wrote some for it.
    shown = _SHOWN.get(type(answer.result), lambda result: iter([quoted(encoded(result))]))
    return warned(shown(answer.result), answer.receipt.warnings)


def _lines_of_memory(found: MemoryShown) -> Iterator[str]:
    yield line_of_memory(found.memory)
    yield from (f"#{event.seq} {event.operation} by {event.actor}" for event in found.history)


_SHOWN: dict[type, Callable[[Any], Iterator[str]]] = {
    MemoryShown: _lines_of_memory,
    ReceiptExplanation: lines_of_why,
    WhyNot: lines_of_why_not,
    Observed: lines_of_observation,
    FoundObservations: lines_of_search,
    Timeline: lines_of_timeline,
    EpisodesFound: lines_of_episodes,
}


def signed(edge: str, said: str) -> str:
    """Return how a client calls itself, in one clean line after its edge: it ends up as the source of what is stored."""
    printable = "".join(letter if letter.isprintable() else " " for letter in replace_undecodable(said))
    return " ".join([edge, *printable.split()])[:MAX_CLIENT_CHARS].rstrip()
