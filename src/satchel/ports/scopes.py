"""All records of a scope, whatever their kind: counted, erased, moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.scopes import MovedRecords, ScopeContents, ScopeSeeds


class ScopeStore(Protocol):
    """Counts and erases the records of a scope in every table that has a scope."""

    def contents(self) -> Sequence[ScopeContents]:
        """Return what each scope contains, in the order of their names. Working sets are derived, and not counted."""
        ...

    def seeds(self, scope: str) -> ScopeSeeds:
        """Return what the ids of a scope's records are derived from."""
        ...

    def moved_to(self, scope: str, at: int) -> str:
        """Return the scope that has now what a scope had at a moment."""
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


class ScopeMoves(Protocol):
    """Moves the records of a scope, except memories, to another one, and back."""

    def begin(self, source: str, target: str, tag: str, receipt: Receipt) -> int:
        """Start a move and return its number. From now on both scopes know the ids that the first one gave."""
        ...

    def move_batch(self, number: int, limit: int, actor: str, receipt: Receipt) -> MovedRecords:
        """Move some records in one transaction; nothing if none are left."""
        ...

    def finish(self, number: int, receipt: Receipt) -> None:
        """Empty the working set of a scope that has moved."""
        ...

    def collections_with_other_roots(self, source: str, target: str) -> Sequence[str]:
        """Return the collections of documents that both scopes have, of different folders."""
        ...

    def recorded(self, tag: str) -> Mapping[str, int]:
        """Return how many records of each kind the moves after a tag moved, if they were not taken back."""
        ...

    def take_back(self, tag: str, limit: int, actor: str, reason: str, receipt: Receipt) -> int:
        """Move back some of what the moves after a tag moved, as far as it is still there; 0 once nothing is left."""
        ...
