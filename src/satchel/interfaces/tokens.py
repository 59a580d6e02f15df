"""The `token` commands, which need no store: create, list and revoke tokens for programs that use the server."""

import time
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from satchel.adapters.access_file import new_secret
from satchel.core.operations import Param, operation
from satchel.domain.access import AccessToken, Role, check_name, parse_expiry, token_digest
from satchel.domain.access_list import add_token, existing_token, revoke_token
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.interfaces.operations.session import Session
from satchel.interfaces.users import checked_scopes, parse_role
from satchel.ports import AccessStore
from satchel.wiring.adapters import open_access

_Name = Annotated[str, Param("name of the token", positional=True)]


class TokenEntry(Struct, frozen=True):
    """What may be known of a token: everything but itself."""

    name: str
    scopes: tuple[str, ...]
    """The scopes it may be used in; empty means every scope."""
    read_only: bool
    created_at: int
    expires_at: int | None
    expired: bool
    user: str = ""
    """The user it belongs to; empty if it is for a program of the local operator."""
    role: str | None = None
    """The role it is limited to; null means the role of its user."""


class CreatedToken(Struct, frozen=True):
    """A new token, which is shown only now."""

    token: str
    entry: TokenEntry


class TokenList(Struct, frozen=True):
    """All tokens, by name."""

    tokens: tuple[TokenEntry, ...]


class RevokedToken(Struct, frozen=True):
    """A token that no server accepts any more."""

    entry: TokenEntry


@operation(
    "token create",
    writes=True,
    operator_only=True,
    terminal_only=True,
    examples=(
        "satchel token create ci --scope project/shop --read-only",
        "satchel token create laptop --scope project/shop --scope global --expires 30d",
        "satchel token create anna-laptop --user anna",
    ),
)
def create(
    session: Session,
    name: _Name,
    *,
    user: Annotated[str | None, Param("user it belongs to; a program of the local operator if omitted")] = None,
    scopes: Annotated[
        Sequence[str],
        Param("scope it may be used in; all that its user has if omitted", flag="scope"),
    ] = (),
    role: Annotated[str | None, Param("limit it to this role; the user's role if omitted", choices=Role)] = None,
    read_only: Annotated[bool, Param("refuse everything that writes")] = False,
    expires: Annotated[
        str | None, Param("when it expires: 12h, 30d, 8w or a date; never if omitted", metavar="WHEN")
    ] = None,
) -> Ok[CreatedToken]:
    """Create a token for a program that uses 'satchel serve', and show it once.

    A token of a user allows what the user may do, or less. Without a user, a program can call what agents can call, and
    what it stores is untrusted. Only a digest of the token is kept.
    """
    now = _now()
    checked = checked_scopes(session, scopes)
    token, secret = issue_token(
        open_access(session.settings),
        name,
        now,
        user=user or "",
        scopes=checked,
        role=None if role is None else parse_role(role),
        read_only=read_only,
        expires_at=None if expires is None else parse_expiry(expires, now),
    )
    limits: dict[str, Json] = {"scopes": list(checked), "role": role, "read_only": read_only, "expires": expires}
    asked: dict[str, Json] = {"name": name, "user": user, **limits}
    return _ok("token create", CreatedToken(secret, _entry(token, now)), asked, {"created": name}, now)


@operation("token list", operator_only=True, terminal_only=True, examples=("satchel token list",))
def list_tokens(session: Session) -> Ok[TokenList]:
    """List the tokens: their names, scopes and dates, never the tokens themselves."""
    now = _now()
    entries = tuple(_entry(one, now) for one in open_access(session.settings).read().tokens)
    return _ok("token list", TokenList(entries), {}, {"returned": len(entries)}, now)


@operation(
    "token revoke",
    writes=True,
    operator_only=True,
    terminal_only=True,
    destructive=True,
    examples=("satchel token revoke phone",),
)
def revoke(session: Session, name: _Name) -> Ok[RevokedToken]:
    """Revoke a token; a running server refuses it from now on."""
    now = _now()
    access = open_access(session.settings)
    token = existing_token(access.read(), name)
    access.change(lambda before: revoke_token(before, name))
    return _ok("token revoke", RevokedToken(_entry(token, now)), {"name": name}, {"revoked": name}, now)


def issue_token(access: AccessStore, name: str, now: int, **limits: Any) -> tuple[AccessToken, str]:
    """Add a token; return it with its secret, which is kept nowhere. `limits` are fields of AccessToken."""
    secret = new_secret()
    token = AccessToken(check_name(name, "token"), token_digest(secret), now, **limits)
    access.change(lambda before: add_token(before, token))
    return token, secret


def _entry(token: AccessToken, now: int) -> TokenEntry:
    return TokenEntry(
        token.name,
        token.scopes,
        token.read_only,
        token.created_at,
        token.expires_at,
        not token.is_valid(now),
        token.user,
        token.role and token.role.value,
    )


def _now() -> int:
    return time.time_ns() // 1_000_000


def _ok(operation: str, result: Any, asked: dict[str, Json], decided: dict[str, Json], at: int) -> Ok[Any]:
    return Ok(result, Receipt(operation, asked, {}, decided, at=at))
