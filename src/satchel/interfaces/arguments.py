"""Check the arguments of an operation, the same way for every interface."""

from collections.abc import Mapping, Sequence
from typing import Any

from satchel.errors import InvalidRequest
from satchel.interfaces.operations import Operation, Parameter

_TYPE_NAMES: dict[type, str] = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}
_ACCEPTED: dict[type, Any] = {float: (int, float), dict: Mapping}


def check_arguments(
    operation: Operation, parameters: Mapping[str, Parameter], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments that were given, or raise InvalidRequest for an unknown, missing or mistyped one."""
    values = check_names(operation, parameters, given)
    check_required(operation, parameters, values)
    return {name: _checked(parameters[name], value) for name, value in values.items()}


def check_names(operation: Operation, parameters: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by the names of their parameters, or reject an unknown name or one given twice.

    A parameter may be given in camelCase too (`memoryId` for `memory_id`), as specifications and models write it. Null
    counts as omitted: models send it.
    """
    spellings = {camel_case(name): name for name in parameters} | {name: name for name in parameters}
    if unknown := [name for name in given if name not in spellings]:
        raise InvalidRequest(
            f"{operation.name} has no parameter {unknown[0][:40]!a}",
            code="unknown_param",
            hint=f"parameters: {', '.join(parameters) or 'none'}",
        )
    values: dict[str, Any] = {}
    for spelling, value in given.items():
        name = spellings[spelling]
        if value is None:
            continue
        if name in values:
            other = f"it is also given as {camel_case(name)}"
            raise InvalidRequest(f"{name} is given twice: {other}", code="given_twice", hint=f"give only {name}")
        values[name] = value
    return values


def camel_case(name: str) -> str:
    """Return a name in snake_case as it is written in camelCase."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def check_required(operation: Operation, parameters: Mapping[str, Parameter], values: Mapping[str, Any]) -> None:
    """Reject arguments that lack a required one."""
    for name, parameter in parameters.items():
        if parameter.required and values.get(name) in (None, ()):
            raise InvalidRequest(f"{operation.name} needs {name!r}", code="missing_param", hint=parameter.help)


def _checked(parameter: Parameter, value: Any) -> Any:
    if not parameter.repeated:
        return _checked_item(parameter, value)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _wrong_type(parameter, "a list")
    return tuple(_checked_item(parameter, item) for item in value)


def _checked_item(parameter: Parameter, value: Any) -> Any:
    kind = parameter.type
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON does not distinguish 3 from 3.0
    if not isinstance(value, _ACCEPTED.get(kind, kind)) or (isinstance(value, bool) and kind is not bool):
        raise _wrong_type(parameter, _TYPE_NAMES[kind])
    if parameter.choices and value not in parameter.choices:
        raise InvalidRequest(
            f"{parameter.name} cannot be {str(value)[:40]!r}",
            code="unknown_word",
            hint=f"one of: {', '.join(parameter.choices)}",
        )
    return value


def _wrong_type(parameter: Parameter, wanted: str) -> InvalidRequest:
    return InvalidRequest(f"{parameter.name} must be {wanted}", code="wrong_type", hint=parameter.help)
