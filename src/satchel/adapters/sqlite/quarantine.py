"""Damaged records of a SQLite ledger: finding them, and quarantining what is left of them."""

from collections.abc import Iterator

import apsw
from msgspec.structs import replace

from satchel.adapters.sqlite import receipts
from satchel.adapters.sqlite.database import next_seq
from satchel.adapters.sqlite.memories import fulltext
from satchel.adapters.sqlite.memories import rows as memories
from satchel.adapters.sqlite.memories.store import write_event
from satchel.adapters.sqlite.memories.text_keys import gist_key, text_key
from satchel.adapters.sqlite.observations import store as observations
from satchel.adapters.sqlite.passages import store as passages
from satchel.adapters.sqlite.records import FoundRow, RecordFormat, T
from satchel.domain.observation import Observation
from satchel.domain.passage import Passage, with_content_hash
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, Trust
from satchel.ports.damage import DamagedRecord

_REASON = "its stored bytes were damaged"


def damaged_records(db: apsw.Connection) -> list[DamagedRecord]:
    """Return every damaged memory, observation and passage."""
    return [
        found.damage
        for rows in (_memories(db), _observations(db), _passages(db))
        for found in rows
        if found.damage is not None
    ]


def quarantine_damaged(db: apsw.Connection, actor: str, receipt: Receipt) -> None:
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
    receipts.append(db, receipt)


def _memories(db: apsw.Connection) -> Iterator[FoundRow[Memory]]:
    return _damaged(db, memories.MEMORIES, f"SELECT m.row, {memories.SELECTED} FROM memories m")


def _observations(db: apsw.Connection) -> Iterator[FoundRow[Observation]]:
    return _damaged(db, observations.OBSERVATIONS, f"SELECT m.row, {observations.SELECTED} FROM observations m")


def _passages(db: apsw.Connection) -> Iterator[FoundRow[Passage]]:
    return _damaged(db, passages.PASSAGES, f"SELECT m.row, {passages.SELECTED} FROM passages m")


def _damaged(db: apsw.Connection, form: RecordFormat[T], query: str) -> Iterator[FoundRow[T]]:
    return (found for found in form.rows(db, query) if found.damage is not None)


def _quarantine_memory(db: apsw.Connection, found: FoundRow[Memory], actor: str, receipt: Receipt) -> None:
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


def _quarantine_observation(db: apsw.Connection, found: FoundRow[Observation], actor: str, receipt: Receipt) -> None:
    (row,), damaged, _ = found
    quarantined = replace(damaged, trust=Trust.QUARANTINED, content_hash="")
    assignments = ", ".join(f"{name} = ?" for name in observations.COLUMNS)
    db.execute(f"UPDATE observations SET {assignments} WHERE row = ?", [*observations.to_row(quarantined), row])
    observations.write_event(db, quarantined.id, ("quarantine", actor, _REASON), receipt)
