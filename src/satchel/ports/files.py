"""The files a store consists of, and those that memories leave and come in by."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from msgspec import Struct

from satchel.domain.answers import Finding


class FileSearch(Struct, frozen=True):
    """What a search of the store's files came to."""

    files: int
    bytes: int
    holding: tuple[str, ...]
    """The files, relative to the store, that hold one of the needles."""


class Files(Protocol):
    """The files a store consists of, as a whole."""

    @property
    def folder(self) -> str:
        """Where they are."""
        ...

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        """Look for any of the needles in every file."""
        ...

    def check_up(self, *, fix: bool = False) -> list[Finding]:
        """Examine permissions and free space."""
        ...


class Incoming(Struct, frozen=True):
    """A file that is being read."""

    chunks: Iterator[bytes]
    size: int | None
    """How many bytes there are, where that is known."""


class Exchange(Protocol):
    """The files that memories leave by and come in by."""

    def check(self, path: str, *, force: bool) -> None:
        """Refuse a path that nothing can or may be written to."""
        ...

    def write(self, path: str, pieces: Iterable[bytes], *, force: bool) -> int:
        """Write a file for its owner's eyes only, whole or not at all; return its size. Replaces one only by force."""
        ...

    def read(self, path: str) -> AbstractContextManager[Incoming]:
        """Open a file for reading."""
        ...
