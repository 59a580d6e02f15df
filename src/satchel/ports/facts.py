"""The events that facts are made of, and the view they make."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.facts import Fact, FactEvent, FactId, FactSource, SourcedFact, SourceRef
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.ports.memories import Frequencies


class Facts(Protocol):
    """Facts, their events and their sources. Within `Memories.alone` a look and a write are one."""

    def resolve(self, sources: Sequence[SourceRef], reach: Reach) -> list[FactSource | None]:
        """Return each source as it is now, in order; None for one that is not there, or not within reach."""
        ...

    def text_of(self, source: SourceRef, view: View) -> str | None:
        """Return what a source says, if it may be seen."""
        ...

    def events(self, reach: Reach, subject: str | None = None, known_at: int | None = None) -> list[FactEvent]:
        """Return the events of a subject, or of all, in the order in which they were learned."""
        ...

    def commit(self, events: Sequence[FactEvent], facts: Sequence[Fact], receipt: Receipt) -> None:
        """Keep events, and the facts as these leave them."""
        ...

    def find(self, id: FactId, reach: Reach) -> SourcedFact | None:
        """Return one fact, however it stands."""
        ...

    def of_subject(self, subject: str, view: View) -> list[SourcedFact]:
        """Return what is said of a subject, by when it is true."""
        ...

    def walk(self, view: View) -> list[SourcedFact]:
        """Return every fact within a view, by id."""
        ...

    def judged(self, facts: Sequence[Fact]) -> list[SourcedFact]:
        """Return facts with what has become of their sources."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[SourcedFact]:
        """Return the facts that hold at the view's moment, rest on sound sources and have one of the terms; best first."""
        ...

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """Return in how many records each term stands, whatever their scope, and how many records there are."""
        ...

    def contains(self, fragment: str, *, resting_on: Sequence[str]) -> bool:
        """Say whether any fact holds a piece of text, apart from those that rest on these records."""
        ...

    def replace_view(self, facts: Sequence[Fact], receipt: Receipt) -> int:
        """Make the view anew; return how many rows were different."""
        ...
