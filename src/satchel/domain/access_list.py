"""The users and tokens of a store as one value, and the changes to it."""

import secrets
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.access import AccessToken, Role, User
from satchel.errors import Conflict, InvalidRequest, NotFound, Refused

MAX_USERS = 1_000
MAX_TOKENS = 1_000
LOCAL_OPERATOR = "local"
"""Who works on the server's own machine: always there, with every right, and no token."""
Entry = TypeVar("Entry", User, AccessToken)


class AccessList(Struct, frozen=True):
    """Every user and every token, in the order of their names."""

    users: tuple[User, ...]
    tokens: tuple[AccessToken, ...]

    def user(self, name: str) -> User | None:
        """Return the user of a name."""
        return next((one for one in self.users if one.name == name), None)


NOBODY = AccessList((), ())


def find_token(access: AccessList, digest: str) -> tuple[AccessToken, User | None] | None:
    """Return the token with a digest and its user; None if there is none."""
    found = None
    for one in access.tokens:
        # Constant time, so that timing reveals nothing.
        if secrets.compare_digest(one.digest, digest):
            found = one
    return None if found is None else (found, access.user(found.user))


def add_user(access: AccessList, user: User) -> AccessList:
    """Add a user. Raises Conflict if there is one of this name."""
    if user.name == LOCAL_OPERATOR or access.user(user.name):
        hint = "choose another name, or use 'satchel user change'"
        raise Conflict(f"there is a user {user.name!r} already", code="user_exists", hint=hint)
    if len(access.users) >= MAX_USERS:
        raise Conflict(f"there are {MAX_USERS:,} users already", code="too_many", hint="remove some of them")
    return replace(access, users=_by_name((*access.users, user)))


def change_user(
    access: AccessList, name: str, *, role: Role | None = None, scopes: tuple[str, ...] | None = None
) -> AccessList:
    """Change a user's role, its scopes, or both; None leaves one as it is. Its tokens allow no more from then on."""
    before = existing_user(access, name)
    after = replace(before, role=role or before.role, scopes=before.scopes if scopes is None else scopes)
    return replace(access, users=tuple(after if one.name == name else one for one in access.users))


def remove_user(access: AccessList, name: str) -> AccessList:
    """Remove a user and revoke its tokens."""
    existing_user(access, name)
    return AccessList(
        tuple(one for one in access.users if one.name != name), tuple(one for one in access.tokens if one.user != name)
    )


def existing_user(access: AccessList, name: str) -> User:
    """Return a user, or raise NotFound; the local operator cannot be changed."""
    if name == LOCAL_OPERATOR:
        raise Refused(
            "the local operator cannot be changed or removed",
            code="local_operator",
            hint="it stands for anyone who can use the store's folder on this machine",
        )
    found = access.user(name)
    if found is None:
        raise NotFound(f"no user {name[:80]!r}", code="no_user", hint="'satchel user list' shows all")
    return found


def add_token(access: AccessList, token: AccessToken) -> AccessList:
    """Add a token. Raises Conflict if there is one of this name, Refused if it would allow more than its user may."""
    if any(one.name == token.name for one in access.tokens):
        hint = f"choose another name, or run 'satchel token revoke {token.name}' first"
        raise Conflict(f"there is a token {token.name!r} already", code="token_exists", hint=hint)
    if len(access.tokens) >= MAX_TOKENS:
        raise Conflict(f"there are {MAX_TOKENS:,} tokens already", code="too_many", hint="revoke some of them")
    if token.user:
        _check_no_wider(token, existing_user(access, token.user))
    elif token.role is not None:
        raise InvalidRequest(
            "a token without a user has no role", code="invalid_role", hint="give --user, or --read-only instead"
        )
    return replace(access, tokens=_by_name((*access.tokens, token)))


def _check_no_wider(token: AccessToken, user: User) -> None:
    hint = f"'satchel user change {user.name}' gives the user more"
    roles = tuple(Role)
    if token.role is not None and roles.index(token.role) > roles.index(user.role):
        raise Refused(f"the role of user {user.name!r} is {user.role.value}", code="wider_token", hint=hint)
    if user.scopes and (beyond := [one for one in token.scopes if one not in user.scopes]):
        raise Refused(f"user {user.name!r} may not work in {beyond[0]}", code="wider_token", hint=hint)


def revoke_token(access: AccessList, name: str) -> AccessList:
    """Remove a token. Raises NotFound if there is none of this name."""
    existing_token(access, name)
    return replace(access, tokens=tuple(one for one in access.tokens if one.name != name))


def existing_token(access: AccessList, name: str) -> AccessToken:
    """Return a token, or raise NotFound."""
    found = next((one for one in access.tokens if one.name == name), None)
    if found is None:
        raise NotFound(f"no token {name[:80]!r}", code="no_token", hint="'satchel token list' shows all")
    return found


def _by_name(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda one: one.name))
