"""Keep the users and tokens of a store."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # For types only: what makes tokens loads the random numbers, which most commands do without.
    from satchel.domain.access import AccessToken, User
    from satchel.domain.access_list import AccessList


class AccessStore(Protocol):
    """Users and tokens. A change is seen by every process at its next question."""

    def read(self) -> AccessList:
        """Return every user and token. Raises SatchelError if they cannot be read."""
        ...

    def change(self, change: Callable[[AccessList], AccessList]) -> AccessList:
        """Replace the list by what a function makes of it, as one change, and return it. What it raises changes nothing."""
        ...

    def find(self, digest: str) -> tuple[AccessToken, User | None] | None:
        """Return the token with a digest and its user; None if there is none, or the list is damaged.

        Raises Unavailable if the list cannot be read now.
        """
        ...
