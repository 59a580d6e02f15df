"""The tables of entities and relations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection


def m0014_graph(db: Connection) -> None:
    """Entities and relations by the source that names them. They are deleted with their source."""
    db.execute("""
        CREATE TABLE graph_sources (
            row INTEGER PRIMARY KEY,
            id TEXT NOT NULL,
            scope TEXT NOT NULL,
            type TEXT NOT NULL,
            ref TEXT NOT NULL,
            root TEXT NOT NULL,
            space TEXT NOT NULL,
            trust TEXT NOT NULL,
            content_hash TEXT NOT NULL,
            rules INTEGER NOT NULL,
            at INTEGER NOT NULL
        ) STRICT""")
    db.execute("CREATE UNIQUE INDEX graph_sources_id ON graph_sources (id)")
    db.execute("CREATE INDEX graph_sources_within ON graph_sources (scope, type, root, ref)")
    db.execute("CREATE INDEX graph_sources_record ON graph_sources (ref) WHERE type = 'memory'")
    db.execute("""
        CREATE TABLE graph_sightings (
            source INTEGER NOT NULL REFERENCES graph_sources (row),
            number INTEGER NOT NULL,
            type TEXT NOT NULL,
            space TEXT NOT NULL,
            name TEXT NOT NULL,
            rule TEXT NOT NULL,
            line INTEGER NOT NULL,
            defining INTEGER NOT NULL,
            PRIMARY KEY (source, number)
        ) STRICT, WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE graph_claims (
            source INTEGER NOT NULL REFERENCES graph_sources (row),
            number INTEGER NOT NULL,
            tail INTEGER NOT NULL,
            relation TEXT NOT NULL,
            head INTEGER NOT NULL,
            rule TEXT NOT NULL,
            line INTEGER NOT NULL,
            PRIMARY KEY (source, number)
        ) STRICT, WITHOUT ROWID""")
    # Changes with every write, so that a cached graph knows whether it is current.
    db.execute("CREATE TABLE graph_revision (value INTEGER NOT NULL) STRICT")
    db.execute("INSERT INTO graph_revision VALUES (0)")
