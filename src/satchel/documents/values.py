"""Answers of the operations on documents."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from satchel.domain.answers import ErasureCheck
from satchel.domain.document import Collection, Document, Skipped
from satchel.domain.document_hits import DocHit
from satchel.domain.outcome import Outcome, failed_if


class DocMode(StrEnum):
    """How documents are searched: by words, by meaning, or by both."""

    SEARCH = "search"
    VSEARCH = "vsearch"
    QUERY = "query"


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

    @property
    def outcome(self) -> Outcome:
        """Failed while traces remain, or when the check could not prove that none do."""
        return failed_if(bool(self.pending) or (self.check is not None and not self.check.proves))
