"""An external check of writes before they become memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.preflight import Verdict, WriteIntent


class Preflight(Protocol):
    """A check by another program or server."""

    def check(self, intent: WriteIntent) -> Verdict:
        """Return the verdict on a write. Raises Unavailable if there is none."""
        ...
