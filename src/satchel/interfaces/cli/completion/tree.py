"""What can be completed after each command: its subcommands, options and arguments."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from satchel.interfaces.cli.overview import SUMMARIES
from satchel.interfaces.cli.table import (
    COMMON_OPTIONS,
    command_name,
    command_parameters,
    commands_beginning,
    further_options,
    option_help,
    value_name,
)
from satchel.interfaces.operations import Parameter

FILES, FOLDERS = "@files", "@folders"
"""Values that the shell completes by its own means."""
_NAMES = {"FILE": FILES, "PATH": FILES, "FOLDER": FOLDERS}


class Option(NamedTuple):
    """An option of a command."""

    name: str
    help: str
    takes_value: bool = False
    values: tuple[str, ...] = ()
    """What its value can be, or how the shell completes it; empty if the value is free."""


class Node(NamedTuple):
    """A command, a group of commands, or the whole program."""

    words: str
    """The words that lead to it; empty for the program."""
    commands: tuple[tuple[str, str], ...] = ()
    """The next word of the commands that begin with these words, each with its help."""
    options: tuple[Option, ...] = ()
    arguments: tuple[tuple[str, ...], ...] = ()
    """What each argument can be, or how the shell completes it; empty if it is free."""

    def values(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield each option and each place of an argument, `#1` for the first, that has values to complete."""
        yield from ((option.name, option.values) for option in self.options if option.values)
        yield from ((f"#{place}", values) for place, values in enumerate(self.arguments, 1) if values)


_HELP = Option("--help", "show the help of the command")


def command_tree() -> list[Node]:
    """Return the program and every group and command."""
    rows = commands_beginning()
    names = {command_name(one) for one in rows}
    leaves = [
        Node(
            command_name(one),
            _next_words(command_name(one), ((command_name(other), other.help) for other in rows)),
            _options((*further_options(one), *command_parameters(one))),
            tuple(_values(parameter) for parameter in one.parameters if parameter.positional),
        )
        for one in rows
    ]
    groups = {name.split()[0]: one for one in rows if (name := command_name(one)).split()[0] not in names}
    summaries = [(command_name(one), one.help) for one in rows]
    return [
        Node("", tuple(SUMMARIES.items()), (*_options(COMMON_OPTIONS), Option("--version", "show the version"))),
        *(Node(word, _next_words(word, summaries), _options(COMMON_OPTIONS)) for word in groups),
        *leaves,
    ]


def _next_words(words: str, commands: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name.split()[1], help) for name, help in commands if name.rpartition(" ")[0] == words and " " in name)


def _options(parameters: Sequence[Parameter]) -> tuple[Option, ...]:
    options = (
        Option(one.option, option_help(one), one.type is not bool, _values(one))
        for one in parameters
        if not one.positional
    )
    return (*options, _HELP)


def _values(parameter: Parameter) -> tuple[str, ...]:
    if parameter.choices:
        return parameter.choices
    completed = _NAMES.get(value_name(parameter))
    return (completed,) if completed else ()
