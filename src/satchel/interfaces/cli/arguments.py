"""Read the arguments of an operation from a command line: its options, and the fields of --input-json."""

import pathlib
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping
from typing import Any

from satchel.domain.strict_json import parse_json, parse_object
from satchel.errors import InvalidRequest
from satchel.interfaces.arguments import check_names, check_required
from satchel.interfaces.cli.table import typed_name
from satchel.interfaces.operations import Operation, Parameter

INPUT = "--input-json"
# Maximum characters read from a file that contains one parameter.
MAX_FILE_CHARS = 20_000_000


def read_arguments(operation: Operation, given: Namespace, read_stdin: Callable[[], str]) -> dict[str, Any]:
    """Return the values of an operation's parameters."""
    parameters = {one.name: one for one in operation.parameters}
    values = {name: _value(one, getattr(given, name), read_stdin) for name, one in parameters.items()}
    if operation.takes_object and given.input_json is not None:
        text = read_stdin() if given.input_json == "-" else given.input_json
        fields = check_names(operation, parameters, _json_object(text, INPUT))
        if twice := [name for name in fields if values[name] != parameters[name].default]:
            raise InvalidRequest(f"{twice[0]} is given twice, as an option and in {INPUT}", code="usage")
        values |= fields
        check_required(operation, parameters, values)
    _check_required(operation, values)
    return values


def _check_required(operation: Operation, values: Mapping[str, Any]) -> None:
    """Reject arguments that lack a required one, in the words of the command line."""
    for one in operation.parameters:
        if one.required and values.get(one.name) in (None, ()):
            raise InvalidRequest(
                f"{operation.name} needs {typed_name(one)}",
                code="missing_param",
                hint=f"such as: {operation.examples[0]}" if operation.examples else one.help,
            )


def _value(parameter: Parameter, value: Any, read_stdin: Callable[[], str]) -> Any:
    if parameter.stdin and value == "-":
        value = read_stdin()
    if parameter.in_file and isinstance(value, str):
        return _messages(_read_file(value, read_stdin), parameter.option)
    if parameter.repeated:
        return tuple(_parsed(parameter, one) for one in value or ())
    return _parsed(parameter, value)


def _read_file(name: str, read_stdin: Callable[[], str]) -> str:
    if name == "-":
        if sys.stdin is not None and sys.stdin.isatty():
            raise InvalidRequest("standard input is a terminal", code="no_standard_stream", hint="name a file")
        return read_stdin()
    with pathlib.Path(name).open(encoding="utf-8", errors="replace") as file:
        return file.read(MAX_FILE_CHARS)


def _parsed(parameter: Parameter, value: Any) -> Any:
    """Return the value; parse it if the parameter is a JSON object or list."""
    if not isinstance(value, str) or parameter.type not in (dict, list):
        return value
    return _json_object(value, parameter.option) if parameter.type is dict else _json_list(value, parameter.option)


def _json_object(text: str, name: str) -> dict[str, Any]:
    try:
        return parse_object(text, name)
    except InvalidRequest as error:
        hint = 'such as {"goal": "…"}' if error.code == "not_an_object" else "give one JSON object"
        raise InvalidRequest(error.message, code="invalid_json", hint=hint) from None


def _json_list(text: str, name: str) -> list[Any]:
    try:
        found = parse_json(text, name)
    except InvalidRequest:
        found = None
    if not isinstance(found, list):
        raise InvalidRequest(f"{name} is not a JSON list", code="invalid_json", hint='such as [{"text": "…"}]')
    return found


def _messages(text: str, name: str) -> list[Any]:
    """Return the messages in a text: a JSON list, one JSON object per line, or plain text as one message."""
    if not text.lstrip().startswith(("[", "{")):
        return [{"role": "user", "content": text}] if text.strip() else []
    try:
        found = parse_json(text, name)
    except InvalidRequest:
        return [_json_object(line, name) for line in text.splitlines() if line.strip()]
    return found if isinstance(found, list) else [found]
