"""What can be completed after each command: its subcommands, options and arguments."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from satchel.interfaces.cli.commands import Command
from satchel.interfaces.cli.overview import SUMMARIES
from satchel.interfaces.cli.table import (
    COMMON_OPTIONS,
    command_name,
    command_parameters,
    commands_beginning,
    further_options,
    group_options,
    option_help,
    value_name,
)
from satchel.interfaces.operations import Operation, Parameter

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
    commands = {command_name(one): one for one in commands_beginning()}
    whole = Node("", tuple(SUMMARIES.items()), (*_options(COMMON_OPTIONS), Option("--version", "show the version")))
    # The options of a group are those of each of its commands.
    groups = {word: one for name, one in commands.items() if (word := name.split()[0]) not in commands}
    return [
        whole,
        *(Node(word, _next_words(word, commands), _options(group_options(one))) for word, one in groups.items()),
        *(_command_node(name, one, commands) for name, one in commands.items()),
    ]


def _command_node(name: str, command: Operation | Command, commands: Mapping[str, Operation | Command]) -> Node:
    return Node(
        name,
        _next_words(name, commands),
        _options((*further_options(command), *command_parameters(command))),
        tuple(_values(parameter) for parameter in command.parameters if parameter.positional),
    )


def _next_words(words: str, commands: Mapping[str, Operation | Command]) -> tuple[tuple[str, str], ...]:
    start = f"{words} "
    return tuple((name.removeprefix(start), one.help) for name, one in commands.items() if name.startswith(start))


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
