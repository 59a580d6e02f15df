"""Read the example commands of an operation as arguments, for interfaces without a command line."""

import json
import shlex
from collections.abc import Iterator
from typing import Any, NamedTuple

from satchel.interfaces.operations.operation import Operation, Parameter

# They change what a terminal shows, not what is done.
_SHOWING = frozenset({"--json", "--explain", "--yes"})
_INPUT = "--input-json"


class ExampleCall(NamedTuple):
    """An example command, and the arguments that it gives."""

    command: str
    arguments: dict[str, Any]


def example_calls(operation: Operation) -> Iterator[ExampleCall]:
    """Yield the examples of an operation whose arguments stand in the command, and not in a file or a pipe."""
    for command in operation.examples:
        arguments = _arguments(operation, shlex.split(command))
        if arguments is not None:
            yield ExampleCall(command, arguments)


def _arguments(operation: Operation, words: list[str]) -> dict[str, Any] | None:
    start = ["satchel", *(["tool"] if operation.agents_only else []), *operation.name.split()]
    if words[: len(start)] != start or {"|", "<", ">", "-"} & set(words):
        return None
    options = {one.option: one for one in operation.parameters if not one.positional}
    places = [one for one in operation.parameters if one.positional]
    given: dict[str, Any] = {}
    rest = iter(words[len(start) :])
    for word in rest:
        if word in _SHOWING:
            continue
        if word == _INPUT:
            given |= json.loads(next(rest))
            continue
        parameter = options.get(word) if word.startswith("--") else places[0] if places else None
        if parameter is None or parameter.in_file:
            return None
        value = word if parameter.positional else not parameter.default if parameter.type is bool else next(rest)
        if parameter.terminal_only:
            continue
        if parameter.repeated:
            given.setdefault(parameter.name, []).append(_value(parameter, value))
        else:
            given[parameter.name] = _value(parameter, value)
            places = places[1:] if parameter.positional else places
    return given


def _value(parameter: Parameter, value: Any) -> Any:
    """Return a word of a command as the JSON value of its parameter."""
    return json.loads(value) if parameter.type in (int, float, dict, list) else value
