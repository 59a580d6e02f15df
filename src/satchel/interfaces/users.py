"""The `user` commands, which need no store: add, list, change and remove the users of the server.

They are for the terminal alone, on the server's machine: nobody can change rights over the network.
"""

import time
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from satchel.core.operations import Param, operation
from satchel.domain.access import Role, User, check_name
from satchel.domain.access_list import LOCAL_OPERATOR, AccessList, add_user, change_user, existing_user, remove_user
from satchel.domain.arguments import one_of
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.domain.scope import check_scope
from satchel.errors import InvalidRequest
from satchel.interfaces.operations.session import Session
from satchel.wiring.adapters import open_access, scope_policy_in

_Name = Annotated[str, Param("name of the user", positional=True)]


class UserEntry(Struct, frozen=True):
    """A user, and the names of its tokens."""

    name: str
    role: str
    scopes: tuple[str, ...]
    """The scopes it may work in; empty means every scope."""
    tokens: tuple[str, ...]
    created_at: int | None
    """Null for the local operator, who is always there."""


class AddedUser(Struct, frozen=True):
    """A new user."""

    entry: UserEntry


class UserList(Struct, frozen=True):
    """The local operator, and all users by name."""

    users: tuple[UserEntry, ...]


class ChangedUser(Struct, frozen=True):
    """A user whose rights were changed."""

    entry: UserEntry


class RemovedUser(Struct, frozen=True):
    """A user that was removed, and the tokens that were revoked with it."""

    entry: UserEntry


@operation(
    "user add",
    writes=True,
    operator_only=True,
    terminal_only=True,
    examples=("satchel user add carla --scope project/shop --role write", "satchel user add dora --role operator"),
)
def add(
    session: Session,
    name: _Name,
    *,
    scopes: Annotated[
        Sequence[str],
        Param("scope it may work in; every scope if omitted", flag="scope"),
    ] = (),
    role: Annotated[str, Param("read, write, or operator for the operator's commands", choices=Role)] = Role.READ.value,
) -> Ok[AddedUser]:
    """Add a user of the server.

    A user with the role write stores untrusted memories, as agents do; an operator confirms them. Its tokens are made by
    'satchel token create NAME --user USER'.
    """
    now, checked, given = _now(), checked_scopes(session, scopes), parse_role(role)
    user = User(check_name(name, "user"), given, now, checked)
    access = open_access(session.settings).change(lambda before: add_user(before, user))
    asked: dict[str, Json] = {"name": name, "scopes": list(checked), "role": given.value}
    return _ok("user add", AddedUser(_entry(access, user)), asked, {"added": name}, now)


@operation("user list", operator_only=True, terminal_only=True, examples=("satchel user list",))
def list_users(session: Session) -> Ok[UserList]:
    """List the users: their roles, scopes and tokens.

    The first one is the local operator.
    """
    access = open_access(session.settings).read()
    local = UserEntry(LOCAL_OPERATOR, Role.OPERATOR.value, (), (), None)
    entries = (local, *(_entry(access, one) for one in access.users))
    return _ok("user list", UserList(entries), {}, {"returned": len(entries)}, _now())


@operation(
    "user change",
    writes=True,
    operator_only=True,
    terminal_only=True,
    idempotent=True,
    examples=("satchel user change anna --role operator", "satchel user change ben --every-scope"),
)
def change(
    session: Session,
    name: _Name,
    *,
    scopes: Annotated[Sequence[str], Param("scope it may work in, instead of those before", flag="scope")] = (),
    every_scope: Annotated[bool, Param("let it work in every scope")] = False,
    role: Annotated[str | None, Param("its new role", choices=Role)] = None,
) -> Ok[ChangedUser]:
    """Change a user's role or scopes; a running server follows at once, for all tokens of the user."""
    if every_scope and scopes:
        raise InvalidRequest("give --scope or --every-scope, not both", code="conflicting_options")
    if not (every_scope or scopes or role):
        raise InvalidRequest("nothing to change", code="missing_param", hint="give --role, --scope or --every-scope")
    checked = checked_scopes(session, scopes) if scopes or every_scope else None
    given = None if role is None else parse_role(role)
    access = open_access(session.settings).change(lambda before: change_user(before, name, role=given, scopes=checked))
    entry = _entry(access, existing_user(access, name))
    asked: dict[str, Json] = {"name": name, "scopes": None if checked is None else list(checked), "role": role}
    return _ok("user change", ChangedUser(entry), asked, {"changed": name}, _now())


@operation(
    "user remove",
    writes=True,
    operator_only=True,
    terminal_only=True,
    destructive=True,
    examples=("satchel user remove ben",),
)
def remove(session: Session, name: _Name) -> Ok[RemovedUser]:
    """Remove a user and revoke its tokens; a running server refuses them from now on.

    What the user stored stays.
    """
    store = open_access(session.settings)
    before = store.read()
    entry = _entry(before, existing_user(before, name))
    store.change(lambda access: remove_user(access, name))
    return _ok(
        "user remove", RemovedUser(entry), {"name": name}, {"removed": name, "tokens": list(entry.tokens)}, _now()
    )


def checked_scopes(session: Session, scopes: Sequence[str]) -> tuple[str, ...]:
    """Return valid names of scopes, each once."""
    policy = scope_policy_in(session.settings.scope_policy, session.folder)
    return tuple(dict.fromkeys(check_scope(one, policy) for one in scopes))


def parse_role(text: str) -> Role:
    """Return a role, or raise InvalidRequest."""
    return one_of(Role, text, "role")


def _entry(access: AccessList, user: User) -> UserEntry:
    tokens = tuple(one.name for one in access.tokens if one.user == user.name)
    return UserEntry(user.name, user.role.value, user.scopes, tokens, user.created_at)


def _now() -> int:
    return time.time_ns() // 1_000_000


def _ok(operation: str, result: Any, asked: dict[str, Json], decided: dict[str, Json], at: int) -> Ok[Any]:
    return Ok(result, Receipt(operation, asked, {}, decided, at=at))
