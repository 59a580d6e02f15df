"""Sessions of browsers. They live in the memory of the server and end with it."""

import secrets
from collections.abc import Callable

from msgspec import Struct

TOKEN_BYTES = 32
# `satchel open` hands the token to the browser at once.
TOKEN_SECONDS = 60.0
IDLE_SECONDS = 12 * 3600.0
# Of either; the oldest goes first. A person has a few browsers.
MAX_KEPT = 100


class BrowserSession(Struct):
    """One browser that exchanged a one-time token."""

    form_token: str
    """What every form of the session carries, so that no other site can submit one."""
    last_use: float
    sender: str = ""
    """The digest of the user's token that opened it; empty if the local operator did."""


class BrowserSessions:
    """One-time tokens, and the sessions that they were exchanged for."""

    def __init__(self, ticks: Callable[[], float]) -> None:
        """`ticks` returns seconds that only go forward."""
        self._ticks = ticks
        self._tokens: dict[str, tuple[float, str]] = {}
        self._sessions: dict[str, BrowserSession] = {}

    def make_token(self, sender: str = "") -> str:
        """Return a new one-time token for the sender of a request, who is known by the digest of its own token."""
        _make_room(self._tokens)
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._tokens[token] = self._ticks(), sender
        return token

    def begin(self, token: str) -> str | None:
        """Exchange a one-time token for the id of a new session; None if it is unknown, used or too old."""
        made, sender = self._tokens.pop(token, (None, ""))
        if made is None or self._ticks() - made > TOKEN_SECONDS:
            return None
        _make_room(self._sessions)
        id = secrets.token_urlsafe(TOKEN_BYTES)
        self._sessions[id] = BrowserSession(secrets.token_urlsafe(TOKEN_BYTES), self._ticks(), sender)
        return id

    def find(self, id: str) -> BrowserSession | None:
        """Return a session and note its use; None if there is none or it was idle for too long."""
        session = self._sessions.get(id)
        if session is None:
            return None
        now = self._ticks()
        if now - session.last_use > IDLE_SECONDS:
            del self._sessions[id]
            return None
        session.last_use = now
        return session

    def end(self, id: str) -> None:
        """End a session, if there is one."""
        self._sessions.pop(id, None)


def _make_room(kept: dict[str, tuple[float, str]] | dict[str, BrowserSession]) -> None:
    while len(kept) >= MAX_KEPT:
        del kept[next(iter(kept))]
