"""Who sends a request: the operator, or a program with a token that the operator created."""

import secrets
import time
from collections.abc import Sequence

from msgspec.structs import replace
from starlette.requests import Request

from satchel.adapters.token_file import TokenFile
from satchel.interfaces.agents import Bounds, operator_only
from satchel.interfaces.http.answers import RequestRejected

ACCESS = "satchel.access"
"""The key in a request's ASGI scope under which the bounds of its sender are."""
OPERATOR = Bounds(operator=True)


class Access:
    """Knows the senders by their credentials. Tokens are read at every request, so that a revoked one is refused at once."""

    def __init__(self, operator_token: str, tokens: TokenFile, agents: Bounds) -> None:
        """A program has the bounds `agents`, narrowed by its token, and no files."""
        self._operator_token = operator_token.encode("ascii")
        self._tokens = tokens
        self._programs = replace(agents, folder=None)

    def bounds_of(self, credentials: Sequence[str]) -> Bounds | None:
        """Return the bounds of the sender with these Authorization headers; None if nobody has them."""
        kind, _, secret = (credentials[0] if len(credentials) == 1 else "").partition(" ")
        if kind.lower() != "bearer":
            return None
        # Constant time, so that timing reveals nothing.
        if secrets.compare_digest(secret.encode("utf-8"), self._operator_token):
            return OPERATOR
        token = self._tokens.find(secret)
        if token is None or not token.is_valid(time.time_ns() // 1_000_000):
            return None
        read_only = self._programs.read_only or token.read_only
        return replace(self._programs, scopes=token.scopes, read_only=read_only, token=token.name)


def sender_of(request: Request) -> Bounds:
    """Return the bounds of a request's sender."""
    bounds: Bounds = request.scope[ACCESS]
    return bounds


def check_operator(request: Request, name: str) -> None:
    """Reject a request that is not the operator's."""
    if not sender_of(request).operator:
        raise RequestRejected(403, operator_only(name, "send the token in serve.token"))
