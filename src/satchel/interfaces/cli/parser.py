"""The command line's grammar, made from the table of operations."""

import argparse
from typing import Any, NoReturn

from satchel import __version__
from satchel.errors import InvalidRequest
from satchel.interfaces.cli.commands import COMMANDS, Command
from satchel.interfaces.operations import OPERATIONS, Operation, Parameter

DESCRIPTION = "One memory for every agent you run: local, deterministic, auditable."
GROUPS = {
    "index": "the derived search index",
    "receipts": "what was done and why",
    "model": "the embedding model",
    "artifacts": "payloads that were too long",
    "observations": "the observational log",
    "lifecycle": "retain, decay, archive, revive",
}
EPILOG = "Exit codes: 0 done, 1 it failed, 2 the request was wrong, 3 the store is newer or damaged."


class Parser(argparse.ArgumentParser):
    """An argument parser that reports mistakes the way everything else here does."""

    def error(self, message: str) -> NoReturn:
        raise InvalidRequest(message, code="usage", hint=f"'{self.prog} --help' shows what it takes")


def build_parser() -> Parser:
    """Return the parser for every operation. Options common to all may stand anywhere."""
    common = _common()
    parser = Parser("satchel", description=DESCRIPTION, epilog=EPILOG, parents=[common], allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"satchel {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    groups: dict[str, Any] = {}
    for operation in OPERATIONS:
        group, _, name = operation.name.rpartition(" ")
        if group and group not in groups:
            inner = commands.add_parser(group, help=GROUPS[group], description=GROUPS[group], parents=[common])
            groups[group] = inner.add_subparsers(title="commands", metavar="COMMAND", required=True)
        _add(groups[group] if group else commands, name, operation, common)
    for command in COMMANDS:
        _add(commands, command.name, command, common)
    return parser


def _common() -> Parser:
    common = Parser(add_help=False)
    # Without a default, an option given before the command is not overwritten by its absence after it.
    common.add_argument("--home", metavar="FOLDER", default=argparse.SUPPRESS, help="folder of the store")
    common.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="answer with one JSON object")
    return common


def _add(commands: Any, name: str, operation: Operation | Command, common: Parser) -> None:
    parser = commands.add_parser(
        name,
        help=operation.help,
        description=f"{operation.help[0].upper()}{operation.help[1:]}. {operation.details}".strip(),
        epilog=operation.epilog if isinstance(operation, Command) else _examples(operation),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[common],
        allow_abbrev=False,
    )
    parser.set_defaults(_operation=operation)
    for parameter in operation.parameters:
        _add_parameter(parser, parameter)


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
        parser.add_argument(parameter.option, dest=parameter.name, action="append", help=help, metavar="TEXT")
    else:
        shown = f"{help} (default: {parameter.default})" if parameter.default is not None else help
        parser.add_argument(
            parameter.option,
            dest=parameter.name,
            type=parameter.type,
            default=parameter.default,
            choices=parameter.choices or None,
            metavar=None if parameter.choices else _metavar(parameter),
            help=shown,
        )


def explained(parameter: Parameter) -> str:
    """Return a parameter's help, with what only the command line can do about it."""
    stdin = "; '-' reads it from standard input" if parameter.from_stdin else ""
    return parameter.help + stdin + ("; may be given several times" if parameter.repeated else "")


def _metavar(parameter: Parameter) -> str:
    return {int: "N", float: "X"}.get(parameter.type, "TEXT")  # type: ignore[call-overload, no-any-return]
