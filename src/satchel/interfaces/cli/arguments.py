"""What an operation is run with: the options of a command line, and the fields of a JSON object where one is given."""

import pathlib
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from satchel.errors import InvalidRequest
from satchel.interfaces.objects import json_object, messages
from satchel.interfaces.operations import Operation, Parameter
from satchel.interfaces.operations.operation import json_list, json_text

INPUT = "--input-json"
# Of a file that holds one parameter, more than this is never read.
MAX_FILE_CHARS = 20_000_000


def arguments(operation: Operation, given: Namespace, standard_input: Callable[[], str]) -> dict[str, Any]:
    """Return the values of an operation's parameters."""
    taken = {one.name: one for one in operation.parameters if not one.only_shown}
    values = {name: _value(one, getattr(given, name), standard_input) for name, one in taken.items()}
    if operation.takes_object and given.input_json is not None:
        text = standard_input() if given.input_json == "-" else given.input_json
        values |= _fields(operation, taken, values, json_object(text, INPUT))
    if missing := [one for one in taken.values() if one.required and values[one.name] in (None, ())]:
        raise InvalidRequest(f"{operation.name} needs {missing[0].name}", code="missing_param", hint=missing[0].help)
    return values


def _value(parameter: Parameter, value: Any, standard_input: Callable[[], str]) -> Any:
    if parameter.from_stdin and value == "-":
        value = standard_input()
    if parameter.in_file and isinstance(value, str):
        return messages(_from_file(value, standard_input), parameter.option)
    if parameter.repeated:
        return tuple(_read(parameter, one) for one in value or ())
    return _read(parameter, value)


def _from_file(name: str, standard_input: Callable[[], str]) -> str:
    if name == "-":
        if sys.stdin is not None and sys.stdin.isatty():
            raise InvalidRequest("standard input is a terminal", code="no_standard_stream", hint="name a file")
        return standard_input()
    with pathlib.Path(name).open(encoding="utf-8", errors="replace") as file:
        return file.read(MAX_FILE_CHARS)


def _read(parameter: Parameter, value: Any) -> Any:
    if parameter.type is json_text and isinstance(value, str):
        return json_object(value, parameter.option)
    if parameter.type is json_list and isinstance(value, str):
        try:
            return json_list(value)
        except (ValueError, RecursionError):
            raise InvalidRequest(
                f"{parameter.option} is not a JSON list", code="invalid_json", hint='such as [{"text": "…"}]'
            ) from None
    return value


def _fields(
    operation: Operation, taken: dict[str, Parameter], values: dict[str, Any], found: dict[str, Any]
) -> dict[str, Any]:
    """Return the fields of an object as parameters. One that is null was left out; one that is unknown is a mistake."""
    if unknown := [name for name in found if name not in taken]:
        raise InvalidRequest(
            f"{operation.name} takes no field {unknown[0][:40]!a}",
            code="unknown_param",
            hint=f"it takes: {', '.join(taken)}",
        )
    said = {name: value for name, value in found.items() if value is not None}
    if twice := [name for name in said if values[name] != taken[name].default]:
        raise InvalidRequest(f"{twice[0]} is given twice, as an option and in {INPUT}", code="usage")
    return said
