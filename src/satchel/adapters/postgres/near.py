"""Codes of vectors in PostgreSQL: which vectors are near a question, found without reading the vectors.

A code stands beside what a view checks, in an index that begins with the scope. A search reads the codes of its scopes
there and nothing else, then compares the exact vectors of the closest. pgvector counts the bits that differ; on a server
without it, PostgreSQL's own functions do, more slowly.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import psycopg
from msgspec import Struct

from satchel.adapters.postgres.arrays import CODES, NUMBERS, array_of
from satchel.adapters.postgres.connection import Connection as PostgresConnection
from satchel.adapters.sql.engine import Connection
from satchel.adapters.sql.float16 import unpack_matrix
from satchel.adapters.sql.where import Clause
from satchel.domain.embedding import Vector

if TYPE_CHECKING:
    from satchel.adapters.sql.vector_codes import Array

# An entry of an index has 2,700 bytes at most, in which a code of this length fits beside the rest.
MAX_DIMENSIONS = 4_000
ROWS_PER_BATCH = 1_000


class NearTable(Struct, frozen=True):
    """A table of codes: whose vectors they are of, and what of the records a view checks."""

    name: str
    vectors: str
    """The table of the exact vectors."""
    row: str
    """The column of theirs that says what was embedded."""
    checked: tuple[str, ...]
    """The columns of the records that are copied, the scope among them."""
    records: str
    """The records as `m`, joined to the `row` of what was embedded."""
    create: tuple[str, ...]


MEMORIES = NearTable(
    "near_vectors",
    "vectors",
    "row",
    ("scope", "trust", "label", "state", "kind", "valid_from", "valid_to"),
    "JOIN memories m ON m.row = given.row",
    (
        "CREATE TABLE near_vectors (scope TEXT NOT NULL, space INTEGER NOT NULL, row INTEGER NOT NULL, trust TEXT NOT NULL, "
        "label TEXT NOT NULL, state TEXT NOT NULL, kind TEXT NOT NULL, valid_from INTEGER, valid_to INTEGER, "
        "code BIT VARYING NOT NULL, "
        "PRIMARY KEY (scope, space, row) INCLUDE (trust, label, state, kind, valid_from, valid_to, code), "
        "FOREIGN KEY (space, row) REFERENCES vectors (space, row) ON DELETE CASCADE)",
        "CREATE INDEX near_vectors_row ON near_vectors (row)",
        """
        CREATE OR REPLACE FUNCTION codes_follow_memory() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE near_vectors SET (scope, trust, label, state, kind, valid_from, valid_to)
            = (NEW.scope, NEW.trust, NEW.label, NEW.state, NEW.kind, NEW.valid_from, NEW.valid_to) WHERE row = NEW.row;
            RETURN NULL;
        END $$
        """,
        """
        CREATE OR REPLACE TRIGGER codes_follow_memory AFTER UPDATE ON memories FOR EACH ROW WHEN (
            (OLD.scope, OLD.trust, OLD.label, OLD.state, OLD.kind, OLD.valid_from, OLD.valid_to) IS DISTINCT FROM
            (NEW.scope, NEW.trust, NEW.label, NEW.state, NEW.kind, NEW.valid_from, NEW.valid_to)
        ) EXECUTE FUNCTION codes_follow_memory()
        """,
    ),
)
# A group can be too long for an entry of an index, so a search for some groups reads the table.
PASSAGES = NearTable(
    "near_passages",
    "passage_vectors",
    "part",
    ("scope", "lane", "trust", "kind", '"group"', "at"),
    "JOIN passage_parts p ON p.row = given.row JOIN passages m ON m.row = p.passage",
    (
        "CREATE TABLE near_passages (scope TEXT NOT NULL, lane TEXT NOT NULL, space INTEGER NOT NULL, part INTEGER NOT NULL, "
        'trust TEXT NOT NULL, kind TEXT NOT NULL, "group" TEXT NOT NULL, at INTEGER, code BIT VARYING NOT NULL, '
        "PRIMARY KEY (scope, lane, space, part), "
        "FOREIGN KEY (space, part) REFERENCES passage_vectors (space, part) ON DELETE CASCADE)",
        "CREATE INDEX near_passages_part ON near_passages (part)",
        """
        CREATE OR REPLACE FUNCTION codes_follow_passage() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE near_passages n SET (scope, lane, trust, kind, "group", at)
            = (NEW.scope, NEW.lane, NEW.trust, NEW.kind, NEW."group", NEW.at)
            FROM passage_parts p WHERE p.passage = NEW.row AND n.part = p.row;
            RETURN NULL;
        END $$
        """,
        """
        CREATE OR REPLACE TRIGGER codes_follow_passage AFTER UPDATE ON passages FOR EACH ROW WHEN (
            (OLD.scope, OLD.lane, OLD.trust, OLD.kind, OLD."group", OLD.at) IS DISTINCT FROM
            (NEW.scope, NEW.lane, NEW.trust, NEW.kind, NEW."group", NEW.at)
        ) EXECUTE FUNCTION codes_follow_passage()
        """,
    ),
)


def create_near_tables(db: PostgresConnection) -> None:
    """Make the tables of codes and fill them, if there are none yet."""
    if has_near_tables(db):
        return
    # A store of an earlier version has vectors in half precision there.
    db.execute("DROP TABLE IF EXISTS near_vectors")
    for table in (MEMORIES, PASSAGES):
        for statement in table.create:
            db.execute(statement)
    fill_near_tables(db)


def has_near_tables(db: Connection) -> bool:
    """Return whether the tables of codes are there."""
    return db.execute("SELECT to_regclass('near_passages') IS NOT NULL").get is True


def differing_bits(db: Connection) -> str:
    """Return the expression for how many bits differ, with places for two codes: by pgvector if it can be used."""
    # It may be in a schema where this connection finds none of its operators.
    has_operator = db.execute("SELECT to_regoperator('<~>(bit, bit)') IS NOT NULL").get
    return "{} <~> {}" if has_operator else "bit_count({} # {})"


def install_extension(db: PostgresConnection) -> None:
    """Install pgvector in the database, if the server has it and the user may."""
    waiting = "SELECT 1 FROM pg_available_extensions WHERE name = 'vector' AND installed_version IS NULL"
    if db.execute(waiting).get is None:
        return
    # Without the right to, the administrator may do it.
    with suppress(psycopg.errors.InsufficientPrivilege), db.raw.transaction():
        db.raw.execute("CREATE EXTENSION vector SCHEMA public")


def fill_near_tables(db: Connection) -> None:
    """Rebuild every code."""
    for table in (MEMORIES, PASSAGES):
        db.execute(f"DELETE FROM {table.name}")
        last = -1
        query = f"""
            SELECT v.{table.row}, v.space, v.vector, s.dimensions FROM {table.vectors} v JOIN spaces s ON s.id = v.space
            WHERE v.{table.row} > ? AND v.vector IS NOT NULL AND s.dimensions <= {MAX_DIMENSIONS}
            ORDER BY v.{table.row}, v.space LIMIT {ROWS_PER_BATCH}"""
        while batch := db.execute(query, (last,)).fetchall():
            last = batch[-1][0]
            if len(batch) == ROWS_PER_BATCH and batch[0][0] != last:
                # The last row may have vectors of further spaces.
                batch = [one for one in batch if one[0] != last]
                last = batch[-1][0]
            for space, dimensions in sorted({(space, dimensions) for _, space, _, dimensions in batch}):
                own = [(row, blob) for row, of, blob, _ in batch if of == space]
                put_codes(
                    db, table, space, [row for row, _ in own], unpack_matrix([blob for _, blob in own], dimensions)
                )


def put_codes(db: Connection, table: NearTable, space: int, rows: Sequence[int], vectors: "Array") -> None:
    """Store the codes of vectors, each with what a view checks of its record now."""
    drop_codes(db, table, space, rows)
    columns = ", ".join(table.checked)
    copied = ", ".join(f"m.{name}" for name in table.checked)
    db.execute(
        f"INSERT INTO {table.name} ({columns}, space, {table.row}, code) "
        f"SELECT {copied}, CAST(? AS bigint), given.row, given.code "
        f"FROM unnest(CAST(? AS bigint[]), CAST(? AS varbit[])) AS given (row, code) {table.records}",
        (space, array_of(NUMBERS, rows), array_of(CODES, _codes(vectors))),
    )


def drop_codes(db: Connection, table: NearTable, space: int, rows: Sequence[int]) -> None:
    """Remove the codes of some vectors."""
    db.execute(
        f"DELETE FROM {table.name} WHERE space = ? AND {table.row} = ANY (CAST(? AS bigint[]))",
        (space, array_of(NUMBERS, rows)),
    )


def nearest_query(table: NearTable, vector: Vector, where: Clause, limit: int, differing: str) -> Clause:
    """Return the query for the space and row of the vectors whose codes are closest; ties are broken by row."""
    import numpy as np

    from satchel.adapters.sql.vector_codes import code_bits

    condition, values = where
    bits = code_bits(len(vector))
    (asked,) = _codes(np.frombuffer(vector, np.float32)[None, :])
    query = f"""
        SELECT m.space, m.{table.row} AS row FROM {table.name} m
        WHERE m.space = (SELECT id FROM spaces WHERE active AND dimensions = {len(vector):d}) AND {condition}
        ORDER BY {differing.format("m.code", f"CAST(? AS bit({bits:d}))")}, m.{table.row} LIMIT {limit:d}"""
    return query, [*values, f"x{asked.hex()}"]


def _codes(vectors: "Array") -> list[bytes]:
    from satchel.adapters.sql.vector_codes import encode

    return [code.tobytes() for code in encode(vectors)]
