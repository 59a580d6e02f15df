"""All records of a scope, whatever their kind."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from satchel.domain.receipt import Receipt
from satchel.domain.scopes import ScopeContents


class ScopeStore(Protocol):
    """Counts and erases the records of a scope in every table that has a scope."""

    def contents(self) -> Sequence[ScopeContents]:
        """Return what each scope contains, in the order of their names. Working sets are derived, and not counted."""
        ...

    def sample(self, scope: str, limit: int) -> Sequence[str]:
        """Return texts of a scope, some of each kind."""
        ...

    def is_elsewhere(self, fragment: str, scope: str) -> bool:
        """Return whether a record of another scope contains a fragment."""
        ...

    def own_payloads(self, scope: str) -> Sequence[str]:
        """Return the artifacts that only observations of this scope have."""
        ...

    def erase_batch(self, scope: str, limit: int, actor: str, receipt: Receipt) -> int:
        """Erase some memories, observations and passages, leaving tombstones; return how many, 0 if none are left."""
        ...

    def erase_rest(self, scope: str, receipt: Receipt) -> Mapping[str, int]:
        """Erase everything else of a scope; return how many records of each kind."""
        ...
