"""Users and tokens: in which scopes they may work, what they may do there, and until when."""

import hashlib
from enum import StrEnum

from msgspec import Struct

from satchel.domain.moment import DAY_MS, HOUR_MS, LAST_MOMENT, parse_moment
from satchel.domain.safety.compiled import compiled
from satchel.errors import InvalidRequest

TOKEN_PREFIX = "satchel_"
"""How every token begins, so that scanners and people recognise one."""
MAX_NAME_CHARS = 40
_NAME = rf"[a-z0-9][a-z0-9._-]{{0,{MAX_NAME_CHARS - 1}}}"
_AGE = r"([1-9][0-9]{0,4})([hdw])"
_UNITS = {"h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}


class Role(StrEnum):
    """What a user may do, each including those before it."""

    READ = "read"
    WRITE = "write"
    OPERATOR = "operator"


_ROLES = tuple(Role)


class User(Struct, frozen=True):
    """A person or program that uses the server under its own name."""

    name: str
    role: Role
    created_at: int
    scopes: tuple[str, ...] = ()
    """The scopes it may work in, the first one by default; empty means every scope."""


class AccessToken(Struct, frozen=True):
    """A token as it is kept: its digest, never the token itself."""

    name: str
    digest: str
    created_at: int
    scopes: tuple[str, ...] = ()
    """The scopes it may be used in, the first one by default; empty means every scope."""
    read_only: bool = False
    expires_at: int | None = None
    user: str = ""
    """The user it belongs to; empty if the local operator made it for a program."""
    role: Role | None = None
    """The role it is limited to; None means the role of its user."""

    def is_valid(self, now: int) -> bool:
        """Return whether it has not expired."""
        return self.expires_at is None or now < self.expires_at


class Rights(Struct, frozen=True):
    """What a token allows: no more than its user may, and no more than it was made for."""

    token: str
    user: str = ""
    scopes: tuple[str, ...] = ()
    """The scopes to choose from, the first one by default; empty allows every scope."""
    read_only: bool = False
    operator: bool = False


def rights_of(token: AccessToken, user: User | None) -> Rights | None:
    """Return what a token allows at present; None if it allows nothing, because its user is gone or has other scopes."""
    if not token.user:
        return Rights(token.name, scopes=token.scopes, read_only=token.read_only)
    if user is None or user.name != token.user:
        return None
    scopes = tuple(one for one in token.scopes if one in user.scopes) if user.scopes else token.scopes
    if token.scopes and not scopes:
        return None
    role = user.role if token.role is None else min(user.role, token.role, key=_ROLES.index)
    return Rights(
        token.name,
        user.name,
        scopes or user.scopes,
        read_only=token.read_only or role is Role.READ,
        operator=role is Role.OPERATOR,
    )


USER_ACTOR, TOKEN_ACTOR = "user:", "token:"


def actor_name(user: str, token: str) -> str:
    """Return how history and receipts name who used a token: user:anna/laptop, or token:ci for one without a user."""
    return f"{USER_ACTOR}{user}/{token}" if user else f"{TOKEN_ACTOR}{token}"


def named_actor(actor: str) -> str:
    """Return an actor that is a user; empty for the channels of the local operator and for its programs.

    Receipts name users alone: equal work of the operator has equal digests through every channel.
    """
    return actor if actor.startswith(USER_ACTOR) else ""


def token_digest(secret: str) -> str:
    """Return the digest of a token. A token is 256 random bits, so a plain digest cannot be guessed back."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def check_name(text: str, what: str) -> str:
    """Return a valid name of a user or a token, or raise InvalidRequest."""
    if not compiled(_NAME).fullmatch(text):
        raise InvalidRequest(
            f"{what} name {text[:MAX_NAME_CHARS]!r} is not valid: use up to {MAX_NAME_CHARS} of a-z 0-9 . _ -",
            code="invalid_name",
            hint="such as anna, grafana or ci-runner",
        )
    return text


def parse_expiry(text: str, now: int) -> int:
    """Return when a token expires: after a number of hours, days or weeks (12h, 30d, 8w), or at a date."""
    age = compiled(_AGE).fullmatch(text)
    moment = now + int(age[1]) * _UNITS[age[2]] if age else _date(text)
    if not now < moment <= LAST_MOMENT:
        raise InvalidRequest(f"expires {text[:40]!r} is not in the future", code="invalid_date", hint=_HINT)
    return moment


_HINT = "write 12h, 30d, 8w or 2026-12-31"


def _date(text: str) -> int:
    try:
        return parse_moment(text, "expires")
    except InvalidRequest as error:
        raise InvalidRequest(
            f"expires {text[:40]!r} is neither an age nor a date", code=error.code, hint=_HINT
        ) from None
