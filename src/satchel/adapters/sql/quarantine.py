"""Damaged records of a ledger: finding them, and quarantining what is left of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from satchel.adapters.sql import receipts
from satchel.adapters.sql.attention import edges
from satchel.adapters.sql.attention import store as attention
from satchel.adapters.sql.conversations import message_passages
from satchel.adapters.sql.conversations import rows as conversations
from satchel.adapters.sql.conversations.rows import LEDGER
from satchel.adapters.sql.documents import store as documents
from satchel.adapters.sql.engine import Connection, Row, next_seq
from satchel.adapters.sql.facts import rows as facts
from satchel.adapters.sql.facts import store as fact_store
from satchel.adapters.sql.graph import store as graph
from satchel.adapters.sql.memories import fulltext
from satchel.adapters.sql.memories import rows as memories
from satchel.adapters.sql.memories import store as memory_store
from satchel.adapters.sql.memories.history import TAGS
from satchel.adapters.sql.memories.store import write_event
from satchel.adapters.sql.memories.text_keys import gist_key, text_key
from satchel.adapters.sql.observations import store as observations
from satchel.adapters.sql.observations.log import LOG_LINES
from satchel.adapters.sql.passages import rows as passages
from satchel.domain.passage import Passage, with_content_hash
from satchel.domain.record import Memory, Trust

if TYPE_CHECKING:
    from satchel.adapters.sql.records import FoundRow, RecordFormat, T
    from satchel.domain.observation import Observation
    from satchel.domain.receipt import Receipt
    from satchel.ports.damage import DamagedRecord

_REASON = "its stored bytes were damaged"


Mended = Callable[[Connection, dict[str, Any]], dict[str, Any]]


def _as_read(db: Connection, values: dict[str, Any]) -> dict[str, Any]:
    return values


def _quarantined(db: Connection, values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "trust": Trust.QUARANTINED.value}


class StoredRecords(NamedTuple):
    """The records of a table, its key, and what is stored of a damaged record once its columns are readable."""

    form: RecordFormat[Any]
    table: str
    key: tuple[str, ...]
    mended: Mended = _as_read
    alias: str = "m"


# Mended where they are. A record that has trust is quarantined; what the others say is known from elsewhere.
_MENDED_IN_PLACE = (
    StoredRecords(facts.EVENTS, "fact_events", ("seq",), facts.restored_event),
    StoredRecords(facts.FACTS, "facts", ("row",), facts.restored_fact),
    StoredRecords(
        conversations.conversations(LEDGER),
        "conversations",
        ("conversation_id",),
        message_passages.restored_conversation,
    ),
    StoredRecords(
        conversations.messages(LEDGER),
        "messages",
        ("message_id",),
        lambda _, values: conversations.quarantined_message(values),
    ),
    StoredRecords(
        conversations.summaries(LEDGER),
        "summaries",
        ("summary_id",),
        lambda _, values: conversations.outdated_summary(values),
    ),
    StoredRecords(conversations.DECISIONS, "decisions", ("row",), _quarantined),
    StoredRecords(conversations.CLAUSES, "decision_clauses", ("decision_id", "ordinal")),
    StoredRecords(documents.COLLECTIONS, "document_collections", ("scope", "name")),
    StoredRecords(
        documents.DOCUMENTS,
        "documents",
        ("scope", "collection", "path"),
        lambda _, values: documents.unread_document(values),
    ),
    StoredRecords(attention.DETAILS, "details", ("memory_id",)),
    StoredRecords(attention.PACKETS, "packets", ("row",)),
    StoredRecords(attention.PACKET_ITEMS, "packet_items", ("row",)),
    StoredRecords(TAGS, "tags", ("name",)),
    StoredRecords(memory_store.EVENTS, "events", ("seq",)),
    StoredRecords(observations.EVENTS, "observation_events", ("seq",)),
    StoredRecords(LOG_LINES, "log_lines", ("number",)),
)
# Erased with their source, which is read again.
_GRAPH = (
    StoredRecords(graph.SOURCES, "graph_sources", ("row",), alias="s"),
    StoredRecords(graph.MENTIONS, "graph_sightings", ("source",)),
    StoredRecords(graph.RELATIONS, "graph_claims", ("source",)),
)
_EDGES = StoredRecords(edges.EDGES, "edges", ("source", "target", "type"), alias="e")


def damaged_records(db: Connection) -> list[DamagedRecord]:
    """Return every damaged record, except receipts: their chain is verified."""
    with_hash = [
        found.damage
        for rows in (_memories(db), _observations(db), _passages(db))
        for found in rows
        if found.damage is not None
    ]
    others = [damage for kept in (*_MENDED_IN_PLACE, *_GRAPH, _EDGES) for _, damage in _damaged_rows(db, kept)]
    return [*with_hash, *others]


def quarantine_damaged(db: Connection, actor: str, receipt: Receipt) -> None:
    """Make damaged records readable and quarantine them. An undecodable byte becomes an escape such as \\xff."""
    in_memories, in_observations = list(_memories(db)), list(_observations(db))
    for memory in in_memories:
        _quarantine_memory(db, memory, actor, receipt)
    for observation in in_observations:
        _quarantine_observation(db, observation, actor, receipt)
    for passage in list(_passages(db)):
        quarantined = replace(passage.record, trust=Trust.QUARANTINED)
        passages.rewrite(db, passage, with_content_hash(quarantined))
    # The words that were indexed are not known any more.
    if in_memories:
        fulltext.rebuild_full_text(db)
    if in_observations:
        observations.rebuild_full_text(db)
    if sum(_mend_in_place(db, kept) for kept in _MENDED_IN_PLACE):
        fact_store.rebuild_full_text(db)
        message_passages.restore(db)
    if sources := {int(source) for kept in _GRAPH for (source,), _ in list(_damaged_rows(db, kept))}:
        graph.erase_damaged(db, sorted(sources))
    for key, _ in list(_damaged_rows(db, _EDGES)):
        db.execute(f"DELETE FROM edges AS e WHERE {_by_key(_EDGES)}", key)
    receipts.append(db, receipt)


_UNKNOWN_STATE = "embedding NOT IN ('waiting', 'made', 'skipped')"
_EMBEDDED_TABLES = ("memories", "passage_parts")


def count_unknown_states(db: Connection) -> int:
    """Count the texts of which it is not known any more whether they have a vector."""
    return sum(db.execute(f"SELECT count(*) FROM {table} WHERE {_UNKNOWN_STATE}").get for table in _EMBEDDED_TABLES)


def reset_unknown_states(db: Connection) -> None:
    """Have vectors made again for such texts."""
    for table in _EMBEDDED_TABLES:
        db.execute(f"UPDATE {table} SET embedding = 'waiting' WHERE {_UNKNOWN_STATE}")


def _damaged_rows(db: Connection, kept: StoredRecords) -> Iterator[tuple[Row, DamagedRecord]]:
    """Yield the key and the damage of each damaged row. A key is compared as bytes, since it may be damaged too."""
    key = ", ".join(f"CAST({kept.alias}.{name} AS BLOB)" for name in kept.key)
    return kept.form.damaged(db, f"SELECT {key}, {kept.form.selected} FROM {kept.table} {kept.alias}")


def _by_key(kept: StoredRecords) -> str:
    return " AND ".join(f"CAST({kept.alias}.{name} AS BLOB) = ?" for name in kept.key)


def _mend_in_place(db: Connection, kept: StoredRecords) -> int:
    found = list(_damaged_rows(db, kept))
    for key, damage in found:
        values = kept.mended(db, kept.form.salvaged_values(damage))
        stored = {column: values[name] for name, column in kept.form.stored.items()}
        assignments = ", ".join(f"{column} = ?" for column in stored)
        db.execute(f"UPDATE {kept.table} AS m SET {assignments} WHERE {_by_key(kept)}", [*stored.values(), *key])
    return len(found)


def _memories(db: Connection) -> Iterator[FoundRow[Memory]]:
    return _damaged(db, memories.MEMORIES, f"SELECT m.row, {memories.SELECTED} FROM memories m")


def _observations(db: Connection) -> Iterator[FoundRow[Observation]]:
    return _damaged(db, observations.OBSERVATIONS, f"SELECT m.row, {observations.SELECTED} FROM observations m")


def _passages(db: Connection) -> Iterator[FoundRow[Passage]]:
    return _damaged(db, passages.PASSAGES, f"SELECT m.row, {passages.SELECTED} FROM passages m")


def _damaged(db: Connection, form: RecordFormat[T], query: str) -> Iterator[FoundRow[T]]:
    return (found for found in form.rows(db, query) if found.damage is not None)


def _quarantine_memory(db: Connection, found: FoundRow[Memory], actor: str, receipt: Receipt) -> None:
    (row,), damaged, _ = found
    quarantined = replace(damaged, trust=Trust.QUARANTINED, content_hash="")
    seq = next_seq(db)
    derived = {
        "text_key": text_key(quarantined.text),
        "gist_key": gist_key(quarantined.text),
        "embedding": "waiting",
        "touched": seq,
    }
    assignments = ", ".join(f"{name} = ?" for name in (*memories.COLUMNS, *derived))
    values = [*memories.to_row(quarantined), *derived.values(), row]
    db.execute("DELETE FROM vectors WHERE row = ?", (row,))
    db.execute(f"UPDATE memories SET {assignments} WHERE row = ?", values)
    # What it was before has the old hash, so the past shows it as damaged too.
    what = ("quarantine", actor, _REASON)
    write_event(db, seq, quarantined.id, what, receipt, before=memories.to_json(damaged))


def _quarantine_observation(db: Connection, found: FoundRow[Observation], actor: str, receipt: Receipt) -> None:
    (row,), damaged, _ = found
    quarantined = replace(damaged, trust=Trust.QUARANTINED, content_hash="")
    assignments = ", ".join(f"{name} = ?" for name in observations.COLUMNS)
    db.execute(f"UPDATE observations SET {assignments} WHERE row = ?", [*observations.to_row(quarantined), row])
    observations.write_event(db, quarantined.id, ("quarantine", actor, _REASON), receipt)
