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


class Sighted(Struct, frozen=True):
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
