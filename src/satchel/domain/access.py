"""Tokens for programs: in which scopes they may be used, whether for writing, and until when."""

import re

from msgspec import Struct

from satchel.domain.moment import DAY_MS, HOUR_MS, LAST_MOMENT, parse_moment
from satchel.errors import InvalidRequest

TOKEN_PREFIX = "satchel_"
"""How every token begins, so that scanners and people recognise one."""
MAX_NAME_CHARS = 40
_NAME = re.compile(rf"[a-z0-9][a-z0-9._-]{{0,{MAX_NAME_CHARS - 1}}}")
_AGE = re.compile(r"([1-9][0-9]{0,4})([hdw])")
_UNITS = {"h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}


class AccessToken(Struct, frozen=True):
    """A token as it is kept: its digest, never the token itself."""

    name: str
    digest: str
    created_at: int
    scopes: tuple[str, ...] = ()
    """The scopes it may be used in, the first one by default; empty means every scope."""
    read_only: bool = False
    expires_at: int | None = None

    def is_valid(self, now: int) -> bool:
        """Return whether it has not expired."""
        return self.expires_at is None or now < self.expires_at


def check_token_name(text: str) -> str:
    """Return a valid name of a token, or raise InvalidRequest."""
    if not _NAME.fullmatch(text):
        raise InvalidRequest(
            f"token name {text[:MAX_NAME_CHARS]!r} is not valid: use up to {MAX_NAME_CHARS} of a-z 0-9 . _ -",
            code="invalid_name",
            hint="such as grafana or ci-runner",
        )
    return text


def parse_expiry(text: str, now: int) -> int:
    """Return when a token expires: after a number of hours, days or weeks (12h, 30d, 8w), or at a date."""
    age = _AGE.fullmatch(text)
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
