"""The files of a store, and the files of exports and imports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

if TYPE_CHECKING:
    from satchel.domain.answers import HealthFinding


class FileSearch(Struct, frozen=True):
    """The result of a search through the store's files."""

    files: int
    bytes: int
    holding: tuple[str, ...]
    """The files, relative to the store, that contain any of the needles; also tables, of a store in a database."""
    tables: int = 0
    """How many tables of a database were searched."""
    unseen: str = ""
    """What could not be searched."""


class Files(Protocol):
    """All files of a store."""

    @property
    def folder(self) -> str:
        """The folder of the store."""
        ...

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        """Search every file for any of the needles."""
        ...

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        """Check permissions and free space."""
        ...


class Incoming(Struct, frozen=True):
    """A file that is being read."""

    chunks: Iterator[bytes]
    size: int | None
    """The number of bytes, if known."""


class Exchange(Protocol):
    """The files of exports and imports."""

    def check(self, path: str, *, force: bool) -> None:
        """Raise an error for a path that cannot or must not be written."""
        ...

    def write(self, path: str, pieces: Iterable[bytes], *, force: bool) -> int:
        """Write a private file atomically and return its size. An existing one is replaced only with `force`."""
        ...

    def check_folder(self, path: str) -> None:
        """Raise an error for a folder that exists already or cannot be made."""
        ...

    def write_folder(self, path: str, files: Iterable[tuple[str, bytes]]) -> int:
        """Write files, by their paths below a new private folder, all or none, and return their size."""
        ...

    def read(self, path: str) -> AbstractContextManager[Incoming]:
        """Open a file for reading."""
        ...
