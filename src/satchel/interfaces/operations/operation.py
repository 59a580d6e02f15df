"""What an operation is, for every edge alike: its name, what it takes, whether it writes, and how it is run."""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct

from satchel.domain.envelope import Ok
from satchel.domain.record import Kind
from satchel.interfaces.objects import json_object
from satchel.interfaces.operations.session import Session
from satchel.interfaces.shapes import Shape


class Parameter(Struct, frozen=True):
    """One parameter of an operation."""

    name: str
    help: str
    type: Callable[[str], Any] = str
    default: Any = None
    required: bool = False
    positional: bool = False
    choices: tuple[str, ...] = ()
    repeated: bool = False
    from_stdin: bool = False
    """Whether '-' means: read it from standard input."""
    flag: str = ""
    """The option's name on the command line, where it differs."""
    only_shown: bool = False
    """Whether it changes how the answer is shown to a person, and nothing else."""
    operator_only: bool = False
    """Whether it is for the person at the keyboard: an edge for agents sets it itself, or leaves the default."""
    file: bool = False
    """Whether it names a file."""
    in_file: bool = False
    """Whether the command line takes the name of a file that holds it; '-' is standard input."""

    @property
    def option(self) -> str:
        """The name on the command line; of what is on unless said otherwise, the way to say so."""
        on = self.type is bool and self.default
        return ("--no-" if on else "--") + (self.flag or self.name).replace("_", "-")


class Operation(Struct, frozen=True):
    """One operation: how it is named, what it takes, whether it writes, and how it is run."""

    name: str
    help: str
    run: Callable[[Session, Mapping[str, Any]], Ok[Any]]
    result: Any
    """The type of the result: what the edges describe it by."""
    writes: bool
    parameters: tuple[Parameter, ...] = ()
    details: str = ""
    examples: tuple[str, ...] = ()
    touches: bool = False
    """Whether it writes down that records were used, and nothing else; where nothing may be written it does without."""
    destructive: bool = False
    """Whether it can take away what was there before."""
    idempotent: bool = False
    """Whether doing it twice changes no more than doing it once. Whatever does not write is so anyway."""
    operator_only: bool = False
    """Whether it is for the person at the keyboard: it concerns the whole store, or agents have a tool of their own."""
    agents_only: bool = False
    """Whether it is a tool for agents: it answers in the shape that a specification fixes."""
    own_command: bool = False
    """Whether the command line has a command of its own for it, which speaks another way."""
    handles_files: bool = False
    """Whether it reads or writes a file: agents may only where the operator gave them a folder for it."""
    shape: Shape | None = None
    """How it answers a program, where a specification fixes that; else in the envelope."""
    takes_object: bool = False
    """Whether its parameters may also be given as the fields of one JSON object, --input-json."""
    own_database: bool = False
    """Whether it may work on a database of its own, which --db or the environment names."""
    terminal_only: bool = False
    """Whether it is for the terminal alone: it is about this machine, its settings, or files that a person names."""
    long: bool = False
    """Whether it may take long: a server does it beside the quick ones, which do not wait for it."""
    served: bool = False
    """Whether the command line lets a running server do it, which has everything loaded."""


def json_text(text: str) -> dict[str, Any]:
    """Return the object that a text holds: the type of a parameter that is one."""
    return json_object(text, "the value")


def json_list(text: str) -> list[Any]:
    """Return the list that a text is the JSON of."""
    value = json.loads(text)
    if not isinstance(value, list):
        raise ValueError("not a list")
    return value


def words(kinds: type[StrEnum]) -> tuple[str, ...]:
    """Return the words of an enumeration, as the choices of a parameter."""
    return tuple(word.value for word in kinds)


def texts(name: str, option: str, help: str) -> Parameter:
    """Return a parameter that may be given several times."""
    return Parameter(name, help, flag=option, repeated=True, default=())


def flag(name: str, help: str, *, operator_only: bool = False) -> Parameter:
    """Return a parameter that is off unless given."""
    return Parameter(name, help, type=bool, default=False, operator_only=operator_only)


SCOPE = Parameter("scope", "scope to work in; the default one if left out")
ALL_SCOPES = flag("all_scopes", "work in every scope: for the operator, not for agents", operator_only=True)
ID = Parameter("id", "id of the memory or observation", required=True, positional=True)
QUARANTINED = Parameter("quarantined", "leave out what is quarantined", type=bool, default=True, operator_only=True)
KINDS = Parameter("kinds", "only memories of this kind", flag="kind", repeated=True, default=(), choices=words(Kind))
