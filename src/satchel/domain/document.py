"""Documents: what a person wrote, cut into chunks that can be found and cited."""

from enum import StrEnum

from msgspec import Struct


class DocKind(StrEnum):
    """What sort of document it is, which decides how it is cut."""

    MARKDOWN = "markdown"
    TEXT = "text"
    CODE = "code"


class Chunk(Struct, frozen=True):
    """A piece of a document: lines that belong together, and the headings or definitions that lead to them."""

    number: int
    """Its place among the chunks of its document, from 1."""
    text: str
    first_line: int
    last_line: int
    heading: tuple[str, ...] = ()


class Located(Struct, frozen=True):
    """A folder to read, and which of its files are meant."""

    root: str
    globs: tuple[str, ...] = ()


class FoundFile(Struct, frozen=True):
    """A file as a walk found it, by its path below the root."""

    path: str
    size: int
    modified_ns: int


class Skipped(Struct, frozen=True):
    """A file or folder that was left out, and why."""

    path: str
    reason: str
    lasting: bool = True
    """Whether that is so for as long as the file is what it is: what was known of it before goes. Else it stays."""


class ReadText(Struct, frozen=True):
    """What a file says: decoded, with its digest, as it was at one moment."""

    text: str
    digest: str
    size: int
    modified_ns: int


class Document(Struct, frozen=True):
    """A document as it was last taken in: where it belongs, and what tells whether it has changed."""

    scope: str
    collection: str
    path: str
    kind: DocKind
    size: int
    modified_ns: int
    """When its file was changed last; 0 where that cannot be relied on."""
    digest: str
    cut: str
    """How it was cut: another way makes other chunks of the same text."""
    chunks: int
    added_at: int


class Collection(Struct, frozen=True):
    """Documents that belong together: a folder that was taken in, or texts that were given."""

    scope: str
    name: str
    root: str
    """A digest of the folder's path, which itself is nobody's business; empty for texts that were given."""
    documents: int = 0
    chunks: int = 0
    code: int = 0
    """How many of the chunks are source code."""


class Place(Struct, frozen=True):
    """Where in which document a chunk stands: what is kept beside its text."""

    collection: str
    path: str
    kind: DocKind
    heading: tuple[str, ...]
    first_line: int
    last_line: int
    chunk: str
    """Its name within the document, which is made of what it says."""

    @property
    def citation(self) -> str:
        """How it is cited."""
        return f"doc:{self.collection}:{self.path}#{self.chunk}"

    @property
    def title(self) -> str:
        """What it is called: its last heading or definition, else the name of its file."""
        return self.heading[-1] if self.heading else self.path.rpartition("/")[2]
