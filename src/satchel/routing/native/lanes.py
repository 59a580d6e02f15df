"""What the native backends search: lanes of the store, handed in by whoever has it open."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from satchel.domain.routing import Asked, Reply, Traversal
from satchel.errors import BackendFailed


class Finding(Struct, frozen=True):
    """What a lane found: a text, how relevant it is whatever else was found, and when it was remembered."""

    id: str
    text: str
    relevance: float
    recorded_at: int
    happened_at: int | None = None
    path: str | None = None
    line: int | None = None
    expanded_from: str | None = None
    traversal: Traversal | None = None


class Found(Struct, frozen=True):
    """What a lane found, best first, and what should be known of how."""

    findings: tuple[Finding, ...]
    note: str | None = None


class Search(Protocol):
    """A lane that is searched by words (search), by meaning (vsearch), or by both (query)."""

    def __call__(self, text: str, *, mode: str, limit: int, scope: str | None) -> Found: ...


class Recent(Protocol):
    """A lane that lists what is new, newest first."""

    def __call__(self, *, limit: int, scope: str | None) -> Found: ...


class Relate(Protocol):
    """A lane that follows relations from the entities that a question names."""

    def __call__(self, text: str, *, limit: int, scope: str | None) -> Found: ...


class Lanes(Struct, frozen=True):
    """The lanes of a store. One that is not there makes its backend one that is not there either."""

    memories: Search
    recent: Recent
    sessions: Search | None = None
    """What was observed in sessions."""
    documents: Search | None = None
    graph: Relate | None = None
    conversations: Search | None = None


class Native(Struct, frozen=True):
    """A backend of Satchel's own. Implements ports.backend.Backend."""

    name: str
    answer: "Answer"

    def ask(self, asked: Asked) -> Reply:
        """Answer a query."""
        return self.answer(asked)


class Answer(Protocol):
    """What a native backend does."""

    def __call__(self, asked: Asked) -> Reply: ...


def unlisted(name: str) -> BackendFailed:
    """Return the error of a backend that has no lane."""
    return BackendFailed(f"there is no native backend {name[:40]!r}", code="BACKEND_UNAVAILABLE")


Backends = Mapping[str, Native]
