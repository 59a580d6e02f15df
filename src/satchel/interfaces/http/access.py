"""Who sends a request: the local operator, or a user or program with a token."""

import secrets
from collections.abc import Sequence

from msgspec.structs import replace
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from satchel.domain.access import TOKEN_PREFIX, rights_of, token_digest
from satchel.errors import LimitReached, Unavailable
from satchel.interfaces.agents import Bounds, operator_only
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.limits import Limits
from satchel.ports import AccessStore, Clock

ACCESS = "satchel.access"
"""The key in a request's ASGI scope under which the bounds of its sender are."""
OPERATOR = Bounds(operator=True)


class Access:
    """Knows the senders by their credentials. Users and tokens are read at every request, so that a change counts at once."""

    def __init__(self, operator_token: str, kept: AccessStore, agents: Bounds, clock: Clock, limits: Limits) -> None:
        """Whoever has a token has the bounds `agents`, narrowed by it, and no files; its requests count against `limits`."""
        self._operator_token = operator_token.encode("ascii")
        self._kept = kept
        self._others = replace(agents, folder=None)
        self._clock = clock
        self._limits = limits

    async def bounds_of(self, credentials: Sequence[str]) -> Bounds | None:
        """Return the bounds of the sender with these Authorization headers; None if nobody has them."""
        kind, _, secret = (credentials[0] if len(credentials) == 1 else "").partition(" ")
        if kind.lower() != "bearer":
            return None
        # Constant time, so that timing reveals nothing.
        if secrets.compare_digest(secret.encode("utf-8"), self._operator_token):
            return OPERATOR
        if not secret.startswith(TOKEN_PREFIX):
            return None
        # A database may keep it waiting, but not the other requests.
        return await run_in_threadpool(self.bounds_of_digest, token_digest(secret))

    def bounds_of_digest(self, digest: str) -> Bounds | None:
        """Return what the token with a digest allows at present; None if it allows nothing."""
        try:
            found = self._kept.find(digest)
        except Unavailable:
            # Not 401: the token may be good, and a client must not forget it.
            unknown = Unavailable("the server cannot look the token up now", code="unreachable", hint="try again later")
            raise RequestRejected(503, unknown) from None
        if found is None or not found[0].is_valid(self._clock.now()):
            return None
        rights = rights_of(*found)
        if rights is None:
            return None
        return replace(
            self._others,
            operator=rights.operator,
            scopes=rights.scopes,
            read_only=self._others.read_only or rights.read_only,
            token=rights.token,
            user=rights.user,
        )

    def admit(self, sender: Bounds) -> None:
        """Count a request of a sender; reject it if there were too many."""
        try:
            self._limits.count_request(sender.limited_as)
        except LimitReached as error:
            raise RequestRejected(429, error) from None


def sender_of(request: Request) -> Bounds:
    """Return the bounds of a request's sender."""
    bounds: Bounds = request.scope[ACCESS]
    return bounds


def sender_digest(request: Request) -> str:
    """Return the digest of the token that a request came with; empty if it is the local operator's."""
    secret = request.headers.get("authorization", "").partition(" ")[2]
    return "" if sender_of(request).is_local else token_digest(secret)


def check_local(request: Request, name: str) -> None:
    """Reject a request that is not the local operator's."""
    if not sender_of(request).is_local:
        raise RequestRejected(403, operator_only(name, "leave it out"))
