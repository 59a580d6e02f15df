"""The spool: events waiting to be ingested, dead letters, and large payloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.spool import Cursor, DeadLetter, SpoolLine


class Spool(Protocol):
    """Append-only files of lines. File names and line offsets never change."""

    def append(self, lines: Sequence[bytes]) -> None:
        """Add lines, each with its line break. All or none are on disk when this returns."""
        ...

    def add_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        """Store lines that are not events, each with the reason."""
        ...

    def put(self, name: str, text: str) -> None:
        """Store a large payload under its digest."""
        ...

    def sources(self) -> list[str]:
        """Return the names of the files that may have new lines, oldest first."""
        ...

    def resolve_file(self, path: str) -> str:
        """Return the name by which another file is read like one of the spool. Refuses anything but a regular file."""
        ...

    def size(self, source: str) -> int:
        """Return the size of a file in bytes."""
        ...

    def lines(self, source: str, cursor: Cursor | None) -> Iterator[SpoolLine]:
        """Yield the lines after a cursor, or from the start if the file has been replaced."""
        ...

    def cursor(self, source: str, position: int) -> Cursor:
        """Return the cursor for a position in a file."""
        ...

    def dead_letters(self) -> frozenset[tuple[str, int]]:
        """Return the source and offset of every dead letter."""
        ...

    def get(self, name: str) -> str:
        """Return a stored payload. Raises NotFound."""
        ...

    def artifacts(self) -> list[str]:
        """Return the names of all stored payloads."""
        ...

    def ingest_lock(self) -> AbstractContextManager[None]:
        """Lock out other ingesting processes; writers may continue."""
        ...

    def archive(self, source: str) -> bool:
        """Archive a file that was read to its end; False for the one being written."""
        ...

    def scrub(self, needles: Sequence[bytes], matches: Callable[[bytes], bool]) -> int:
        """Blank every line, dead letters included, that contains any needle and matches; return how many."""
        ...

    def remove(self, name: str) -> None:
        """Erase a stored payload."""
        ...

    def wait(self, seconds: float) -> None:
        """Sleep."""
        ...
