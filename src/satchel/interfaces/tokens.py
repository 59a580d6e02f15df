"""The `token` commands, which need no store: create, list and revoke tokens for programs that use the server."""

import time
from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Struct

from satchel.adapters.token_file import TokenFile
from satchel.core.operations import Param, operation
from satchel.domain.access import AccessToken, check_token_name, parse_expiry
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.domain.scope import check_scope
from satchel.interfaces.operations.session import Session
from satchel.wiring.adapters import ledger_path, scope_policy_in

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
    ),
)
def create(
    session: Session,
    name: _Name,
    *,
    scopes: Annotated[
        Sequence[str],
        Param("scope it may be used in; may be given several times, every scope if omitted", flag="scope"),
    ] = (),
    read_only: Annotated[bool, Param("refuse everything that writes")] = False,
    expires: Annotated[
        str | None, Param("when it expires: 12h, 30d, 8w or a date; never if omitted", metavar="WHEN")
    ] = None,
) -> Ok[CreatedToken]:
    """Create a token for a program that uses 'satchel serve', and show it once.

    Such a program can call what agents can call, and what it stores is untrusted. Only a digest of the token is kept.
    """
    now = _now()
    policy = scope_policy_in(session.settings.scope_policy, session.folder)
    checked = tuple(dict.fromkeys(check_scope(one, policy) for one in scopes))
    token, secret = _file(session).create(
        check_token_name(name),
        now,
        scopes=checked,
        read_only=read_only,
        expires_at=None if expires is None else parse_expiry(expires, now),
    )
    asked: dict[str, Json] = {"name": name, "scopes": list(checked), "read_only": read_only, "expires": expires}
    return _ok("token create", CreatedToken(secret, _entry(token, now)), asked, {"created": name}, now)


@operation("token list", operator_only=True, terminal_only=True, examples=("satchel token list",))
def list_tokens(session: Session) -> Ok[TokenList]:
    """List the tokens: their names, scopes and dates, never the tokens themselves."""
    now = _now()
    entries = tuple(_entry(one, now) for one in _file(session).tokens())
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
    token = _file(session).revoke(name)
    return _ok("token revoke", RevokedToken(_entry(token, now)), {"name": name}, {"revoked": name}, now)


def _file(session: Session) -> TokenFile:
    return TokenFile(ledger_path(session.settings).parent)


def _entry(token: AccessToken, now: int) -> TokenEntry:
    return TokenEntry(
        token.name, token.scopes, token.read_only, token.created_at, token.expires_at, not token.is_valid(now)
    )


def _now() -> int:
    return time.time_ns() // 1_000_000


def _ok(operation: str, result: Any, asked: dict[str, Json], decided: dict[str, Json], at: int) -> Ok[Any]:
    return Ok(result, Receipt(operation, asked, {}, decided, at=at))
