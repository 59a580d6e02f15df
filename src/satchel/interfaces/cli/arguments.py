"""The arguments of an operation from a command line: its options, and the fields of --input-json."""

import pathlib
import sys
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from satchel.domain.strict_json import parse_json
from satchel.errors import InvalidRequest
from satchel.interfaces.arguments import known, require
from satchel.interfaces.objects import json_object, messages
from satchel.interfaces.operations import Operation, Parameter

INPUT = "--input-json"
# Maximum characters read from a file that contains one parameter.
MAX_FILE_CHARS = 20_000_000


def arguments(operation: Operation, given: Namespace, standard_input: Callable[[], str]) -> dict[str, Any]:
    """Return the values of an operation's parameters."""
    taken = {one.name: one for one in operation.parameters}
    values = {name: _value(one, getattr(given, name), standard_input) for name, one in taken.items()}
    if operation.takes_object and given.input_json is not None:
        text = standard_input() if given.input_json == "-" else given.input_json
        fields = known(operation, taken, json_object(text, INPUT))
        if twice := [name for name in fields if values[name] != taken[name].default]:
            raise InvalidRequest(f"{twice[0]} is given twice, as an option and in {INPUT}", code="usage")
        values |= fields
    require(operation, taken, values)
    return values


def _value(parameter: Parameter, value: Any, standard_input: Callable[[], str]) -> Any:
    if parameter.from_stdin and value == "-":
        value = standard_input()
    if parameter.in_file and isinstance(value, str):
        return messages(_from_file(value, standard_input), parameter.option)
    if parameter.repeated:
        return tuple(_parsed(parameter, one) for one in value or ())
    return _parsed(parameter, value)


def _from_file(name: str, standard_input: Callable[[], str]) -> str:
    if name == "-":
        if sys.stdin is not None and sys.stdin.isatty():
            raise InvalidRequest("standard input is a terminal", code="no_standard_stream", hint="name a file")
        return standard_input()
    with pathlib.Path(name).open(encoding="utf-8", errors="replace") as file:
        return file.read(MAX_FILE_CHARS)


def _parsed(parameter: Parameter, value: Any) -> Any:
    """Return the object or list that a JSON text contains, for a parameter that is one."""
    if not isinstance(value, str) or parameter.type not in (dict, list):
        return value
    if parameter.type is dict:
        return json_object(value, parameter.option)
    try:
        found = parse_json(value, parameter.option)
    except InvalidRequest:
        found = None
    if not isinstance(found, list):
        raise InvalidRequest(
            f"{parameter.option} is not a JSON list", code="invalid_json", hint='such as [{"text": "…"}]'
        )
    return found
