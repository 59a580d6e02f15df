"""Build the argument parser from the table of commands, and parse command lines."""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NoReturn

from satchel import __version__
from satchel.interfaces import operations
from satchel.interfaces.cli.commands import Command
from satchel.interfaces.cli.mistakes import (
    UsageError,
    missing_arguments,
    unexpected_words,
    unknown_command,
    unknown_option,
)
from satchel.interfaces.cli.overview import SUMMARIES, overview
from satchel.interfaces.cli.table import (
    COMMON_OPTIONS,
    INPUT_JSON,
    command_name,
    command_parameters,
    commands_beginning,
    description,
    extending_commands,
    further_options,
    group_options,
    option_help,
    positional_name,
    value_name,
)
from satchel.interfaces.operations import Operation, Parameter

# How argparse begins its message about arguments that are missing.
_MISSING = "the following arguments are required: "
_TAKING_A_VALUE = ("--home", "--store", "--db", "--url")
_HELP = ("-h", "--help")
_ANY_WIDTH = 10_000


class Parser(argparse.ArgumentParser):
    """An argument parser that raises errors instead of exiting."""

    example = ""
    """Shown when an argument is missing."""

    def __init__(self, **options: Any) -> None:
        # argparse makes a formatter for every option it adds; measuring the terminal for it loads slow modules.
        options["formatter_class"] = partial(HelpFormatter, width=_ANY_WIDTH)
        super().__init__(**options)

    def format_help(self) -> str:
        """Return the help, as wide as the terminal."""
        self.formatter_class = HelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        if message.startswith(_MISSING):
            raise missing_arguments(message.removeprefix(_MISSING), self.prog, self.example)
        raise UsageError(message, self.prog)


class WholeParser(Parser):
    """The parser of the whole program, whose help is the overview."""

    def format_help(self) -> str:
        """Return the overview of all commands."""
        return overview()


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps prose and keeps indented lines, which are examples, as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # slow to import, and needed only for help

        prose = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
        return "\n".join(line if line.startswith(" ") else prose.fill(line) for line in text.splitlines())


def parse_command_line(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line, or raise UsageError. `_operation` of the namespace is the operation or command.

    A group of commands without a command prints its help.
    """
    places = list(_words(arguments))
    if not places:
        _check_options(arguments, {"--version", *_names(COMMON_OPTIONS)}, "satchel")
        return _parse(build_parser(), arguments)
    place, word = places[0]
    _check_options(arguments[:place], {"--version", *_names(COMMON_OPTIONS)}, "satchel")
    rows = commands_beginning(word) if word else []
    if not rows:
        names = {*SUMMARIES, *(command_name(one) for one in commands_beginning())}
        raise unknown_command(word, names)
    parser, words = build_parser(word), list(arguments)
    if _repeats_list(places, rows):
        del words[places.pop(1)[0]]
    if operation := _named(places, rows):
        name = command_name(operation)
        known = _names((*further_options(operation), *command_parameters(operation)))
        _check_options(words[place:], known, f"satchel {name}", {command_name(one) for one in rows})
        if name in extending_commands(rows):
            # argparse cannot have `route` as a command and as a group.
            words[place : place + 2] = [name]
        return _parse(parser, words)
    if len(places) > 1:
        second, name = places[1]
        _check_options(words[place:second], _names(group_options(rows[0])), f"satchel {word}")
        raise unknown_command(name, {command_name(one) for one in rows}, word)
    # A program that wants JSON gets an error, which is JSON.
    return _parse(parser, words if "--json" in words else [*words, "--help"])


def intended_operation(error: Exception) -> Operation | None:
    """Return the operation of a command line that could not be parsed, or the first one of its group."""
    words = error.words if isinstance(error, UsageError) else []
    if not words:
        return None
    return next((one for one in operations.OPERATIONS if command_name(one).split()[: len(words)] == words), None)


def _parse(parser: Parser, arguments: Sequence[str]) -> argparse.Namespace:
    given, unknown = parser.parse_known_args(arguments)
    if unknown:
        # argparse itself would not name the subcommand.
        operation = given._operation
        raise unexpected_words(unknown, f"satchel {command_name(operation)}", command_parameters(operation))
    return given


def _repeats_list(places: Sequence[tuple[int, str]], rows: Sequence[Operation | Command]) -> bool:
    """Return whether `list` follows a command of a group that lists by itself: `scopes list` means `scopes`."""
    found = {command_name(one): one for one in rows}
    (_, word), *rest = places
    if [name for _, name in rest[:1]] != ["list"] or word not in found or f"{word} list" in found or len(found) == 1:
        return False
    return not any(one.positional for one in found[word].parameters)


def _words(arguments: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the words that are not options, nor the value of an option that may come before the command."""
    places = iter(enumerate(arguments))
    for place, word in places:
        if word in _TAKING_A_VALUE:
            next(places, None)
        elif not word.startswith("-"):
            yield place, word


def _named(places: Sequence[tuple[int, str]], rows: Sequence[Operation | Command]) -> Operation | Command | None:
    """Return the command that the first two words name, or else the first word."""
    found = {command_name(one): one for one in rows}
    (first, word), *rest = places
    for second, name in rest[:1]:
        # In `route --trace stats` the last word is the question.
        if word not in found or second == first + 1:
            word = f"{word} {name}" if f"{word} {name}" in found else word
    return found.get(word)


def _names(parameters: Iterable[Parameter]) -> set[str]:
    return {*_HELP, *(one.option for one in parameters if not one.positional)}


def _check_options(arguments: Sequence[str], known: set[str], prog: str, commands: Iterable[str] = ()) -> None:
    """Reject the first unknown option. argparse would complain about a missing argument instead, and suggest nothing."""
    for word in arguments:
        if word == "--":
            return
        if _looks_like_option(word) and word.partition("=")[0] not in known:
            raise unknown_option(word, known, prog, commands)


def _looks_like_option(word: str) -> bool:
    """Return whether argparse takes a word for an option: not a text with a space, and no negative number."""
    return len(word) > 1 and word[0] == "-" and " " not in word and not word[1:].replace(".", "", 1).isdigit()


def build_parser(word: str = "") -> Parser:
    """Return the parser of the commands that begin with a word, or of all commands.

    Common options are accepted before and after the command.
    """
    parser = WholeParser(prog="satchel", parents=[_parent(*COMMON_OPTIONS)], allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"satchel {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)
    groups: dict[str, Any] = {}
    rows = commands_beginning(word)
    ungrouped = extending_commands(rows)
    for operation in rows:
        whole = command_name(operation)
        group, _, name = ("", "", whole) if whole in ungrouped else whole.rpartition(" ")
        parents = [_parent(*group_options(operation))]
        if group and group not in groups:
            groups[group] = _add_group(commands, group, parents)
        related = [one for one in ungrouped if one.startswith(f"{whole} ")]
        _add_command(groups[group] if group else commands, name, operation, parents, related)
    return parser


def _parent(*options: Parameter) -> Parser:
    """Return a parser of options that may come before and after the command."""
    parent = Parser(add_help=False)
    for option in options:
        # A default would overwrite an option given before the command when it is absent after it.
        kind = {"action": "store_true"} if option.type is bool else {"metavar": option.metavar}
        parent.add_argument(option.option, default=argparse.SUPPRESS, help=option.help, **kind)  # type: ignore[arg-type]
    return parent


def _add_group(commands: Any, group: str, parents: Sequence[Parser]) -> Any:
    summary = SUMMARIES[group]
    parser = commands.add_parser(
        group,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=f"'satchel help {group} COMMAND' explains a command and shows examples.",
        parents=parents,
        allow_abbrev=False,
    )
    return parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _add_command(
    commands: Any, name: str, operation: Operation | Command, parents: Sequence[Parser], related: Sequence[str]
) -> None:
    parser = commands.add_parser(
        name,
        help=operation.help,
        description=description(operation),
        epilog=_epilog(operation, related),
        parents=parents,
        allow_abbrev=False,
    )
    parser.set_defaults(_operation=operation)
    parser.example = next(iter(operation.examples), "")
    if INPUT_JSON in further_options(operation):
        parser.add_argument(INPUT_JSON.option, metavar=INPUT_JSON.metavar, help=INPUT_JSON.help)
    for parameter in command_parameters(operation):
        _add_parameter(parser, parameter)


def _epilog(operation: Operation | Command, related: Sequence[str]) -> str:
    title = "examples:" if len(operation.examples) > 1 else "example:"
    examples = "\n  ".join((title, *operation.examples)) if operation.examples else ""
    more = operation.epilog if isinstance(operation, Command) else ""
    see_also = "\n".join(f"see also: satchel {name}" for name in related)
    return "\n\n".join(filter(None, (examples, more, see_also)))


def _add_parameter(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    # argparse expands % in help texts.
    help = option_help(parameter).replace("%", "%%")
    if parameter.positional:
        nargs = ("+" if parameter.required else "*") if parameter.repeated else None if parameter.required else "?"
        default = None if parameter.required or parameter.repeated else parameter.default
        parser.add_argument(parameter.name, help=help, nargs=nargs, default=default, metavar=positional_name(parameter))
        return
    if parameter.type is bool:
        action = "store_false" if parameter.default else "store_true"
        parser.add_argument(parameter.option, dest=parameter.name, action=action, default=parameter.default, help=help)
        return
    if not parameter.repeated and parameter.default not in (None, ()):
        help += f" (default: {parameter.default})"
    parser.add_argument(
        parameter.option,
        dest=parameter.name,
        action="append" if parameter.repeated else "store",
        # Objects and lists are parsed later, for an error that says what is wrong with the JSON.
        type=str if parameter.type in (dict, list) else parameter.type,
        default=None if parameter.repeated else parameter.default,
        choices=parameter.choices or None,
        metavar=None if parameter.choices else value_name(parameter),
        help=help,
    )
