"""Results of the operations on documents."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field

from satchel.domain.document import Collection, Document, SkippedFile
from satchel.domain.document_hits import DocHit
from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.erasure import ErasureCheck


class DocMode(StrEnum):
    """How documents are searched: by words, by meaning, or both."""

    SEARCH = "search"
    VSEARCH = "vsearch"
    QUERY = "query"


class DocsFound(Struct, frozen=True):
    """The result of a document search."""

    hits: tuple[DocHit, ...]
    relevance: float
    mode: DocMode
    answered_by: DocMode
    """The mode actually used: lexical if the embedding model was not available."""
    scope: str
    collections: tuple[str, ...]
    """The searched collections."""


class DocPiece(Struct, frozen=True):
    """One piece of a document."""

    citation: str
    text: str


class DocShown(Struct, frozen=True):
    """A document, or one piece of it."""

    scope: str
    collection: str
    path: str
    kind: str
    pieces: tuple[DocPiece, ...]


class DocsIngested(Struct, frozen=True):
    """Counts of a document ingest."""

    scope: str
    collections: tuple[str, ...]
    files_matched: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    """Added documents whose content was removed under another name."""
    skipped: tuple[SkippedFile, ...] = ()
    """Skipped files with reasons, at most a hundred."""
    skipped_for: Mapping[str, int] = field(default_factory=dict)
    """Number of skipped files by reason."""
    chunks_inserted: int = 0
    chunks_updated: int = 0
    """Chunks that replaced others or moved."""
    chunks_deleted: int = 0
    chunks_unchanged: int = 0
    secrets_masked: int = 0
    batches: int = 0
    embedded: int = 0
    embeddings_waiting: int = 0

    @property
    def wrote(self) -> bool:
        """Whether anything changed."""
        return bool(self.added or self.changed or self.removed)


class DocsListed(Struct, frozen=True):
    """A page of documents and their collections."""

    collections: tuple[Collection, ...]
    documents: tuple[Document, ...]
    next: str | None


class DocsForgotten(Struct, frozen=True):
    """The result of forgetting documents."""

    collection: str
    documents: int
    chunks: int
    erased_from: tuple[str, ...]
    pending: tuple[str, ...]
    check: ErasureCheck | None = None

    @property
    def outcome(self) -> Outcome:
        """Failed while traces remain, or if the check could not prove that none do."""
        return failed_if(bool(self.pending) or (self.check is not None and not self.check.proves))
