"""The tables of documents: what was ingested from which collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection


def m0013_documents(db: Connection) -> None:
    """Collections and their documents. The text is stored as passages."""
    db.execute("""
        CREATE TABLE document_collections (
            scope TEXT NOT NULL,
            name TEXT NOT NULL,
            root TEXT NOT NULL,
            documents INTEGER NOT NULL DEFAULT 0,
            chunks INTEGER NOT NULL DEFAULT 0,
            code INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (scope, name)
        ) STRICT, WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE documents (
            scope TEXT NOT NULL,
            collection TEXT NOT NULL,
            path TEXT NOT NULL,
            kind TEXT NOT NULL,
            size INTEGER NOT NULL,
            modified_ns INTEGER NOT NULL,
            digest TEXT NOT NULL,
            cut TEXT NOT NULL,
            chunks INTEGER NOT NULL,
            added_at INTEGER NOT NULL,
            PRIMARY KEY (scope, collection, path)
        ) STRICT, WITHOUT ROWID""")
    # Only digests: a path can reveal as much as the forgotten document.
    db.execute("""
        CREATE TABLE documents_forgotten (
            scope TEXT NOT NULL,
            collection TEXT NOT NULL,
            path_digest TEXT NOT NULL,
            PRIMARY KEY (scope, collection, path_digest)
        ) STRICT, WITHOUT ROWID""")
