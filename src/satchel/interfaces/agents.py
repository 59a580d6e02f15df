"""Run operations for agents and other clients, within the bounds that the operator set."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.config import is_debugging
from satchel.core.audience import read_by_agent
from satchel.core.reach_limit import limited_to
from satchel.domain.access import actor_name
from satchel.domain.envelope import Ok
from satchel.domain.record import SourceKind
from satchel.domain.scope import fallback_scopes, resolve_scope
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, Refused, SatchelError
from satchel.interfaces import operations
from satchel.interfaces.arguments import check_arguments
from satchel.interfaces.failures import system_error
from satchel.interfaces.hooks.host_input import turn_arguments
from satchel.interfaces.operations import Operation, Parameter, Session, operations_in

EVERYDAY_TOOLS = (
    "memory_store",
    "memory_recall",
    "memory_forget",
    "memory_list",
    "memory_get",
    "memory_pack",
    "memory_docs_search",
)
"""The tools that an MCP server offers by default: a model reads the schemas of all it is offered, in every request."""
ALL_TOOLS = "all"
FOR_USERS = ("store", "recall", "get", "list", "forget", "pack")
"""The operator's operations that every user has, within an agent's limits: a person types these."""
# Parameters that lead out of the scope of a call.
_BEYOND_THE_SCOPE = frozenset({"all_scopes", "elsewhere", "fallback", "verify"})
# Parameters that name files or folders on the server's machine, which are none of a user's.
_ON_THE_SERVER = frozenset({"file", "cwd", "lossless"})
# Parameters with one record in each line.
_BATCHES = ("events", "lines")
# Maximum length of the name under which a client's memories are stored.
MAX_CLIENT_CHARS = 100

_log = logging.getLogger(__name__)


class Bounds(Struct, frozen=True):
    """What the operator fixed when starting the server. No request can widen it."""

    scope: str | None = None
    """The scope of every call; None lets the agent choose."""
    read_only: bool = False
    folder: Path | None = None
    """Where tools may read and write files; None forbids files."""
    only: tuple[str, ...] = ()
    """The tools to offer; empty offers all."""
    follows_project: bool = False
    """The scope is the project's, so that recalls may fall back to global."""
    operator: bool = False
    """An operator is asking: the operator's operations and parameters may be used."""
    scopes: tuple[str, ...] = ()
    """The scopes to choose from, the first one by default; empty allows every scope."""
    token: str = ""
    """The name of the token that was sent; empty if it came with the local operator's."""
    user: str = ""
    """The user that the token belongs to; empty if it belongs to none."""

    @property
    def is_local(self) -> bool:
        """Whether the operator of this machine is asking, who may do everything."""
        return self.operator and not self.token

    @property
    def may_inspect(self) -> bool:
        """Whether the inspector is open to the sender: its pages show every scope to an operator."""
        return self.operator and not self.scopes

    @property
    def limited_as(self) -> str:
        """Under which name requests and records are counted: the user's, or the token's; empty for the local operator."""
        return self.actor.partition("/")[0]

    @property
    def actor(self) -> str:
        """How history and receipts name who sent the token; empty if there is none."""
        return actor_name(self.user, self.token) if self.token else ""


def as_agent(sender: Bounds, agents: Bounds) -> Bounds:
    """Return the bounds of an agent that works for the sender; `agents` are those of the local operator's agents."""
    return agents if sender.is_local else replace(sender, operator=False)


def tool_name(operation: Operation) -> str:
    """Return the name of an operation's tool."""
    return operation.name.replace(" ", "_").replace("-", "_")


class _Tools(Mapping[str, Operation]):
    """The operations that are tools, by tool name. The memory tools load little beside themselves."""

    def __getitem__(self, name: str) -> Operation:
        return _memory_tools().get(name) or _all_tools()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_all_tools())

    def __len__(self) -> int:
        return len(_all_tools())


@cache
def _all_tools() -> Mapping[str, Operation]:
    return _tools_among(operations.OPERATIONS)


@cache
def _memory_tools() -> Mapping[str, Operation]:
    return _tools_among(operations_in("tools"))


def _tools_among(found: Iterable[Operation]) -> Mapping[str, Operation]:
    return {tool_name(one): one for one in found if not one.operator_only}


TOOLS: Mapping[str, Operation] = _Tools()
"""The operations that are tools, by tool name."""


def chosen_tools(values: Sequence[str]) -> tuple[str, ...]:
    """Return the tools that the values of --tools choose: each is a name, several with commas between, or "all".

    Without any, the everyday ones. Raises InvalidRequest for a name that is not a tool.
    """
    if not values:
        return EVERYDAY_TOOLS
    names = [name.strip() for value in values for name in value.split(",")]
    for name in names:
        if name not in TOOLS and name != ALL_TOOLS:
            raise InvalidRequest(f"unknown tool {name[:40]!r}", code="unknown_word", hint=_suggested_tools(name))
    return tuple(TOOLS) if ALL_TOOLS in names else tuple(dict.fromkeys(names))


def _suggested_tools(name: str) -> str:
    from difflib import get_close_matches  # slow to import, and needed only for this error

    close = get_close_matches(name, TOOLS, n=3)
    return f"did you mean {' or '.join(close)}?" if close else f"{ALL_TOOLS}, or some of: {', '.join(TOOLS)}"


def offered_tools(bounds: Bounds) -> dict[str, Operation]:
    """Return the tools that these bounds allow, by name."""
    few = bounds.only and set(bounds.only) <= _memory_tools().keys()
    tools = _memory_tools() if few else _all_tools()
    return {name: operation for name, operation in tools.items() if refusal_of(operation, bounds) is None}


def refusal_of(operation: Operation, bounds: Bounds) -> Refused | None:
    """Return why these bounds forbid an operation; None if they allow it."""
    hint = "ask the person who set up this server"
    if operation.operator_only and not (bounds.operator or (bounds.user and operation.name in FOR_USERS)):
        own = f"memory_{tool_name(operation)}"
        return operator_only(operation.name, f"call {own} instead" if own in TOOLS else hint)
    if bounds.operator and bounds.scopes and not takes_scope(operation):
        what = f"{operation.name} concerns every scope"
        return Refused(what, code="whole_store", hint=f"your rights cover {', '.join(bounds.scopes)}; {hint}")
    if bounds.only and (name := tool_name(operation)) not in bounds.only:
        how = f"{hint} to offer it: satchel mcp --tools {ALL_TOOLS}, or --tools with a list that contains {name}"
        return Refused(f"this server does not offer {name}", code="not_offered", hint=how)
    if bounds.read_only and (operation.writes or operation.handles_files):
        what = "this token" if bounds.token else "this server"
        return Refused(f"{what} is read-only", code="readonly_mode", hint=hint)
    if operation.handles_files and bounds.folder is None:
        return Refused("this server has no folder for files", code="no_folder", hint=hint)
    return None


def takes_scope(operation: Operation) -> bool:
    """Return whether the caller of an operation can choose its scope."""
    return any(one.name == "scope" for one in operation.parameters)


def operator_only(name: str, hint: str) -> Refused:
    """Return the refusal of what only the operator may ask for."""
    return Refused(f"{name} is for the operator only", code="operator_only", hint=hint)


def in_scope(bounds: Bounds, scope: str | None) -> Bounds:
    """Return the bounds of a call that names a scope, or none. Raises Refused if the scope is not one to choose from."""
    if not bounds.scopes:
        return bounds if scope is None else replace(bounds, scope=scope)
    if scope is not None and scope not in bounds.scopes:
        hint = f"use {' or '.join(bounds.scopes)}"
        raise Refused("this token may not be used in that scope", code="scope_refused", hint=hint)
    return replace(bounds, scope=scope or bounds.scopes[0], scopes=())


def settable_parameters(operation: Operation, bounds: Bounds) -> dict[str, Parameter]:
    """Return the parameters that a client may set, by name."""
    is_fixed = bounds.scope is not None or len(bounds.scopes) == 1
    hidden: set[str] = set()
    if not bounds.is_local and is_fixed:
        hidden |= {"scope"}
    if bounds.user:
        hidden |= _ON_THE_SERVER | (_BEYOND_THE_SCOPE if is_fixed or bounds.scopes else set())
    offered = [one for one in operation.parameters if not one.terminal_only and one.name not in hidden]
    return {one.name: one for one in offered if bounds.operator or not one.operator_only}


def perform(
    session: Session, operation: Operation, bounds: Bounds, given: Mapping[str, Any], client: str
) -> Ok[Any] | SatchelError:
    """Check the arguments, run the operation, and return its answer or its error."""

    def run() -> Ok[Any]:
        arguments = complete_arguments(operation, bounds, given, client)
        if operation.writes and not operation.destructive:
            session.count_records(bounds.limited_as, sent_records(operation, arguments))
        with limited_to(_visible_scopes(session, bounds, arguments)), read_by_agent(not bounds.operator):
            return operation.run(session, arguments)

    return guarded(operation.name, run)


def guarded(name: str, call: Callable[[], Ok[Any]]) -> Ok[Any] | SatchelError:
    """Return the answer of an operation or its error, whatever it raises: nothing may end the server."""
    try:
        return call()
    except SatchelError as error:
        return error
    except OSError as error:
        return system_error(error)
    except BaseException as error:  # noqa: BLE001  the outermost edge; panics in Rust libraries are not Exceptions
        _log.error("%s: %s", name, type(error).__name__, exc_info=is_debugging())
        return SatchelError(f"internal error: {type(error).__name__}", code="internal_error")


def _visible_scopes(session: Session, bounds: Bounds, arguments: Mapping[str, Any]) -> list[str] | None:
    """Return the scopes that a call of fixed scope may see at most: its own, and those that it may fall back to."""
    if bounds.operator or (bounds.scope is None and not bounds.scopes):
        return None
    policy = session.memory.parts.policies.scope
    placement = resolve_scope(arguments.get("scope"), "", policy)
    return [placement.scope, *fallback_scopes(placement, policy)]


def sent_records(operation: Operation, arguments: Mapping[str, Any]) -> int:
    """Return how many records a writing call sends: entries of a list, lines of a batch, or one."""
    lists = [arguments.get(one.name) for one in operation.parameters if one.type is list]
    batches = [str(arguments.get(name) or "").splitlines() for name in _BATCHES]
    return max(1, *(len(one or ()) for one in lists), *(len(one) for one in batches))


def complete_arguments(operation: Operation, bounds: Bounds, given: Mapping[str, Any], client: str) -> dict[str, Any]:
    """Return every argument to run with: the client's, checked, and the rest set by the server."""
    if refusal := refusal_of(operation, bounds):
        raise refusal
    if bounds.scopes:
        if bounds.operator and "scope" not in given and _requires_scope(operation):
            # What is done to a whole scope is never done to a default one.
            raise InvalidRequest("scope is missing", code="missing_param", hint=f"use {' or '.join(bounds.scopes)}")
        # Chosen first: from here on the call has one fixed scope, and no other way into another.
        bounds, given = in_scope(bounds, given.get("scope")), _without_scope(given)
    parameters = settable_parameters(operation, bounds)
    check = turn_arguments if operation.takes_host_input else check_arguments
    checked = check(operation, parameters, given)
    if bounds.folder is not None:
        checked |= {
            name: _path_within(bounds.folder, checked[name])
            for name, one in parameters.items()
            if one.file and name in checked
        }
    return _server_arguments(operation, bounds, client) | checked


def _requires_scope(operation: Operation) -> bool:
    return any(one.name == "scope" and one.required for one in operation.parameters)


def _without_scope(given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if name != "scope"}


def _server_arguments(operation: Operation, bounds: Bounds, client: str) -> dict[str, Any]:
    defaults = {one.name: one.default for one in operation.parameters}
    if bounds.operator:
        inside = dict.fromkeys(_BEYOND_THE_SCOPE, False) | {"scope": bounds.scope} if bounds.scope is not None else {}
        return defaults | {name: value for name, value in inside.items() if name in defaults}
    fixed = {
        "scope": AUTO_SCOPE if bounds.follows_project else bounds.scope,
        "source_kind": SourceKind.TOOL.value,
        "source_ref": client,
        # Quarantined records must not reach a prompt.
        "quarantined": False,
        # Other scopes and whole-store counts are for the operator.
        "elsewhere": False,
    }
    if bounds.scope is not None and not bounds.follows_project:
        # A fallback scope would let the agent leave the fixed one.
        fixed["fallback"] = False
    return defaults | {name: value for name, value in fixed.items() if name in defaults}


def _path_within(folder: Path, name: str) -> str:
    """Return the full path of a file in the folder, or raise InvalidRequest if it is outside or not a plain file."""
    outside = InvalidRequest(f"{name[:80]!r} is not a file in the folder for files", code="outside_folder")
    if not name.strip() or "\0" in name or name != replace_undecodable(name):
        raise outside
    try:
        root = folder.resolve()
        path = (root / name).resolve()
        # Opening a pipe or a device could block forever.
        plain = path.is_file() or not path.exists()
        # From Python 3.13 on, a loop of symbolic links stays in the path instead of raising.
        loop = any(one.is_symlink() for one in (path, *path.parents))
    except (OSError, RuntimeError):  # the name is too long, or symbolic links form a loop
        raise outside from None
    if path == root or not path.is_relative_to(root) or not plain or loop:
        raise outside
    return str(path)


def client_label(edge: str, name: str) -> str:
    """Return the source of what a client stores: the edge and the client's name, on one line of printable text."""
    printable = "".join(letter if letter.isprintable() else " " for letter in replace_undecodable(name))
    return " ".join([edge, *printable.split()])[:MAX_CLIENT_CHARS].rstrip()
