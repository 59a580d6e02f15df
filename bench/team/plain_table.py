"""A plain pgvector table with the same vectors: what a team would write by hand."""

import struct

import numpy as np
import psycopg

from satchel.adapters.sql.float16 import unpack_matrix

PLAIN = "plain_texts"
ROWS_PER_BATCH = 10_000
# Building an HNSW index of more rows takes longer than the rest of the benchmark; the planner would not use it for the
# rows of one scope in a hundred.
MOST_IN_HNSW = 200_000

Administrator = psycopg.Connection[tuple[object, ...]]


def make_plain_table(connection: Administrator, schema: str, dimensions: int) -> None:
    """Copy the vectors of a store into a table with an index, and nothing else."""
    table = f"{schema}.{PLAIN}"
    connection.execute(f"DROP TABLE IF EXISTS {table}".encode())
    connection.execute(f"CREATE TABLE {table} (scope text, text text, vector halfvec({dimensions:d}))".encode())
    rows, last = 0, -1
    query = f"""
        SELECT m.row, m.scope, m.text, v.vector FROM {schema}.memories m JOIN {schema}.vectors v ON v.row = m.row
        WHERE m.row > %s AND v.vector IS NOT NULL ORDER BY m.row LIMIT {ROWS_PER_BATCH}""".encode()
    while batch := connection.execute(query, (last,)).fetchall():
        _copy(connection, table, batch, dimensions)
        rows, last = rows + len(batch), int(str(batch[-1][0]))
    connection.execute(f"CREATE INDEX ON {table} (scope)".encode())
    if rows <= MOST_IN_HNSW:
        connection.execute(f"CREATE INDEX ON {table} USING hnsw (vector halfvec_cosine_ops)".encode())
    connection.execute(f"ANALYZE {table}".encode())


def _copy(connection: Administrator, table: str, batch: list[tuple[object, ...]], dimensions: int) -> None:
    vectors = unpack_matrix([bytes(blob) for *_, blob in batch if isinstance(blob, bytes)], dimensions)
    # A vector in half precision as pgvector sends it: its length, two bytes of nothing, the numbers.
    numbers, head = vectors.astype(np.dtype(">f2")), struct.pack(">hh", dimensions, 0)
    with connection.cursor().copy(f"COPY {table} FROM STDIN (FORMAT binary)".encode()) as target:
        target.set_types(["text", "text", "bytea"])
        for (_, scope, text, _), one in zip(batch, numbers, strict=True):
            target.write_row((scope, text, head + one.tobytes()))


def plain_query(schema: str) -> bytes:
    """Return the query for the nearest texts of a scope."""
    return f"SELECT text FROM {schema}.{PLAIN} WHERE scope = %s ORDER BY vector <=> %s::text::halfvec LIMIT 10".encode()
