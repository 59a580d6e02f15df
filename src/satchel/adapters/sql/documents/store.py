"""The catalog of documents in a ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from satchel.adapters.sql.records import ReadableColumn, RecordFormat, read_page
from satchel.adapters.sql.where import Clause, all_of, reach_clause, upsert
from satchel.domain.document import Collection, DocKind, Document

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection, Database, Row
    from satchel.domain.scope import Reach

COLUMNS = Document.__struct_fields__
_PLACES = ", ".join("?" * len(COLUMNS))


class SqlDocuments:
    """Implements ports.DocumentStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def collections(self, reach: Reach) -> list[Collection]:
        where, values = reach_clause(reach)
        query = f"SELECT {COLLECTIONS.selected} FROM document_collections m WHERE {where} ORDER BY m.scope, m.name"
        with self._database.reading_once() as db:
            return list(COLLECTIONS.read(db, query, values))

    def in_collection(self, scope: str, collection: str) -> Mapping[str, Document]:
        query = f"SELECT {DOCUMENTS.selected} FROM documents m WHERE scope = ? AND collection = ? ORDER BY path"
        with self._database.reading() as db:
            return {one.path: one for one in DOCUMENTS.read(db, query, (scope, collection))}

    def forgotten(self, scope: str, collection: str) -> frozenset[str]:
        query = "SELECT path_digest FROM documents_forgotten WHERE scope = ? AND collection = ?"
        with self._database.reading() as db:
            return frozenset(str(digest) for (digest,) in db.execute(query, (scope, collection)))

    def update(self, collection: Collection, documents: Sequence[Document], gone: Sequence[str]) -> None:
        own = (collection.scope, collection.name)
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO document_collections (scope, name, root) VALUES (?, ?, ?) "
                "ON CONFLICT (scope, name) DO UPDATE SET root = excluded.root",
                (*own, collection.root),
            )
            delete = "DELETE FROM documents WHERE scope = ? AND collection = ? AND path = ?"
            db.executemany(delete, [(*own, path) for path in gone])
            rows = [[getattr(one, name) for name in COLUMNS] for one in documents]
            db.executemany(upsert("documents", COLUMNS, ("scope", "collection", "path")), rows)
            count_documents(db, *own)

    def remove(self, scope: str, collection: str, paths: Sequence[str] | None, refused: Sequence[str]) -> None:
        own = (scope, collection)
        with self._database.writing() as db:
            if paths is None:
                for table in ("documents", "documents_forgotten"):
                    db.execute(f"DELETE FROM {table} WHERE scope = ? AND collection = ?", own)
                db.execute("DELETE FROM document_collections WHERE scope = ? AND name = ?", own)
                return
            delete = "DELETE FROM documents WHERE scope = ? AND collection = ? AND path = ?"
            db.executemany(delete, [(*own, path) for path in paths])
            insert = "INSERT INTO documents_forgotten VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
            db.executemany(insert, [(*own, digest) for digest in refused])
            count_documents(db, *own)

    def clear_forgotten(self, scope: str, collection: str) -> None:
        with self._database.writing() as db:
            db.execute("DELETE FROM documents_forgotten WHERE scope = ? AND collection = ?", (scope, collection))

    def page(self, reach: Reach, collection: str | None, limit: int, after: Sequence[str] | None) -> list[Document]:
        clauses: list[Clause] = [reach_clause(reach)]
        if collection is not None:
            clauses.append(("m.collection = ?", [collection]))
        if after is not None:
            clauses.append(("(m.scope, m.collection, m.path) > (?, ?, ?)", list(after)))
        where, values = all_of(*clauses)
        query = (
            f"SELECT {DOCUMENTS.selected} FROM documents m WHERE {where} ORDER BY m.scope, m.collection, m.path LIMIT ?"
        )
        with self._database.reading() as db:
            return read_page(DOCUMENTS, db, query, values, limit)

    def match_paths(
        self, reach: Reach, globs: Sequence[str], limit: int, *, with_collection: bool = False
    ) -> list[Document]:
        if not globs:
            return []
        path = "(m.collection || '/' || m.path)" if with_collection else "m.path"
        alike = " OR ".join([f"{path} GLOB ? OR {path} GLOB ?"] * len(globs))
        patterns = [pattern for glob in globs for pattern in (glob, f"*/{glob}")]
        where, values = all_of(reach_clause(reach), (f"({alike})", patterns))
        query = (
            f"SELECT {DOCUMENTS.selected} FROM documents m WHERE {where} ORDER BY m.path, m.collection, m.scope LIMIT ?"
        )
        with self._database.reading() as db:
            return read_page(DOCUMENTS, db, query, values, limit)


def count_documents(db: Connection, scope: str, collection: str) -> None:
    """Store the size of a collection. Every search needs it, and counting thousands of rows takes too long."""
    db.execute(
        """
        UPDATE document_collections SET (documents, chunks, code) = (
            SELECT count(*), coalesce(sum(chunks), 0), coalesce(sum(chunks) FILTER (WHERE kind = 'code'), 0)
            FROM documents WHERE scope = ?1 AND collection = ?2
        ) WHERE scope = ?1 AND name = ?2""",
        (scope, collection),
    )


def _document(row: Row) -> Document:
    values: dict[str, Any] = dict(zip(COLUMNS, row[1:], strict=True))
    return Document(**(values | {"kind": DocKind(values["kind"])}))


DOCUMENTS = RecordFormat(
    "document",
    {"id": "m.path", **{name: f"m.{name}" for name in COLUMNS}},
    from_row=_document,
    readable={"kind": ReadableColumn(DocKind, DocKind.TEXT.value)},
)
COLLECTIONS = RecordFormat(
    "collection",
    {"id": "m.name", **{name: f"m.{name}" for name in Collection.__struct_fields__}},
    from_row=lambda row: Collection(*row[1:]),
)


def unread_document(values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a damaged document so that its file is read again."""
    return {**values, "digest": ""}
