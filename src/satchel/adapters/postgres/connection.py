"""A connection to PostgreSQL as the stores use one: their SQL, and full text."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import psycopg

from satchel.adapters.postgres.arrays import FLOATS, NUMBERS, TEXTS, array_of
from satchel.adapters.postgres.bulk import FEWEST_ROWS, bulk_call, bulk_statement
from satchel.adapters.postgres.dialect import bound, translate
from satchel.adapters.postgres.word_counts import WordCounts
from satchel.adapters.postgres.words import indexed_text, question
from satchel.adapters.sql import full_text
from satchel.adapters.sql.full_text import FullText

Row = tuple[Any, ...]
# The most parameters of a statement that the driver may prepare.
MAX_PREPARED = 50
# The words of some texts wait, to be put into the index together, which takes a fifth of the time. Searches read what waits,
# so there is little of it: kB.
WAITING_WORDS = "gin_pending_list_limit = 64"
_ANSWERS = re.compile(r"^\s*SELECT\b|^\s*WITH\b(?!.*\b(?:INSERT INTO|UPDATE|DELETE FROM)\b)|\bRETURNING\b", re.DOTALL)


class Cursor:
    """The rows of a statement, all of them read."""

    def __init__(self, rows: list[Row]) -> None:
        self._rows = iter(rows)

    def __iter__(self) -> Iterator[Row]:
        return self._rows

    def __next__(self) -> Row:
        return next(self._rows)

    def fetchall(self) -> list[Row]:
        return list(self._rows)

    @property
    def get(self) -> Any:
        """The first row, or its value if it has only one; None without rows."""
        row = next(self._rows, None)
        return row[0] if row is not None and len(row) == 1 else row


class Connection:
    """Implements the connection of the stores over PostgreSQL."""

    indexes_scopes: ClassVar[bool] = True

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self.raw = connection
        # Counters are written once, at the end: a row that is updated again and again in one transaction gets slow.
        self._advanced: dict[str, int] = {}
        self._grown: dict[str, tuple[int, int]] = {}
        self._word_counts = WordCounts()
        self._uncounted = set[str]()

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Cursor:
        if (self._advanced and "sequence" in sql) or (self._grown and "match_words" in sql):
            self.write_counters()
        statement = translate(sql)
        return self._run(statement.text, bound(statement, values))

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        given = list(rows)
        bulk = bulk_statement(sql) if len(given) >= FEWEST_ROWS else None
        if bulk is not None and (call := bulk_call(bulk, given)) is not None:
            self._run(call.text, call.values)
            return
        statement = translate(sql)
        with self.raw.cursor() as cursor:
            cursor.executemany(statement.text, [bound(statement, values) for values in given])

    def last_insert_rowid(self) -> int:
        """Return the number that the last inserted row was given."""
        return int(self._run("SELECT lastval()", ()).get)

    def restart_numbers(self, table: str, column: str) -> None:
        """Go on with the number after the highest one, if the database numbers these rows."""
        if (sequence := self._run("SELECT pg_get_serial_sequence(%s, %s)", (table, column)).get) is not None:
            self._run(f"SELECT setval(%s, coalesce((SELECT max({column}) FROM {table}), 0) + 1, false)", (sequence,))

    def create_schema(self, name: str) -> None:
        """Make a schema unless it is there: an administrator may have made it for a user who may make none."""
        if self._run("SELECT to_regnamespace(%s) IS NULL", (name,)).get:
            self._run(f"CREATE SCHEMA {name}", ())

    def has_store(self) -> bool:
        """Return whether the schema holds a store."""
        return self._run("SELECT to_regclass('store_version') IS NOT NULL", ()).get is True

    def columns(self, table: str) -> list[str]:
        """Return the names of a table's columns."""
        query = (
            "SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped "
            "ORDER BY attnum"
        )
        return [name for (name,) in self._run(query, (table,))]

    def schema_version(self) -> int:
        """Return how many migrations the store has run."""
        return int(self._run("SELECT version FROM store_version", ()).get)

    def set_schema_version(self, version: int) -> None:
        """Record how many migrations the store has run."""
        self._run("UPDATE store_version SET version = %s", (version,))

    def advance(self, sequence: str, count: int = 1) -> int:
        """Take the next numbers of a change sequence; return the last of them."""
        last = self._advanced.get(sequence)
        if last is None:
            last = int(self._run(f"SELECT value FROM {sequence}", ()).get)
        self._advanced[sequence] = last + count
        return last + count

    def write_counters(self) -> None:
        """Write the counters that have changed. Only one transaction writes at a time, so nobody else changes them."""
        for sequence, value in self._advanced.items():
            self._run(f"UPDATE {sequence} SET value = %s", (value,))
        for name, (rows, words) in self._grown.items():
            self._run(
                "UPDATE full_text_sizes SET rows = rows + %s, words = words + %s WHERE name = %s", (rows, words, name)
            )
        self._word_counts.write(self._run)
        self._advanced.clear()
        self._grown.clear()

    def _run(self, statement: str, values: Sequence[Any]) -> Cursor:
        # A long list of ids is planned each time: a prepared plan, made when its table was small, would read it whole.
        prepare = False if len(values) > MAX_PREPARED else None
        cursor = self.raw.execute(statement.encode(), values, prepare=prepare)
        # A write transaction is pipelined: what answers nothing is not waited for.
        return Cursor(cursor.fetchall() if _ANSWERS.search(statement) else [])

    # Full text

    def create_full_text(self, text: FullText, *, temporary: bool = False) -> None:
        """Create a full-text table."""
        kind = "TEMP TABLE" if temporary else "TABLE"
        self._run(
            f"CREATE {kind} {text.table} (row BIGINT PRIMARY KEY, words TSVECTOR NOT NULL, length INTEGER NOT NULL, "
            "usual DOUBLE PRECISION NOT NULL, unusual JSONB)",
            (),
        )
        if temporary:
            self._uncounted.add(text.table)
            # Found before the store's own, and gone with the transaction.
            self._run("CREATE TEMP TABLE full_text_sizes AS SELECT * FROM full_text_sizes", ())
            self._run("CREATE UNIQUE INDEX ON full_text_sizes (name)", ())
        else:
            self._run(f"CREATE INDEX ON {text.table} USING gin (words) WITH ({WAITING_WORDS})", ())
        self._run(
            "INSERT INTO full_text_sizes (name, rows, words) VALUES (%s, 0, 0) "
            "ON CONFLICT (name) DO UPDATE SET rows = 0, words = 0",
            (text.table,),
        )

    def add_words(self, text: FullText, entries: Iterable[tuple[int, Sequence[str], str]]) -> None:
        """Index rows, each with the values of its columns and its scope."""
        indexed = [(row, indexed_text(values, scope, text.weights)) for row, values, scope in entries]
        if not indexed:
            return
        columns = (
            array_of(NUMBERS, [row for row, _ in indexed]),
            array_of(TEXTS, [one.vector for _, one in indexed]),
            array_of(NUMBERS, [one.length for _, one in indexed]),
            array_of(FLOATS, [one.usual for _, one in indexed]),
            array_of(TEXTS, [json.dumps(one.unusual) if one.unusual else None for _, one in indexed]),
        )
        self._run(
            f"INSERT INTO {text.table} (row, words, length, usual, unusual) "
            "SELECT row, words::tsvector, length, usual, unusual::jsonb "
            "FROM unnest(%s::bigint[], %s::text[], %s::bigint[], %s::double precision[], %s::text[]) "
            "AS given (row, words, length, usual, unusual)",
            columns,
        )
        self._resize(text, len(indexed), sum(one.length for _, one in indexed))
        if text.table not in self._uncounted:
            for _, one in indexed:
                self._word_counts.add(text.table, one.words)

    def remove_words(self, text: FullText, row: int, values: Sequence[str]) -> None:
        """Remove a row from the index."""
        delete = f"DELETE FROM {text.table} WHERE row = %s RETURNING length, tsvector_to_array(words)"
        for length, words in self._run(delete, (row,)):
            self._resize(text, -1, -length)
            self._word_counts.remove(text.table, words)

    def clear_words(self, text: FullText) -> None:
        """Empty a full-text table."""
        self.write_counters()
        self._run(f"DELETE FROM {text.table}", ())
        self._run("UPDATE full_text_sizes SET rows = 0, words = 0 WHERE name = %s", (text.table,))
        self._run("DELETE FROM word_counts WHERE name = %s", (text.table,))

    def _resize(self, text: FullText, rows: int, words: int) -> None:
        known = self._grown.get(text.table, (0, 0))
        self._grown[text.table] = (known[0] + rows, known[1] + words)

    def matches(self, text: FullText) -> str:
        """Return the query for rows and BM25 scores of what matches its one parameter, a match value."""
        weights = ", ".join(map(str, text.weights))
        return f"match_words('{text.table}', ARRAY[{weights}]::double precision[], ?::json)"

    def match_value(self, terms: Sequence[str], scopes: Sequence[str] | None = None) -> str:
        """Return the parameter that finds any of some terms, within some scopes."""
        return question(terms, scopes)

    def memories_in(self, scopes: Sequence[str], terms: Sequence[str]) -> tuple[str, list[Any]]:
        """Return nothing: the match value has the scopes already."""
        return "true", []

    def count_matches(self, text: FullText, terms: Sequence[str]) -> dict[str, int]:
        """Return how many rows match each term, up to MAX_COUNTED."""
        if not terms:
            return {}
        self.write_counters()
        counted = [self._count(text, term) for term in terms]
        return {term: min(found, full_text.MAX_COUNTED) for term, found in zip(terms, counted, strict=True)}

    def _count(self, text: FullText, term: str) -> int:
        query = "SELECT coalesce(sum(rows_with(%s, one)), 0) FROM json_array_elements(%s::json -> 'terms') AS one"
        return int(self._run(query, (text.table, question([term], None))).get)

    def count_indexed(self, text: FullText) -> int:
        """Count the indexed rows."""
        self.write_counters()
        return int(self._run("SELECT rows FROM full_text_sizes WHERE name = %s", (text.table,)).get)

    def highest_row(self, text: FullText) -> int:
        """Return the highest number of a row that a full-text table must have; 0 without rows."""
        # Of the records themselves, a limited caller sees only those of its scopes.
        return int(self._run(f"SELECT coalesce(max(row), 0) FROM {text.table}", ()).get)

    def count_mismatches(self, text: FullText) -> int:
        """Count the records that a full-text table lacks, and those that it has in excess."""
        return self.count_missing(text)

    def count_missing(self, text: FullText) -> int:
        """Count the records that a full-text table lacks, and those that it has in excess."""
        rows, indexed = text.records, f"SELECT row FROM {text.table}"
        return int(
            self._run(
                f"SELECT (SELECT count(*) FROM ({rows} EXCEPT {indexed}) AS lacking) "
                f"+ (SELECT count(*) FROM ({indexed} EXCEPT {rows}) AS excess)",
                (),
            ).get
        )
