"""How each kind of record, except memories, is listed by scope and moved to another one."""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from msgspec.json import encode
from msgspec.structs import replace

from satchel.adapters.sql.conversations import message_passages
from satchel.adapters.sql.conversations.rows import LEDGER, messages
from satchel.adapters.sql.documents.store import count_documents
from satchel.adapters.sql.engine import Connection, Row, first
from satchel.adapters.sql.facts.rows import parse_assertion
from satchel.adapters.sql.graph.store import erase_source
from satchel.adapters.sql.passages.rows import PASSAGES, remove_passage
from satchel.adapters.sql.passages.rows import SELECTED as OF_PASSAGES
from satchel.adapters.sql.passages.vectors import next_passage_seq
from satchel.adapters.sql.records import decodable_rows
from satchel.domain.canonical import canonical
from satchel.domain.document import collection_key, group_of
from satchel.domain.graph import stable_id
from satchel.domain.passage import EvidenceLane


class Fate(StrEnum):
    """What became of a record."""

    MOVED = "moved"
    DROPPED = "dropped"
    RENAMED = "renamed"
    ABSENT = "absent"


class Move(NamedTuple):
    """From which scope to which."""

    source: str
    target: str


Keys = Callable[[Connection, str, int], list[str]]
"""Returns the keys of some records of a scope; none if it has none left."""
MoveOne = Callable[[Connection, Move, str], Fate]


class RecordKind(NamedTuple):
    """A kind of record: how its records are listed, and how one is moved."""

    keys: Keys
    move: MoveOne


def _listed(table: str, key: str, condition: str = "true") -> Keys:
    query = f"SELECT {key} FROM {table} WHERE scope = ? AND {condition} ORDER BY {key} LIMIT ?"

    def keys(db: Connection, scope: str, limit: int) -> list[str]:
        return [str(found) for (found,) in decodable_rows(db, query, (scope, limit))]

    return keys


def _plain(table: str, key: str) -> RecordKind:
    """Return a kind whose scope is one column of its table."""
    update = f"UPDATE {table} SET scope = ? WHERE {key} = ? AND scope = ? RETURNING 1"

    def move(db: Connection, move: Move, record: str) -> Fate:
        found = first(db.execute(update, (move.target, record, move.source)))
        return Fate.ABSENT if found is None else Fate.MOVED

    return RecordKind(_listed(table, key), move)


def _move_passages(db: Connection, move: Move, condition: str, values: tuple[str, ...], kind: str | None) -> int:
    """Change the scope of passages, each as a change that the index follows."""
    query = f"SELECT row FROM passages WHERE scope = ? AND {condition} ORDER BY row"
    rows = [row for (row,) in list[Row](db.execute(query, (move.source, *values)))]
    update = "UPDATE passages SET scope = ?, kind = coalesce(?, kind), touched = ? WHERE row = ?"
    db.executemany(update, [(move.target, kind, next_passage_seq(db), row) for row in rows])
    return len(rows)


def _move_episode(db: Connection, move: Move, id: str) -> Fate:
    return Fate.MOVED if _move_passages(db, move, "id = ?", (id,), None) else Fate.ABSENT


def _move_conversation(db: Connection, move: Move, id: str) -> Fate:
    query = (
        "SELECT session_id, coalesce(seed_name, session_id) FROM conversations WHERE conversation_id = ? AND scope = ?"
    )
    found = first(db.execute(query, (id, move.source)))
    if found is None:
        return Fate.ABSENT
    old, first_name = map(str, found)
    # One that comes back gets the name back that it had.
    name = _free_name(db, move, first_name)
    db.execute("UPDATE conversations SET scope = ?, session_id = ? WHERE conversation_id = ?", (move.target, name, id))
    for table in ("messages", "summaries"):
        db.execute(f"UPDATE {table} SET scope = ? WHERE conversation_id = ?", (move.target, id))
    db.execute("UPDATE decisions SET scope = ?, conversation = ? WHERE conversation_id = ?", (move.target, name, id))
    if name == old:
        of_messages = "id IN (SELECT ref FROM messages WHERE conversation_id = ?)"
        _move_passages(db, move, of_messages, (id,), None)
        return Fate.MOVED
    form = messages(LEDGER)
    of_conversation = f"SELECT {form.selected} FROM messages m WHERE m.conversation_id = ? AND m.erased = 0"
    for stored in list(form.read(db, of_conversation, (id,))):
        message_passages.put(db, name, move.target, stored.message)
    return Fate.MOVED if name == first_name else Fate.RENAMED


def _free_name(db: Connection, move: Move, name: str) -> str:
    taken = "SELECT 1 FROM conversations WHERE scope = ? AND session_id = ?"
    free, number = name, 1
    while first(db.execute(taken, (move.target, free))) is not None:
        free = f"{name} ({move.source})" if number == 1 else f"{name} ({move.source} {number})"
        number += 1
    return free


def _document_keys(db: Connection, scope: str, limit: int) -> list[str]:
    query = "SELECT collection, path FROM documents WHERE scope = ? ORDER BY collection, path LIMIT ?"
    return [canonical([*row]) for row in decodable_rows(db, query, (scope, limit))]


def _move_document(db: Connection, move: Move, key: str) -> Fate:
    collection, path = json.loads(key)
    exists = "SELECT 1 FROM documents WHERE scope = ? AND collection = ? AND path = ?"
    if first(db.execute(exists, (move.source, collection, path))) is None:
        return Fate.ABSENT
    root = db.execute(
        "SELECT root FROM document_collections WHERE scope = ? AND name = ?", (move.source, collection)
    ).get
    # The collection first: a document belongs to one at any time.
    add = "INSERT INTO document_collections (scope, name, root) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    db.execute(add, (move.target, collection, root or ""))
    chunks, group = f"lane = '{EvidenceLane.DOCUMENTS}' AND \"group\" = ?", group_of(collection, path)
    taken = first(db.execute(exists, (move.target, collection, path))) is not None
    if taken:
        query = f"SELECT m.row, {OF_PASSAGES} FROM passages m WHERE m.scope = ? AND {chunks} ORDER BY m.row"
        for found in [*PASSAGES.rows(db, query, (move.source, group))]:
            remove_passage(db, found, forgotten=False)
        db.execute(
            "DELETE FROM documents WHERE scope = ? AND collection = ? AND path = ?", (move.source, collection, path)
        )
    else:
        _move_passages(db, move, chunks, (group,), collection_key(move.target, collection))
        update = "UPDATE documents SET scope = ? WHERE scope = ? AND collection = ? AND path = ?"
        db.execute(update, (move.target, move.source, collection, path))
    return Fate.DROPPED if taken else Fate.MOVED


def _move_collection(db: Connection, move: Move, name: str) -> Fate:
    """Finish a collection whose documents have moved; one without documents moves too."""
    find = "SELECT root, documents FROM document_collections WHERE scope = ? AND name = ?"
    found = first(db.execute(find, (move.source, name)))
    if found is None:
        return Fate.ABSENT
    add = "INSERT INTO document_collections (scope, name, root) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
    db.execute(add, (move.target, name, found[0]))
    left = "SELECT 1 FROM documents WHERE scope = ? AND collection = ? LIMIT 1"
    if first(db.execute(left, (move.source, name))) is None:
        db.execute("DELETE FROM document_collections WHERE scope = ? AND name = ?", (move.source, name))
    for scope in (move.source, move.target):
        count_documents(db, scope, name)
    return Fate.MOVED


def _forgotten_keys(db: Connection, scope: str, limit: int) -> list[str]:
    query = "SELECT collection, path_digest FROM documents_forgotten WHERE scope = ? ORDER BY 1, 2 LIMIT ?"
    return [canonical([*row]) for row in decodable_rows(db, query, (scope, limit))]


def _move_forgotten(db: Connection, move: Move, key: str) -> Fate:
    values = json.loads(key)
    where = "scope = ? AND collection = ? AND path_digest = ?"
    if first(db.execute(f"SELECT 1 FROM documents_forgotten WHERE {where}", (move.source, *values))) is None:
        return Fate.ABSENT
    db.execute("INSERT INTO documents_forgotten VALUES (?, ?, ?) ON CONFLICT DO NOTHING", (move.target, *values))
    db.execute(f"DELETE FROM documents_forgotten WHERE {where}", (move.source, *values))
    return Fate.MOVED


def _fact_keys(db: Connection, scope: str, limit: int) -> list[str]:
    query = """
        SELECT fact_id FROM fact_events WHERE scope = ?1 UNION SELECT id FROM facts WHERE scope = ?1 ORDER BY 1 LIMIT ?2"""
    return [str(id) for (id,) in decodable_rows(db, query, (scope, limit))]


def _move_fact(db: Connection, move: Move, id: str) -> Fate:
    moved = False
    for table, key, row in (("facts", "id", "row"), ("fact_events", "fact_id", "seq")):
        query = f"SELECT {row}, CAST(assertion AS BLOB) FROM {table} WHERE {key} = ? AND scope = ?"
        for place, assertion in list[Row](db.execute(query, (id, move.source))):
            update = f"UPDATE {table} SET scope = ?, assertion = ? WHERE {row} = ?"
            db.execute(update, (move.target, _with_scope(assertion, move.target), place))
            moved = True
    return Fate.MOVED if moved else Fate.ABSENT


def _with_scope(assertion: bytes | None, scope: str) -> str | None:
    """Return an assertion with another scope, and the seed that its id is derived from."""
    if assertion is None:
        return None
    try:
        known = parse_assertion(assertion)
    except ValueError:
        # What is left of it stays as it is, for the doctor.
        return assertion.decode("utf-8", "backslashreplace")
    seed = known.seed or known.scope
    return encode(replace(known, scope=scope, seed="" if seed == scope else seed)).decode()


def _source_keys(db: Connection, scope: str, limit: int) -> list[str]:
    query = "SELECT type, root, ref FROM graph_sources WHERE scope = ? ORDER BY row LIMIT ?"
    return [canonical([*row]) for row in decodable_rows(db, query, (scope, limit))]


def _move_graph_source(db: Connection, move: Move, key: str) -> Fate:
    """Give a source of the graph another scope and the id of its place there; it is known by its row elsewhere."""
    old, new = (stable_id("src", scope, *json.loads(key)) for scope in move)
    if first(db.execute("SELECT 1 FROM graph_sources WHERE id = ?", (old,))) is None:
        return Fate.ABSENT
    db.execute("UPDATE graph_revision SET value = value + 1")
    if first(db.execute("SELECT 1 FROM graph_sources WHERE id = ?", (new,))) is not None:
        erase_source(db, old)
        return Fate.DROPPED
    db.execute("UPDATE graph_sources SET scope = ?, id = ? WHERE id = ?", (move.target, new, old))
    return Fate.MOVED


_WITHOUT_DOCUMENTS = """
    NOT EXISTS (SELECT 1 FROM documents d WHERE d.scope = document_collections.scope AND d.collection = name)"""
# Documents before their collections, so that a collection is empty when it is finished.
KINDS: Mapping[str, RecordKind] = {
    "observations": _plain("observations", "id"),
    "log lines": _plain("log_lines", "number"),
    "packets": _plain("packets", "id"),
    "tombstones": _plain("tombstones", "id"),
    "passage tombstones": _plain("passage_tombstones", "id"),
    "episodes": RecordKind(_listed("passages", "id", f"lane = '{EvidenceLane.EPISODES}'"), _move_episode),
    "conversations": RecordKind(_listed("conversations", "conversation_id"), _move_conversation),
    "documents": RecordKind(_document_keys, _move_document),
    "collections": RecordKind(_listed("document_collections", "name", _WITHOUT_DOCUMENTS), _move_collection),
    "forgotten documents": RecordKind(_forgotten_keys, _move_forgotten),
    "facts": RecordKind(_fact_keys, _move_fact),
    "graph sources": RecordKind(_source_keys, _move_graph_source),
}
COUNTED = frozenset(
    {"observations", "log lines", "packets", "episodes", "conversations", "documents", "facts", "graph sources"}
)
"""The kinds that a person is told of. The others follow them."""
