"""Users and tokens in memory, for tests; also the reference implementation of the port."""

from collections.abc import Callable

from satchel.domain.access import AccessToken, User
from satchel.domain.access_list import NOBODY, AccessList, find_token


class InMemoryAccess:
    """Implements ports.AccessStore."""

    def __init__(self) -> None:
        self._access = NOBODY

    def read(self) -> AccessList:
        return self._access

    def change(self, change: Callable[[AccessList], AccessList]) -> AccessList:
        self._access = change(self._access)
        return self._access

    def find(self, digest: str) -> tuple[AccessToken, User | None] | None:
        return find_token(self._access, digest)
