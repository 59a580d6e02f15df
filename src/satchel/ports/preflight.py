"""An external check of writes before they become memories."""

from typing import Protocol

from satchel.domain.preflight import Verdict, WriteIntent


class Preflight(Protocol):
    """A check by another program or server."""

    def check(self, intent: WriteIntent) -> Verdict:
        """Return the verdict on a write. Raises Unavailable if there is none."""
        ...
