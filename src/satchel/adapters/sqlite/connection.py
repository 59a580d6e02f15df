"""A connection to a ledger file, with what SQLite does in its own way: full text."""

import time
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import apsw
from msgspec.json import decode

from satchel.adapters.sql import full_text
from satchel.adapters.sql.full_text import MEMORIES, TOKENIZER, FullText, fts5_expression
from satchel.adapters.sql.where import one_of

LOOK_SECONDS = 0.005
# "SaTc": marks the file as a ledger, so that another program's database is never used as one.
APPLICATION_ID = 0x53615463
# Listing the rows of a scope takes as long as looking up one match for this many of them.
ROWS_PER_LOOKUP = 4
# Scopes that have more rows are not listed, and sizes are counted again when the store has grown by this factor.
MAX_LISTED = 100_000
GROWTH = 1.2
# What a map has for each row in its scopes.
IN_SCOPE = 1
# How many prepared statements are kept. A recall has some sixty, most of them with one text for each number of ids.
KEPT_STATEMENTS = 400
# How many sizes are remembered, and how many maps of the rows of scopes, of one byte for each row of the store.
KEPT_SIZES, KEPT_MAPS = 256, 4


class Connection(apsw.Connection):
    """Implements the connection of the stores over SQLite."""

    indexes_scopes: ClassVar[bool] = False
    patience_ms = 0
    """How long a statement waits for the lock of another connection."""

    def __init__(self, filename: str, *, flags: int = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE) -> None:
        super().__init__(filename, flags=flags, statementcachesize=KEPT_STATEMENTS)
        self._sizes: dict[tuple[str, ...], tuple[int, int]] = {}
        self._maps: dict[tuple[str, ...], bytes] = {}
        self._maps_at: tuple[int, int] | None = None

    def set_busy_timeout(self, milliseconds: int) -> None:
        """Wait for another connection's lock so long at most, and look for it every few milliseconds.

        SQLite's own waits grow to 100 ms each, and so miss the short gaps between the batches of a long change.
        """
        self.patience_ms = milliseconds
        began = 0.0

        def wait(tries: int) -> bool:
            nonlocal began
            if tries == 0:
                began = time.monotonic()
            if (time.monotonic() - began) * 1000 >= milliseconds:
                return False
            time.sleep(LOOK_SECONDS)
            return True

        self.set_busy_handler(wait)

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns."""
        return [name for (name,) in self.execute("SELECT name FROM pragma_table_info(?)", (table,))]

    def schema_version(self) -> int:
        """Return how many migrations the ledger has run."""
        return int(self.execute("PRAGMA user_version").get)

    def set_schema_version(self, version: int) -> None:
        """Record how many migrations the ledger has run, and that it is one."""
        self.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self.execute(f"PRAGMA user_version = {version}")

    def advance(self, sequence: str, count: int = 1) -> int:
        """Take the next numbers of a change sequence; return the last of them."""
        # By rowid, and without RETURNING: otherwise SQLite opens a statement journal, for which FTS5 flushes its pending
        # writes at every record instead of once in a while.
        self.execute(f"UPDATE {sequence} SET value = value + ? WHERE rowid = 1", (count,))
        return int(self.execute(f"SELECT value FROM {sequence}").get)

    # Full text

    def create_full_text(self, text: FullText, *, temporary: bool = False) -> None:
        """Create a full-text table."""
        place = "temp." if temporary else ""
        self.execute(
            f"CREATE VIRTUAL TABLE {place}{text.table} USING fts5 "
            f"({', '.join(text.columns)}, content = '', tokenize = '{' '.join(TOKENIZER)}')"
        )
        if not temporary:
            # Otherwise deleted words stay in the full-text pages until a merge.
            self.execute(f"INSERT INTO {text.table} ({text.table}, rank) VALUES ('secure-delete', 1)")

    def add_words(self, text: FullText, entries: Iterable[tuple[int, Sequence[str], str]]) -> None:
        """Index rows, each with the values of its columns. The scope is looked up in the record."""
        places = ", ".join("?" * len(text.columns))
        self.executemany(
            f"INSERT INTO {text.table} (rowid, {', '.join(text.columns)}) VALUES (?, {places})",
            ((row, *values) for row, values, _ in entries),
        )

    def remove_words(self, text: FullText, row: int, values: Sequence[str]) -> None:
        """Remove a row from the index. FTS5 needs exactly the text that was indexed."""
        places = ", ".join("?" * len(values))
        columns = f"{text.table}, rowid, {', '.join(text.columns)}"
        self.execute(f"INSERT INTO {text.table} ({columns}) VALUES ('delete', ?, {places})", (row, *values))

    def clear_words(self, text: FullText) -> None:
        """Empty a full-text table."""
        self.execute(f"INSERT INTO {text.table} ({text.table}) VALUES ('delete-all')")

    def matches(self, text: FullText) -> str:
        """Return the query for rows and BM25 scores of what matches its one parameter, a match value."""
        weights = ", ".join(map(str, text.weights))
        return (
            f"(SELECT rowid AS row, -bm25({text.table}, {weights}) AS score "
            f"FROM {text.table} WHERE {text.table} MATCH ?)"
        )

    def match_value(self, terms: Sequence[str], scopes: Sequence[str] | None = None) -> str:
        """Return the parameter that finds any of some terms. Scopes are looked up in the records."""
        return fts5_expression(terms)

    def memories_in(self, scopes: Sequence[str], terms: Sequence[str]) -> tuple[str, list[Any]]:
        """Return a condition on `found.row`, true of matching memories in some scopes, that spares a look at the others.

        Most matches of a common word are in other scopes. A map of the rows of a scope tells so in less time than
        the record of each, unless there are few matches, or the scope has most of the store.
        """
        named = tuple(scopes)
        if named not in self._current_maps():
            size, in_all = self._size_of(named)
            enough = size // ROWS_PER_LOOKUP
            if not enough or size > min(MAX_LISTED, in_all // 2) or self._count_up_to(enough, terms) < enough:
                return "true", []
        # Faster than a subquery for the rows, whose list SQLite would make again for every search of a recall.
        return f"substr(?, found.row + 1, 1) = x'{IN_SCOPE:02x}'", [self._map_of(named)]

    def _current_maps(self) -> dict[tuple[str, ...], bytes]:
        """Return the maps that were made since the last change."""
        # The version shows that another process has put back an older state, whose numbers are used again.
        now = self.execute("SELECT value, (SELECT data_version FROM pragma_data_version) FROM sequence").get
        if self.txn_state("main") == apsw.SQLITE_TXN_WRITE:
            # Its changes may be rolled back.
            now = None
        if now is None or now != self._maps_at:
            self._maps_at = now
            self._maps.clear()
        return self._maps

    def _map_of(self, scopes: tuple[str, ...]) -> bytes:
        """Return a byte for each row of the store, which is IN_SCOPE if the row is in one of the scopes."""
        maps = self._current_maps()
        if scopes not in maps:
            within, values = one_of("m.scope", scopes)
            # As one text: fetching a row at a time takes three times as long.
            query = f"SELECT '[' || group_concat(m.row) || ']' FROM memories m INDEXED BY memories_trust WHERE {within}"
            listed = self.execute(query, values).get
            marks = bytearray(int(self.execute("SELECT coalesce(max(row), 0) + 1 FROM memories").get))
            for row in decode(listed or "[]", type=list[int]):
                marks[row] = IN_SCOPE
            if len(maps) >= KEPT_MAPS:
                maps.clear()
            maps[scopes] = bytes(marks)
        return maps[scopes]

    def _size_of(self, scopes: tuple[str, ...]) -> tuple[int, int]:
        """Return about how many memories some scopes have, and the whole store: only the way of a search depends on it."""
        in_all = int(self.execute("SELECT coalesce(max(row), 0) FROM memories").get)
        size, then = self._sizes.get(scopes, (0, 0))
        if in_all > GROWTH * then:
            within, values = one_of("m.scope", scopes)
            query = f"SELECT count(*) FROM (SELECT 1 FROM memories m INDEXED BY memories_trust WHERE {within} LIMIT ?)"
            size = int(self.execute(query, [*values, MAX_LISTED + 1]).get)
            if len(self._sizes) >= KEPT_SIZES:
                self._sizes.clear()
            self._sizes[scopes] = size, in_all
        return size, in_all

    def _count_up_to(self, most: int, terms: Sequence[str]) -> int:
        query = f"SELECT count(*) FROM (SELECT 1 FROM {MEMORIES.table} WHERE {MEMORIES.table} MATCH ? LIMIT ?)"
        return int(self.execute(query, (fts5_expression(terms), most)).get)

    def count_matches(self, text: FullText, terms: Sequence[str]) -> dict[str, int]:
        """Return how many rows match each term, up to MAX_COUNTED."""
        query = f"SELECT count(*) FROM (SELECT 1 FROM {text.table} WHERE {text.table} MATCH ? LIMIT {full_text.MAX_COUNTED})"
        return {term: int(self.execute(query, (fts5_expression([term]),)).get) for term in terms}

    def count_indexed(self, text: FullText) -> int:
        """Count the indexed rows."""
        return int(self.execute(f"SELECT count(*) FROM {text.table}_docsize").get)

    def highest_row(self, text: FullText) -> int:
        """Return the highest number of a row that a full-text table must have; 0 without rows."""
        return int(self.execute(f"SELECT coalesce(max(row), 0) FROM ({text.records})").get)

    def count_mismatches(self, text: FullText) -> int:
        """Count the records that a full-text table lacks, and those that it has in excess; raise if it is damaged."""
        self.execute(f"INSERT INTO {text.table} ({text.table}) VALUES ('integrity-check')")
        return self.count_missing(text)

    def count_missing(self, text: FullText) -> int:
        """Count those records without checking the words of the others, which a read-only connection cannot."""
        rows, indexed = text.records, f"SELECT id FROM {text.table}_docsize"
        query = f"SELECT (SELECT count(*) FROM ({rows} EXCEPT {indexed})) + (SELECT count(*) FROM ({indexed} EXCEPT {rows}))"
        return int(self.execute(query).get)
