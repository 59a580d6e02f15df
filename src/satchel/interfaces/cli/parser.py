"""The command line's grammar, made from the table of operations."""

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
    "graph": "entities and relations: what has to do with what, and why",
    "conversation": "what was said, whole and summed up, and why what was decided",
    "fact": "what is true of a subject, since when, and what says so",
    "artifacts": "payloads that were too long",
    "observations": "the observational log",
    "docs": "documents: folders of Markdown, text and source code",
    "lifecycle": "retain, decay, archive, revive",
    "tag": "moments of the history by name, and the way back to them",
    "episodes": "what was said, word for word",
    "index": "the derived search index",
    "receipts": "what was done and why",
    "model": "the embedding model",
    "turn": "what a host calls around a turn of its agent",
    "tool": "the memory tools as an agent calls them, to see what it sees",
    "config": "the settings",
    "backends": "what the dispatch router sends questions to",
}
EPILOG = "Exit codes: 0 done, 1 it failed, 2 the request was wrong, 3 the store is newer or damaged."


class Misuse(InvalidRequest):
    """A command line that cannot be understood, with the words of it that could."""

    def __init__(self, message: str, prog: str, hint: str = "") -> None:
        super().__init__(message, code="usage", hint=hint or f"'{prog} --help' shows what it takes")
        self.words = prog.split()[1:]


class Parser(argparse.ArgumentParser):
    """An argument parser that reports mistakes the way everything else here does."""

    def error(self, message: str) -> NoReturn:
        raise Misuse(message, self.prog)


class Help(argparse.RawDescriptionHelpFormatter):
    """Help with its prose in lines that fit, and with examples, which are indented, as they stand."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap  # argparse, too, loads it only for somebody who reads help

        prose = textwrap.TextWrapper(width, break_long_words=False, break_on_hyphens=False)
        return "\n".join(line if line.startswith(" ") else prose.fill(line) for line in text.splitlines())


def understood(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what a command line says. Options that nobody knows are the mistake of the command they were given to."""
    word = _command_word(arguments)
    if word and not _commands(word):
        raise _no_command(word)
    given, unknown = build_parser(word).parse_known_args(_joined(arguments, word))
    if unknown:
        raise Misuse(f"unrecognized arguments: {' '.join(unknown)}", f"satchel {command_of(given._operation)}")
    return given


def meant(error: Exception) -> Operation | None:
    """Return the operation that a misunderstood command line was about, or the first of its group."""
    words = error.words if isinstance(error, Misuse) else []
    if not words:
        return None
    return next((one for one in operations.OPERATIONS if command_of(one).split()[: len(words)] == words), None)


def _no_command(word: str) -> Misuse:
    """Return the mistake of a word that is no command, with the command that it resembles."""
    from difflib import get_close_matches  # only for somebody who has to be helped

    like = get_close_matches(word, sorted({command_of(one).split()[0] for one in _commands("")}), n=1)
    said = f"did you mean '{like[0]}'? " if like else ""
    return Misuse(f"no command is called {word[:80]!r}", "satchel", f"{said}'satchel --help' lists them all")


def _command_word(arguments: Sequence[str]) -> str:
    """Return the first word of a command line that is no option and no option's value; empty when that cannot be told."""
    words = iter(arguments)
    for word in words:
        if word == "--home":
            next(words, None)
        elif not word.startswith("-"):
            return word
    return ""


def _joined(arguments: Sequence[str], word: str) -> list[str]:
    """Return a command line in which two words are one where a command of two begins like one of one: `route stats`."""
    words = list(arguments)
    place = words.index(word) if word in words else len(words)
    both = " ".join(words[place : place + 2])
    if both in _beside(_commands(word)):
        words[place : place + 2] = [both]
    return words


def _beside(commands: Sequence[Operation | Command]) -> set[str]:
    """Return the commands of two words whose first word is a command of its own."""
    names = {command_of(one) for one in commands}
    return {name for name in names if name.rpartition(" ")[0] in names}


def build_parser(word: str = "") -> Parser:
    """Return the parser for every command, or for those that begin with a word if there are any.

    Options common to all may stand anywhere.
    """
    common = _common()
    parser = Parser("satchel", description=DESCRIPTION, epilog=EPILOG, parents=[common], allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"satchel {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    groups: dict[str, Any] = {}
    rows = _commands(word) or _commands("")
    beside = _beside(rows)
    for operation in rows:
        whole = command_of(operation)
        group, _, name = ("", "", whole) if whole in beside else whole.rpartition(" ")
        if group and group not in groups:
            own = isinstance(operation, Operation) and operation.own_database
            parents = [common, _database()] if own else [common]
            inner = commands.add_parser(group, help=GROUPS[group], description=GROUPS[group], parents=parents)
            groups[group] = inner.add_subparsers(title="commands", metavar="COMMAND", required=True)
        _add(groups[group] if group else commands, name, operation, common)
    return parser


def _commands(word: str) -> list[Operation | Command]:
    """Return the commands that begin with a word, which loads no others; or all of them."""
    rows = operations.beginning_with(word) if word else operations.OPERATIONS
    everything: list[Operation | Command] = [*(one for one in rows if not one.own_command), *COMMANDS]
    return [one for one in everything if not word or command_of(one).split()[0] == word]


def command_of(operation: Operation | Command) -> str:
    """Return the words of a command. What is made for agents stands in a group of its own."""
    for_agents = isinstance(operation, Operation) and operation.agents_only
    return f"tool {operation.name}" if for_agents else operation.name


def _common() -> Parser:
    common = Parser(add_help=False)
    # Without a default, an option given before the command is not overwritten by its absence after it.
    common.add_argument("--home", metavar="FOLDER", default=argparse.SUPPRESS, help="folder of the store")
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="answer with one JSON object")
    return common


def _database() -> Parser:
    database = Parser(add_help=False)
    database.add_argument(
        "--db", metavar="FILE", default=argparse.SUPPRESS, help="database to work on, instead of the store"
    )
    return database


def _add(commands: Any, name: str, operation: Operation | Command, common: Parser) -> None:
    own = isinstance(operation, Operation) and operation.own_database
    parser = commands.add_parser(
        name,
        help=operation.help,
        description=f"{operation.help[0].upper()}{operation.help[1:]}. {operation.details}".strip(),
        epilog=operation.epilog if isinstance(operation, Command) else _examples(operation),
        formatter_class=Help,
        parents=[common, _database()] if own else [common],
        allow_abbrev=False,
    )
    parser.set_defaults(_operation=operation)
    if isinstance(operation, Operation) and operation.takes_object:
        parser.add_argument(
            "--input-json",
            metavar="JSON",
            help="the parameters below as one JSON object; '-' reads it from standard input. The answer is JSON, too",
        )
    for parameter in parameters_of(operation):
        _add_parameter(parser, parameter)


def parameters_of(operation: Operation | Command) -> tuple[Parameter, ...]:
    """Return the parameters of a command: those of its operation, and what changes only how the answer is shown."""
    help = EXPLAIN.get(operation.name)
    shown = (Parameter("explain", help, type=bool, default=False),) if help else ()
    return operation.parameters + shown


def _examples(operation: Operation) -> str:
    return "\n  ".join(("examples:", *operation.examples)) if operation.examples else ""


def _add_parameter(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    # argparse would take a bare % in a help text for a format.
    help = explained(parameter).replace("%", "%%")
    if parameter.positional:
        parser.add_argument(
            parameter.name, help=help, nargs=None if parameter.required else "?", metavar=parameter.name.upper()
        )
    elif parameter.type is bool:
        action = "store_false" if parameter.default else "store_true"
        parser.add_argument(parameter.option, dest=parameter.name, action=action, help=help)
    elif parameter.repeated:
        parser.add_argument(
            parameter.option,
            dest=parameter.name,
            action="append",
            type=_parsed_by(parameter),
            help=help,
            choices=parameter.choices or None,
            metavar=None if parameter.choices else _metavar(parameter),
        )
    else:
        shown = f"{help} (default: {parameter.default})" if parameter.default not in (None, ()) else help
        parser.add_argument(
            parameter.option,
            dest=parameter.name,
            type=_parsed_by(parameter),
            default=parameter.default,
            choices=parameter.choices or None,
            metavar=None if parameter.choices else _metavar(parameter),
            help=shown,
        )


def _parsed_by(parameter: Parameter) -> type:
    # An object or a list is parsed later, where a mistake in it can be told apart from one in the command.
    return str if parameter.type in (dict, list) else parameter.type


def explained(parameter: Parameter) -> str:
    """Return a parameter's help, with what only the command line can do about it."""
    stdin = "; '-' reads it from standard input" if parameter.from_stdin else ""
    help = parameter.off if parameter.off and parameter.default else parameter.help
    return help + stdin + ("; may be given several times" if parameter.repeated else "")


def _metavar(parameter: Parameter) -> str:
    return (
        "FILE" if parameter.in_file else {int: "N", float: "X", dict: "JSON", list: "JSON"}.get(parameter.type, "TEXT")
    )
