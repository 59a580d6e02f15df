"""Temporal facts: events, and the facts derived from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from satchel.domain.facts import Fact, FactEvent, FactId, FactSource, SourcedFact, SourceRef
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach
    from satchel.domain.view import View
    from satchel.ports.memories import Frequencies


class SubjectTally(NamedTuple):
    """How many facts there are about a subject, and when they begin."""

    scope: str
    subject: str
    facts: int
    first: int
    last: int


class FactStore(Protocol):
    """Facts, their events and sources. Reads and writes within `MemoryStore.transaction` are atomic."""

    def resolve(self, sources: Sequence[SourceRef], reach: Reach) -> list[FactSource | None]:
        """Return each source as it is now, in order; None for one that is missing or out of reach."""
        ...

    def text_of(self, source: SourceRef, view: View) -> str | None:
        """Return the text of a source, if the view admits it."""
        ...

    def events(self, reach: Reach, subject: str | None = None, known_at: int | None = None) -> list[FactEvent]:
        """Return the events of one subject or of all, in the order in which they were learned."""
        ...

    def commit(self, events: Sequence[FactEvent], facts: Sequence[Fact], receipt: Receipt) -> None:
        """Store events, and the facts that result from them."""
        ...

    def find(self, id: FactId, reach: Reach) -> SourcedFact | None:
        """Return one fact, whatever its status."""
        ...

    def ids_between(self, first: str, last: str, view: View, limit: int) -> list[FactId]:
        """Return the ids of the view in a range, in order, from the index of ids."""
        ...

    def of_subject(self, subject: str, view: View) -> list[SourcedFact]:
        """Return the facts about a subject, by valid time."""
        ...

    def subjects(self, view: View, after: tuple[str, str] | None, limit: int) -> list[SubjectTally]:
        """Count the facts of each subject, by scope and name; only those after a scope and name, if these are given."""
        ...

    def walk(self, view: View) -> list[SourcedFact]:
        """Return every fact within a view, by id."""
        ...

    def with_sources(self, facts: Sequence[Fact]) -> list[SourcedFact]:
        """Return facts with the present state of their sources."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[SourcedFact]:
        """Return the facts valid at the view's time, with intact sources, that match any of the terms; best first."""
        ...

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """Count the facts of all scopes that match each term."""
        ...

    def contains(self, fragment: str, *, excluding_sources: Sequence[str]) -> bool:
        """Return whether a fact contains a fragment, leaving out facts with any of these sources."""
        ...

    def replace_view(self, facts: Sequence[Fact], receipt: Receipt) -> int:
        """Replace all derived facts; return how many were different."""
        ...
