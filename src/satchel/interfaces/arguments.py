"""Check the arguments of an operation: the one place where every interface has them checked."""

from collections.abc import Mapping, Sequence
from typing import Any

from satchel.errors import InvalidRequest
from satchel.interfaces.operations import Operation, Parameter

_TYPE_NAMES: dict[type, str] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}
_ACCEPTED: dict[type, Any] = {float: (int, float), dict: Mapping}


def arguments(operation: Operation, taken: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given: every name known, every required one there, every value of its type."""
    chosen = known(operation, taken, given)
    require(operation, taken, chosen)
    return {name: checked(taken[name], value) for name, value in chosen.items()}


def known(operation: Operation, taken: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments that were given. An unknown name is refused; null counts as omitted, as models write it."""
    if unknown := [name for name in given if name not in taken]:
        raise InvalidRequest(
            f"{operation.name} has no parameter {unknown[0][:40]!a}",
            code="unknown_param",
            hint=f"it takes: {', '.join(taken) or 'nothing'}",
        )
    return {name: value for name, value in given.items() if value is not None}


def require(operation: Operation, taken: Mapping[str, Parameter], values: Mapping[str, Any]) -> None:
    """Refuse arguments without a required one."""
    for name, parameter in taken.items():
        if parameter.required and values.get(name) in (None, ()):
            raise InvalidRequest(f"{operation.name} needs {name!r}", code="missing_param", hint=parameter.help)


def checked(parameter: Parameter, value: Any) -> Any:
    """Return a value of the parameter's type, or refuse it."""
    if not parameter.repeated:
        return _one(parameter, value)
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise _wrong_type(parameter, "a list")
    return tuple(_one(parameter, item) for item in value)


def _one(parameter: Parameter, value: Any) -> Any:
    kind = parameter.type
    if kind is int and isinstance(value, float) and value.is_integer():
        value = int(value)  # JSON has one type of number
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
