"""Documents, the files they are read from, and their chunks."""

from enum import StrEnum

from msgspec import Struct


class DocKind(StrEnum):
    """The kind of a document, which decides how it is chunked."""

    MARKDOWN = "markdown"
    TEXT = "text"
    CODE = "code"


class Chunk(Struct, frozen=True):
    """Consecutive lines of a document, with the headings or definitions above them."""

    number: int
    """Its position in the document, from 1."""
    text: str
    first_line: int
    last_line: int
    heading: tuple[str, ...] = ()


class FolderSelection(Struct, frozen=True):
    """A folder to read, and the globs that select its files."""

    root: str
    globs: tuple[str, ...] = ()


class FoundFile(Struct, frozen=True):
    """A file found in a folder, with its path below the root."""

    path: str
    size: int
    modified_ns: int


class SkippedFile(Struct, frozen=True):
    """A file or folder that was skipped, and why."""

    path: str
    reason: str
    lasting: bool = True
    """Whether the reason lasts until the file changes. If so, its earlier chunks are removed; otherwise they stay."""


class FileText(Struct, frozen=True):
    """The decoded content of a file, with its digest."""

    text: str
    digest: str
    size: int
    modified_ns: int


class Document(Struct, frozen=True):
    """A document as it was last ingested, with what is needed to detect changes."""

    scope: str
    collection: str
    path: str
    kind: DocKind
    size: int
    modified_ns: int
    """Modification time of the file; 0 if unreliable."""
    digest: str
    cut: str
    """The chunking version; another version makes other chunks of the same text."""
    chunks: int
    added_at: int


class Collection(Struct, frozen=True):
    """A set of documents: an ingested folder, or texts passed by the caller."""

    scope: str
    name: str
    root: str
    """A digest of the folder's path, to keep the path private; empty for texts passed by the caller."""
    documents: int = 0
    chunks: int = 0
    code: int = 0
    """Number of chunks of source code."""


class ChunkLocation(Struct, frozen=True):
    """The location of a chunk, stored beside its text."""

    collection: str
    path: str
    kind: DocKind
    heading: tuple[str, ...]
    first_line: int
    last_line: int
    chunk: str
    """Its content-derived name within the document."""

    @property
    def citation(self) -> str:
        """The citation of the chunk."""
        return f"doc:{self.collection}:{self.path}#{self.chunk}"

    @property
    def title(self) -> str:
        """Its last heading or definition, or else its file name."""
        return self.heading[-1] if self.heading else self.path.rpartition("/")[2]


def collection_key(scope: str, collection: str) -> str:
    """Return the key of a collection across scopes."""
    return f"{scope}:{collection}"


def group_of(collection: str, path: str) -> str:
    """Return the group key of a document's chunks."""
    return f"{collection}:{path}"
