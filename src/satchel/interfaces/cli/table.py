"""The commands, from the table of operations: their names, options and help, for the parser, completion and docs."""

from collections.abc import Iterable

from satchel.interfaces import operations
from satchel.interfaces.cli.commands import COMMANDS, Command
from satchel.interfaces.cli.erasing import ASKING_COMMANDS
from satchel.interfaces.cli.views.lookup import EXPLAIN
from satchel.interfaces.operations import Operation, Parameter

HOME = Parameter(name="home", help="folder of the store", metavar="FOLDER")
JSON = Parameter(name="json", help="answer with one JSON object", type=bool, default=False)
STORE = Parameter(name="store", help="database of the store, as postgresql://user@host/database", metavar="ADDRESS")
URL = Parameter(
    name="url", help="let a server on another machine do it, with the token in SATCHEL_TOKEN", metavar="URL"
)
COMMON_OPTIONS = (HOME, STORE, JSON, URL)
"""The options that every command takes, in any position."""
DATABASE = Parameter(name="db", help="database to use instead of the store", metavar="FILE")
"""Of the commands that may work on a database of their own."""
YES = Parameter(name="yes", help="do not ask at a terminal", type=bool, default=False)
"""Of the commands that erase for good."""
INPUT_JSON = Parameter(
    name="input_json",
    help="the parameters below as one JSON object; '-' reads it from standard input. Answers in JSON",
    metavar="JSON",
)


def commands_beginning(word: str = "") -> list[Operation | Command]:
    """Return the commands that begin with a word, loading no other area; all commands if it is empty."""
    rows = operations.operations_near(word) if word else operations.OPERATIONS
    commands: list[Operation | Command] = [*(one for one in rows if not one.own_command), *COMMANDS]
    return [one for one in commands if not word or command_name(one).split()[0] == word]


def extending_commands(commands: Iterable[Operation | Command]) -> set[str]:
    """Return the commands of two words whose first word is a command too."""
    names = {command_name(one) for one in commands}
    return {name for name in names if name.rpartition(" ")[0] in names}


def command_name(operation: Operation | Command) -> str:
    """Return the words of a command. The tools of agents are in the group `tool`."""
    for_agents = isinstance(operation, Operation) and operation.agents_only
    return f"tool {operation.name}" if for_agents else operation.name


def command_parameters(operation: Operation | Command) -> tuple[Parameter, ...]:
    """Return the parameters of a command: those of its operation, --explain if its view has it, --yes if it asks first."""
    help = EXPLAIN.get(operation.name)
    explain = (Parameter(name="explain", help=help, type=bool, default=False),) if help else ()
    return operation.parameters + explain + ((YES,) if command_name(operation) in ASKING_COMMANDS else ())


def group_options(operation: Operation | Command) -> tuple[Parameter, ...]:
    """Return the options that a command takes before and after its last word."""
    own_database = isinstance(operation, Operation) and operation.own_database
    return (*COMMON_OPTIONS, DATABASE) if own_database else COMMON_OPTIONS


def further_options(operation: Operation | Command) -> tuple[Parameter, ...]:
    """Return the options that a command takes besides its parameters."""
    takes_object = isinstance(operation, Operation) and operation.takes_object
    return (*group_options(operation), INPUT_JSON) if takes_object else group_options(operation)


def description(operation: Operation | Command) -> str:
    """Return what a command does: its help as a sentence, then the details."""
    return f"{operation.help[0].upper()}{operation.help[1:]}. {operation.details}".strip()


def positional_name(parameter: Parameter) -> str:
    """Return the name of a parameter that is given without an option."""
    return (parameter.flag or parameter.name).upper()


def typed_name(parameter: Parameter) -> str:
    """Return how a person types a parameter: as an option, or by its place."""
    return positional_name(parameter) if parameter.positional else parameter.option


def option_help(parameter: Parameter) -> str:
    """Return a parameter's help for the command line."""
    stdin = "; '-' reads it from standard input" if parameter.stdin else ""
    help = parameter.off if parameter.turns_off else parameter.help
    return help + stdin + ("; may be given several times" if parameter.repeated else "")


def value_name(parameter: Parameter) -> str:
    """Return what the help calls the value of an option."""
    if parameter.metavar or parameter.in_file or parameter.file:
        return parameter.metavar or "FILE"
    return {int: "N", float: "X", dict: "JSON", list: "JSON"}.get(parameter.type, "TEXT")
