"""What the stores need of a database engine: SQLite has it, and PostgreSQL.

Their SQL is understood by both; what an engine does in its own way, such as full text, is a method here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

if TYPE_CHECKING:
    from satchel.adapters.sql.full_text import FullText

Row: TypeAlias = tuple[Any, ...]

# How long a write waits for other writers. With sixteen of them, up to 6 s were measured.
WRITE_TIMEOUT_MS = 60_000
# How long a write waits that a read can do without: of its receipt, of counts of use, of vectors for waiting texts.
OPTIONAL_WRITE_TIMEOUT_MS = 250
# Texts to embed are divided into so many shares by their row numbers; a process that embeds claims some of them.
SHARES = 64


class Cursor(Protocol):
    """The rows of a statement."""

    def __iter__(self) -> Iterator[Row]: ...

    def __next__(self) -> Row: ...

    def fetchall(self) -> list[Row]: ...

    @property
    def get(self) -> Any:
        """The first row, or its value if it has only one; None without rows."""
        ...


class Connection(Protocol):
    """A connection in a transaction."""

    indexes_scopes: ClassVar[bool]
    """Whether the index of words also has the scope of each row."""

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor: ...

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]], /) -> Any: ...

    def last_insert_rowid(self) -> int:
        """Return the number that the last inserted row was given."""
        ...

    def advance(self, sequence: str, count: int = 1) -> int:
        """Take the next numbers of a change sequence; return the last of them."""
        ...

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns; none if there is no such table."""
        ...

    def schema_version(self) -> int:
        """Return how many migrations the store has run."""
        ...

    def set_schema_version(self, version: int) -> None:
        """Record how many migrations the store has run."""
        ...

    def create_full_text(self, text: FullText, *, temporary: bool = False) -> None:
        """Create a full-text table."""
        ...

    def add_words(self, text: FullText, entries: Iterable[tuple[int, Sequence[str], str]]) -> None:
        """Index rows, each with the values of its columns and its scope."""
        ...

    def remove_words(self, text: FullText, row: int, values: Sequence[str]) -> None:
        """Remove a row from the index. The values must be exactly those that were indexed."""
        ...

    def clear_words(self, text: FullText) -> None:
        """Empty a full-text table."""
        ...

    def matches(self, text: FullText) -> str:
        """Return the query for rows and BM25 scores of what matches its one parameter, a match value."""
        ...

    def match_value(self, terms: Sequence[str], scopes: Sequence[str] | None = None) -> str:
        """Return the parameter that finds any of some terms, in some scopes if the engine can tell them."""
        ...

    def memories_in(self, scopes: Sequence[str], terms: Sequence[str]) -> tuple[str, list[Any]]:
        """Return a condition on `found.row`, true of matching memories in some scopes, that spares a look at the others.

        Where it would save nothing, it is true of every row.
        """
        ...

    def count_matches(self, text: FullText, terms: Sequence[str]) -> dict[str, int]:
        """Return how many rows match each term, up to MAX_COUNTED."""
        ...

    def count_indexed(self, text: FullText) -> int:
        """Count the indexed rows."""
        ...

    def highest_row(self, text: FullText) -> int:
        """Return the highest number of a row that a full-text table must have, also of a hidden one; 0 without rows."""
        ...

    def count_mismatches(self, text: FullText) -> int:
        """Count the records that a full-text table lacks, and those that it has in excess; raise if it is damaged."""
        ...

    def count_missing(self, text: FullText) -> int:
        """Count those records without checking the words of the others."""
        ...


class Database(Protocol):
    """A database that holds a store."""

    path: Path | None
    """The file; None if it is none."""

    @property
    def read_only(self) -> bool: ...

    @property
    def location(self) -> str:
        """The path or address, without a password."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """Read one consistent state, without blocking writers."""
        ...

    def reading_once(self) -> AbstractContextManager[Connection]:
        """Read with one statement, all of whose rows are taken within the block: it sees one state without a transaction."""
        ...

    def snapshot(self) -> AbstractContextManager[Connection]:
        """Read one state for a long time, on a separate connection that blocks nobody."""
        ...

    def writing(self, *, optional: bool = False, durable: bool = True) -> AbstractContextManager[Connection]:
        """Run a write transaction: durable when the block ends, or rolled back. A nested one joins the outer."""
        ...

    def bulk(self) -> AbstractContextManager[None]:
        """Prepare for many large write transactions one after another, until the block ends."""
        ...

    def claim_shares(self, shares: Sequence[int], count: int) -> AbstractContextManager[Sequence[int]]:
        """Claim some shares of the texts to embed, until the block ends; none if other processes have them."""
        ...

    def wait_for_write(self, seconds: float) -> bool:
        """Wait for a write of any process, some seconds at most; return whether there may have been one."""
        ...

    def truncate_log(self, timeout_ms: int) -> bool:
        """Remove erased text from the log of changes; False when readers prevented it."""
        ...

    def close(self) -> None: ...


def first(rows: Cursor) -> Row | None:
    """Return the first row or None. Reads all rows, since an unfinished statement would keep the log from truncation."""
    return next(iter(rows.fetchall()), None)


def next_seq(db: Connection) -> int:
    """Take the next number of the store's change sequence."""
    return db.advance("sequence")


def next_seqs(db: Connection, count: int) -> range:
    """Take the next numbers of the store's change sequence."""
    last = db.advance("sequence", count)
    return range(last - count + 1, last + 1)
