"""The spool: where events wait until the ledger takes them in, and where those go that are none."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from satchel.domain.spool import Cursor, DeadLetter, SpoolLine


class Spool(Protocol):
    """Files of lines that only grow. A file keeps its name, and a line its place, for good."""

    def append(self, lines: Sequence[bytes]) -> None:
        """Add lines, each with its end. They are on disk when this returns, all of them or none."""
        ...

    def bury(self, letters: Sequence[DeadLetter]) -> None:
        """Keep lines that are no events, each with its reason."""
        ...

    def put(self, name: str, text: str) -> None:
        """Put a long text aside under the name of its digest."""
        ...

    def sources(self) -> list[str]:
        """Return the names of the files that may hold something new, oldest first."""
        ...

    def outside(self, path: str) -> str:
        """Return the name by which another file can be read like one of the spool. Refuses what is no plain file."""
        ...

    def size(self, source: str) -> int:
        """Return how many bytes a file has."""
        ...

    def lines(self, source: str, cursor: Cursor | None) -> Iterator[SpoolLine]:
        """Yield the lines after a cursor, or from the beginning when the file is another one by now."""
        ...

    def cursor(self, source: str, position: int) -> Cursor:
        """Return the mark of a place in a file."""
        ...

    def buried(self) -> frozenset[tuple[str, int]]:
        """Return which lines are dead letters already, by source and offset."""
        ...

    def get(self, name: str) -> str:
        """Return a text that was put aside. Raises NotFound."""
        ...

    def artifacts(self) -> list[str]:
        """Return the names of all that was put aside."""
        ...

    def alone(self) -> AbstractContextManager[None]:
        """Keep other readers out; writers may go on."""
        ...

    def archive(self, source: str) -> bool:
        """Move a file that was read to its end out of the way; False for the one that is being written."""
        ...

    def scrub(self, needles: Sequence[bytes], is_meant: Callable[[bytes], bool]) -> int:
        """Blank every line, dead letters included, that holds one of the needles and is meant; return how many."""
        ...

    def remove(self, name: str) -> None:
        """Erase what was put aside under a name."""
        ...

    def wait(self, seconds: float) -> None:
        """Let some time pass."""
        ...
