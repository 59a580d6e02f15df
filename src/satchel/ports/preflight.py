"""Somebody who is asked before a write becomes memory."""

from typing import Protocol

from satchel.domain.preflight import Intent, Verdict


class Preflight(Protocol):
    """A check by another program or server."""

    def check(self, intent: Intent) -> Verdict:
        """Return its word on a write. Raises Unavailable when it cannot be had."""
        ...
