"""Examples of operations give the same arguments without a command line as with it."""

import shlex
from typing import Any

from satchel.interfaces.cli.arguments import read_arguments
from satchel.interfaces.cli.parser import parse_command_line
from satchel.interfaces.operations import OPERATIONS, Operation
from satchel.interfaces.operations.examples import example_calls
from tests.tables import each_case


def as_json(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


@each_case("operation", [one for one in OPERATIONS if not one.terminal_only], ids=lambda one: one.name)
def test_an_example_gives_what_the_command_line_reads(operation: Operation) -> None:
    defaults = {one.name: as_json(one.default) for one in operation.parameters if not one.terminal_only}
    for call in example_calls(operation):
        words = shlex.split(call.command)[1:]
        given = read_arguments(operation, parse_command_line(words), lambda: "")
        read = {name: as_json(value) for name, value in given.items() if name in defaults}
        assert defaults | call.arguments == read
