"""Build the argument parser from the table of operations, and parse command lines."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from satchel import __version__
from satchel.errors import InvalidRequest
from satchel.interfaces import operations
from satchel.interfaces.cli.commands import COMMANDS, Command
from satchel.interfaces.cli.views.lookup import EXPLAIN
from satchel.interfaces.operations import Operation, Parameter

DESCRIPTION = "One memory for every agent you run: local, deterministic, auditable."
GROUPS = {
    "attention": "working memory for the steps of an agent",
    "graph": "entities and relations: what is connected with what, and why",
    "conversation": "whole conversations, their summaries, and why something was decided",
    "fact": "what is true of a subject, since when, and which source says so",
    "artifacts": "payloads that were too long for an event",
    "observations": "the observational log",
    "docs": "documents: folders of Markdown, text and source code",
    "lifecycle": "retain, decay, archive, revive",
    "tag": "name points in the history, and restore them",
    "episodes": "what was said, verbatim",
    "index": "the derived search index",
    "receipts": "what was done and why",
    "model": "the embedding models",
    "turn": "what a host calls before and after a turn of its agent",
    "tool": "call a memory tool as an agent does, to see what it sees",
    "config": "the settings",
    "backends": "the backends of the dispatch router",
}
EPILOG = "Exit codes: 0 done, 1 failed, 2 invalid request, 3 the store is newer or damaged."


class UsageError(InvalidRequest):
    """A command line that cannot be parsed, with the command words that could."""

    def __init__(self, message: str, prog: str, hint: str = "") -> None:
        super().__init__(message, code="usage", hint=hint or f"see '{prog} --help'")
        self.words = prog.split()[1:]


class Parser(argparse.ArgumentParser):
    """An argument parser that raises errors instead of exiting."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.prog)


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps prose and keeps indented lines, which are examples, as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # slow to import, and needed only for help

        prose = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
        return "\n".join(line if line.startswith(" ") else prose.fill(line) for line in text.splitlines())


def parse_command_line(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line, or raise UsageError. `_operation` of the namespace is the operation or command."""
    word = _first_word(arguments)
    if word and not _commands(word):
        raise _unknown_command(word)
    given, unknown = build_parser(word).parse_known_args(_join_command(arguments, word))
    if unknown:
        # argparse itself would not name the subcommand.
        raise UsageError(f"unrecognized arguments: {' '.join(unknown)}", f"satchel {command_name(given._operation)}")
    return given


def intended_operation(error: Exception) -> Operation | None:
    """Return the operation of a command line that could not be parsed, or the first one of its group."""
    words = error.words if isinstance(error, UsageError) else []
    if not words:
        return None
    return next((one for one in operations.OPERATIONS if command_name(one).split()[: len(words)] == words), None)


def _unknown_command(word: str) -> UsageError:
    from difflib import get_close_matches  # slow to import, and needed only for this error

    similar = get_close_matches(word, sorted({command_name(one).split()[0] for one in _commands("")}), n=1)
    suggestion = f"did you mean '{similar[0]}'? " if similar else ""
    return UsageError(f"unknown command {word[:80]!r}", "satchel", f"{suggestion}'satchel --help' lists all")


def _first_word(arguments: Sequence[str]) -> str:
    """Return the first word that is neither an option nor the value of --home; empty if there is none."""
    words = iter(arguments)
    for word in words:
        if word == "--home":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def _join_command(arguments: Sequence[str], word: str) -> list[str]:
    """Join the words of a command like `route stats`, since argparse cannot have `route` as command and as group."""
    words = list(arguments)
    place = words.index(word) if word in words else len(words)
    both = " ".join(words[place : place + 2])
    if both in _extending_commands(_commands(word)):
        words[place : place + 2] = [both]
    return words


def _extending_commands(commands: Sequence[Operation | Command]) -> set[str]:
    """Return the commands of two words whose first word is a command too."""
    names = {command_name(one) for one in commands}
    return {name for name in names if name.rpartition(" ")[0] in names}


def build_parser(word: str = "") -> Parser:
    """Return the parser of the commands that begin with a word, or of all commands.

    Common options are accepted before and after the command.
    """
    common = _common_options()
    parser = Parser("satchel", description=DESCRIPTION, epilog=EPILOG, parents=[common], allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"satchel {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    groups: dict[str, Any] = {}
    rows = _commands(word) or _commands("")
    ungrouped = _extending_commands(rows)
    for operation in rows:
        whole = command_name(operation)
        group, _, name = ("", "", whole) if whole in ungrouped else whole.rpartition(" ")
        own_database = isinstance(operation, Operation) and operation.own_database
        parents = [common, _database_option()] if own_database else [common]
        if group and group not in groups:
            inner = commands.add_parser(group, help=GROUPS[group], description=GROUPS[group], parents=parents)
            groups[group] = inner.add_subparsers(title="commands", metavar="COMMAND", required=True)
        _add_command(groups[group] if group else commands, name, operation, parents)
    return parser


def _commands(word: str) -> list[Operation | Command]:
    """Return the commands that begin with a word, loading no other area; all commands if it is empty."""
    rows = operations.operations_near(word) if word else operations.OPERATIONS
    commands: list[Operation | Command] = [*(one for one in rows if not one.own_command), *COMMANDS]
    return [one for one in commands if not word or command_name(one).split()[0] == word]


def command_name(operation: Operation | Command) -> str:
    """Return the words of a command. The tools of agents are in the group `tool`."""
    for_agents = isinstance(operation, Operation) and operation.agents_only
    return f"tool {operation.name}" if for_agents else operation.name


def _common_options() -> Parser:
    common = Parser(add_help=False)
    # A default would overwrite an option given before the command when it is absent after it.
    common.add_argument("--home", metavar="FOLDER", default=argparse.SUPPRESS, help="folder of the store")
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="answer with one JSON object")
    return common


def _database_option() -> Parser:
    database = Parser(add_help=False)
    database.add_argument(
        "--db", metavar="FILE", default=argparse.SUPPRESS, help="database to use instead of the store"
    )
    return database


def _add_command(commands: Any, name: str, operation: Operation | Command, parents: Sequence[Parser]) -> None:
    parser = commands.add_parser(
        name,
        help=operation.help,
        description=f"{operation.help[0].upper()}{operation.help[1:]}. {operation.details}".strip(),
        epilog=operation.epilog if isinstance(operation, Command) else _examples(operation),
        formatter_class=HelpFormatter,
        parents=parents,
        allow_abbrev=False,
    )
    parser.set_defaults(_operation=operation)
    if isinstance(operation, Operation) and operation.takes_object:
        parser.add_argument(
            "--input-json",
            metavar="JSON",
            help="the parameters below as one JSON object; '-' reads it from standard input. Answers in JSON",
        )
    for parameter in command_parameters(operation):
        _add_parameter(parser, parameter)


def command_parameters(operation: Operation | Command) -> tuple[Parameter, ...]:
    """Return the parameters of a command: those of its operation, and --explain if its view has it."""
    help = EXPLAIN.get(operation.name)
    return operation.parameters + ((Parameter(name="explain", help=help, type=bool, default=False),) if help else ())


def _examples(operation: Operation) -> str:
    return "\n  ".join(("examples:", *operation.examples)) if operation.examples else ""


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
        metavar=None if parameter.choices else _metavar(parameter),
        help=help,
    )


def positional_name(parameter: Parameter) -> str:
    """Return the name of a parameter that is given without an option."""
    return (parameter.flag or parameter.name).upper()


def option_help(parameter: Parameter) -> str:
    """Return a parameter's help for the command line."""
    stdin = "; '-' reads it from standard input" if parameter.stdin else ""
    help = parameter.off if parameter.off and parameter.default else parameter.help
    return help + stdin + ("; may be given several times" if parameter.repeated else "")


def _metavar(parameter: Parameter) -> str:
    if parameter.in_file:
        return "FILE"
    return {int: "N", float: "X", dict: "JSON", list: "JSON"}.get(parameter.type, "TEXT")
