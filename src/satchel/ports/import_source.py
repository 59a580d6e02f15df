"""What a person names to import: a file, a folder, an archive or another program's database. It is only read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from satchel.domain.document import SkippedFile


class SourceForm(StrEnum):
    """What there is at a path."""

    FILE = "file"
    FOLDER = "folder"
    ARCHIVE = "archive"
    DATABASE = "database"
    STREAM = "stream"
    """Something that can be read only once, such as a pipe."""


class SourceFile(Struct, frozen=True):
    """A file of a source, by its path below it."""

    path: str
    size: int
    at: int | None = None
    """When it was last changed, in milliseconds."""


class ImportSource(Protocol):
    """An opened source. Nothing outside of it is read, whatever names and links in it say."""

    @property
    def form(self) -> SourceForm:
        """What it is."""
        ...

    @property
    def path(self) -> str:
        """Where it is, absolute, without links; empty for a stream."""
        ...

    @property
    def name(self) -> str:
        """The last part of its path, or what an upload was called where it came from."""
        ...

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        """Yield its files by path, and those that cannot be read with the reason."""
        ...

    def chunks(self, path: str) -> Iterator[bytes]:
        """Yield the bytes of one of its files. Raises InvalidRequest if they are damaged, or more than is allowed."""
        ...

    def tables(self) -> Mapping[str, frozenset[str]]:
        """Return the columns of each table; empty if it is not a database. Raises SatchelError if it cannot be read."""
        ...

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """Yield columns of every row of a table, in the order of some columns, from one state of the database."""
        ...


class ImportSources(Protocol):
    """Opens what a person names."""

    def open(self, path: str, name: str | None = None) -> AbstractContextManager[ImportSource]:
        """Open a source for reading. Raises NotFound, InvalidRequest or Unavailable.

        `name` says that it is an upload, and what the file was called where it came from.
        """
        ...
