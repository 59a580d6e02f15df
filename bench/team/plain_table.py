"""A plain pgvector table with the same vectors: what a team would write by hand."""

import psycopg

PLAIN = "plain_texts"


def make_plain_table(connection: psycopg.Connection[tuple[object, ...]], schema: str, dimensions: int) -> None:
    """Copy the vectors of a store into a table with an index, and nothing else."""
    for statement in (
        f"DROP TABLE IF EXISTS {schema}.{PLAIN}",
        f"CREATE TABLE {schema}.{PLAIN} AS SELECT m.scope, m.text, n.vector::halfvec({dimensions}) AS vector "
        f"FROM {schema}.memories m JOIN {schema}.near_vectors n ON n.row = m.row",
        f"CREATE INDEX ON {schema}.{PLAIN} (scope)",
        f"CREATE INDEX ON {schema}.{PLAIN} USING hnsw (vector halfvec_cosine_ops)",
        f"ANALYZE {schema}.{PLAIN}",
    ):
        connection.execute(statement.encode())


def plain_query(schema: str) -> bytes:
    """Return the query for the nearest texts of a scope."""
    return f"SELECT text FROM {schema}.{PLAIN} WHERE scope = %s ORDER BY vector <=> %s::text::halfvec LIMIT 10".encode()
