"""What an operation is run with when an agent asks: its arguments checked, the rest set by the server."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from satchel.domain.record import SourceKind
from satchel.domain.text import readable
from satchel.errors import InvalidRequest
from satchel.interfaces.operations import Operation, Parameter
from satchel.interfaces.operations.operation import json_list, json_text
from satchel.interfaces.toolbox import Bounds, parameters, withheld

_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    json_text: "an object",
    json_list: "a list",
}
_ACCEPTED: dict[Any, Any] = {float: (int, float), json_text: Mapping, json_list: list}


def arguments(operation: Operation, bounds: Bounds, given: Mapping[str, Any], client: str) -> dict[str, Any]:
    """Return what the operation is run with: the agent's arguments checked, the rest set by the server."""
    if refusal := withheld(operation, bounds):
        raise refusal
    taken = parameters(operation, bounds)
    if unknown := [name for name in given if name not in taken]:
        raise InvalidRequest(
            f"{operation.name} takes no {unknown[0][:40]!r}", code="unknown_param", hint=f"it takes: {_listed(taken)}"
        )
    # Models write null for what they leave out.
    chosen = {name: value for name, value in given.items() if value is not None}
    if missing := [name for name, one in taken.items() if one.required and name not in chosen]:
        raise InvalidRequest(
            f"{operation.name} needs {missing[0]!r}", code="missing_param", hint=taken[missing[0]].help
        )
    checked = {name: _checked(taken[name], value, bounds) for name, value in chosen.items()}
    return _set_by_the_server(operation, bounds, client) | checked


def _listed(taken: Mapping[str, Parameter]) -> str:
    return ", ".join(taken) or "nothing"


def _set_by_the_server(operation: Operation, bounds: Bounds, client: str) -> dict[str, Any]:
    """Return the defaults, and over them what no agent can say of itself: its scope, its channel, its name."""
    values = {one.name: one.default for one in operation.parameters if not one.only_shown}
    if bounds.operator:
        return values
    own: dict[str, Any] = {"scope": bounds.scope, "source_kind": SourceKind.TOOL.value, "source_ref": client}
    # What is quarantined reaches no prompt.
    own |= {"quarantined": False}
    # What is in other scopes, or concerns the whole store, is the operator's.
    own |= {"elsewhere": False}
    # A fallback scope would be a way out of the one that was fixed.
    own |= {} if bounds.scope is None else {"fallback": False}
    return values | {name: value for name, value in own.items() if name in values}


def _checked(parameter: Parameter, value: Any, bounds: Bounds) -> Any:
    if parameter.file and bounds.folder is not None:
        return str(_within(bounds.folder, _one(parameter, value)))
    if parameter.repeated:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise _wrong(parameter, "a list")
        return tuple(_one(parameter, item) for item in value)
    return _one(parameter, value)


def _within(folder: Path, name: str) -> Path:
    """Return the file of a name in the folder that was given; nothing outside it can be named."""
    refused = InvalidRequest(f"{name[:80]!r} is no file of the folder for files", code="outside_folder")
    if not name.strip() or "\0" in name or name != readable(name):
        raise refused
    try:
        inside = folder.resolve()
        path = (inside / name).resolve()
        # A pipe or a device could be waited on for ever.
        plain = path.is_file() or not path.exists()
    except (OSError, RuntimeError):  # a name too long, or links that lead to each other
        raise refused from None
    if path == inside or not path.is_relative_to(inside) or not plain:
        raise refused
    return path


def _one(parameter: Parameter, value: Any) -> Any:
    kind: Any = parameter.type
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON knows one kind of number
    if not isinstance(value, _ACCEPTED.get(kind, kind)) or (isinstance(value, bool) and kind is not bool):
        raise _wrong(parameter, _NAMES[kind])
    if parameter.choices and value not in parameter.choices:
        raise InvalidRequest(
            f"{parameter.name} cannot be {str(value)[:40]!r}",
            code="unknown_word",
            hint=f"one of: {', '.join(parameter.choices)}",
        )
    return value


def _wrong(parameter: Parameter, wanted: str) -> InvalidRequest:
    return InvalidRequest(f"{parameter.name} must be {wanted}", code="wrong_type", hint=parameter.help)
