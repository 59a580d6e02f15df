"""Mark a method as an operation: the command line, MCP, HTTP and the reference pages are made from its signature.

    @operation("fact timeline", examples=("satchel fact timeline payments",))
    def timeline(self, subject: Annotated[str, Param("what it is about", positional=True)], *, scope: Scope = None):
        '''Show everything that was said of a subject.'''

The first line of the docstring is the short help, the rest the details. A parameter annotated with `Param` can be set
from every interface; any other parameter is for Python callers only. The result type is the `T` of the returned `Ok[T]`.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, TypeVar

from msgspec import Struct

from satchel.domain.media import MEDIA_FILTERS
from satchel.domain.record import Kind, SourceKind, Trust

Function = TypeVar("Function", bound=Callable[..., Any])


class Param(Struct, frozen=True):
    """What the signature alone does not say about a parameter."""

    help: str
    off: str = ""
    """Help of the command line option that turns a switch off; a switch that is on by default must have it."""
    flag: str = ""
    """Option name on the command line, where it differs from the parameter's."""
    metavar: str = ""
    """What the command line calls the value, where the type does not say: FILE, FOLDER or PATH are completed as such."""
    choices: Iterable[str] = ()
    """Allowed values: an enumeration, or a tuple of texts."""
    positional: bool = False
    """Given without an option name on the command line."""
    stdin: bool = False
    """On the command line '-' reads it from standard input."""
    in_file: bool = False
    """The command line takes the name of a file that contains it; '-' is standard input."""
    file: bool = False
    """It names a file."""
    each: bool = False
    """For a list of objects: the option is given once for each object, not once for the list."""
    operator_only: bool = False
    """Only the operator may set it: for an agent the server sets it, or leaves the default."""
    terminal_only: bool = False
    """Only for the terminal and Python: no server takes it."""


class OperationSpec(Struct, frozen=True):
    """What the signature and the docstring alone do not say about an operation; `operation` is its name as a decorator."""

    name: str
    examples: tuple[str, ...] = ()
    writes: bool = False
    touches: bool = False
    """Records which memories were used and writes nothing else; in a read-only store it skips that."""
    destructive: bool = False
    """Can remove or replace what was there before."""
    idempotent: bool = False
    """Doing it twice changes no more than doing it once. Always true of what does not write."""
    operator_only: bool = False
    """Not offered to agents: it concerns the whole store, or agents have a tool of their own for it."""
    agents_only: bool = False
    """A tool for agents, which answers in the shape that a specification fixes."""
    takes_host_input: bool = False
    """A host calls it with input of its own, which is understood as it is; unknown keys are ignored with a warning."""
    own_command: bool = False
    """The command line has a separate command for it, with its own input and output."""
    handles_files: bool = False
    """Reads or writes a file: agents may only where the operator gave them a folder for it."""
    takes_object: bool = False
    """The parameters may also be given as one JSON object, --input-json."""
    own_database: bool = False
    """May work on a database of its own, which --db or the environment names."""
    answers_without_store: bool = False
    """On the command line it answers as from an empty store where the named folder has none, and creates none."""
    terminal_only: bool = False
    """Only for the terminal: it concerns this machine, its settings, or files that a person names."""
    long: bool = False
    """May take long: a server runs it beside the quick ones, which do not wait for it."""
    served: bool = False
    """The command line lets a running server do it, which has everything loaded."""

    def __call__(self, function: Function) -> Function:
        """Mark a function, which stays as it is."""
        function.__dict__[MARK] = self
        return function


operation = OperationSpec
MARK = "__operation__"
"""The attribute of a marked function that holds its specification."""

# Parameters that many operations have

Scope = Annotated[str | None, Param("scope to work in; auto is the project of the folder; the default one if omitted")]
AllScopes = Annotated[bool, Param("work in every scope: for the operator, not for agents", operator_only=True)]
RecordId = Annotated[str, Param("id of the memory or observation", positional=True)]
Quarantined = Annotated[
    bool, Param("include quarantined records", off="leave out quarantined records", operator_only=True)
]
Media = Annotated[str | None, Param("only memories with media of this kind; any for all kinds", choices=MEDIA_FILTERS)]
Kinds = Annotated[Sequence[str], Param("only memories of this kind", flag="kind", choices=Kind)]
Redact = Annotated[
    bool,
    Param(
        "mask secrets such as keys and passwords",
        off="show secrets such as keys and passwords as they are",
        operator_only=True,
    ),
]
DryRun = Annotated[bool, Param("write nothing, only show what would be done")]
Channel = Annotated[str, Param("channel it came through", choices=SourceKind, operator_only=True)]
LoweredTrust = Annotated[
    str | None, Param("lower the trust that its channel gives; never raises it", choices=Trust, operator_only=True)
]
