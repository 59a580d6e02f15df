"""Answers of the operations on documents."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from satchel.domain.answers import ErasureCheck
from satchel.domain.canonical import Json
from satchel.domain.document import Collection, DocKind, Document, Skipped
from satchel.domain.passage import PassageId
from satchel.domain.ranking import Contribution
from satchel.domain.record import SourceKind, Trust


class DocMode(StrEnum):
    """How documents are searched: by words, by meaning, or by both."""

    SEARCH = "search"
    VSEARCH = "vsearch"
    QUERY = "query"


class DocHit(Struct, frozen=True):
    """A piece of a document in an answer: what it says, how it is cited, and why it stands where it stands."""

    id: PassageId
    citation: str
    """doc:<collection>:<path>#<chunk>"""
    ref: str
    """What its source calls the document: its path, or the name it was given."""
    collection: str
    path: str
    kind: DocKind
    title: str
    heading: tuple[str, ...]
    first_line: int
    last_line: int
    text: str
    scope: str
    rank: int
    score: float
    contributions: tuple[Contribution, ...]
    relevance: float
    """From 0 to 1: how likely it is about what was asked, whatever else was found."""
    match: tuple[str, ...]
    """What found it: lexical, vector, exact."""
    at: int | None
    """When the document was changed last."""
    source_kind: SourceKind = SourceKind.OPERATOR
    trust: Trust = Trust.TRUSTED


class DocsFound(Struct, frozen=True):
    """What a search of documents came to."""

    hits: tuple[DocHit, ...]
    relevance: float
    mode: DocMode
    answered_by: DocMode
    """How it was really searched: by words alone where meaning could not be asked."""
    scope: str
    collections: tuple[str, ...]
    """The collections that were searched."""


class DocsIngested(Struct, frozen=True):
    """What taking documents in came to."""

    scope: str
    collections: tuple[str, ...]
    files_matched: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    """How many of those that were added are what was removed, under another name."""
    skipped: tuple[Skipped, ...] = ()
    """Files that were left out, each with the reason; the first hundred of them."""
    skipped_for: Mapping[str, int] = field(default_factory=dict)
    """How many were left out for each reason."""
    chunks_inserted: int = 0
    chunks_updated: int = 0
    """Pieces that took the place of others, or moved."""
    chunks_deleted: int = 0
    chunks_unchanged: int = 0
    secrets_masked: int = 0
    batches: int = 0
    embedded: int = 0
    embeddings_waiting: int = 0

    @property
    def wrote(self) -> bool:
        """Whether anything was changed."""
        return bool(self.added or self.changed or self.removed)


class DocsListed(Struct, frozen=True):
    """Documents, a page of them, and the collections they belong to."""

    collections: tuple[Collection, ...]
    documents: tuple[Document, ...]
    next: str | None


class DocsForgotten(Struct, frozen=True):
    """What became of a request to forget documents."""

    collection: str
    documents: int
    chunks: int
    erased_from: tuple[str, ...]
    pending: tuple[str, ...]
    check: ErasureCheck | None = None


class ColdLane(Struct, frozen=True):
    """What documents gave to a recall that had found too little, and what the receipt says of it."""

    docs: tuple[DocHit, ...] = ()
    section: Mapping[str, Json] = field(default_factory=dict)
