"""Moves of all records of a scope to another one, in batches, and back, in a ledger."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.adapters.sql import receipts
from satchel.adapters.sql.engine import Connection, Database, Row, first, next_seq
from satchel.adapters.sql.memories import erase_working_set
from satchel.adapters.sql.moves.kinds import COUNTED, KINDS, Fate, Move
from satchel.adapters.sql.observations.store import write_event
from satchel.adapters.sql.scope_seeds import pass_on, seeds_of
from satchel.domain.automatic_tags import MOVE, UNDO
from satchel.domain.observation import ObservationId
from satchel.domain.scopes import MovedRecords

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt


class SqlScopeMoves:
    """Implements ports.ScopeMoves."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, source: str, target: str, tag: str, receipt: Receipt) -> int:
        with self._database.writing() as db:
            insert = "INSERT INTO scope_moves (source, target, tag, at) VALUES (?, ?, ?, ?)"
            db.execute(insert, (source, target, tag, receipt.at))
            number = db.last_insert_rowid()
            # The next automatic tag gets another name, even if no memory moves.
            next_seq(db)
            _fix_conversation_seeds(db, source)
            pass_on(db, source, target, number)
            receipts.append(db, receipt)
            return number

    def move_batch(self, number: int, limit: int, actor: str, receipt: Receipt) -> MovedRecords:
        with self._database.writing() as db:
            for kind in KINDS:
                moved = _move_some(db, number, kind, limit, _History(MOVE, actor, None, receipt))
                if moved is not None:
                    receipts.append(db, receipt)
                    return moved
            return MovedRecords({}, {})

    def finish(self, number: int, receipt: Receipt) -> None:
        with self._database.writing() as db:
            erase_working_set.erase_scope(db, _move(db, number).source, receipt)
            receipts.append(db, receipt)

    def collections_with_other_roots(self, source: str, target: str) -> Sequence[str]:
        query = """
            SELECT s.name FROM document_collections s JOIN document_collections t ON t.name = s.name
            WHERE s.scope = ? AND t.scope = ? AND s.root <> t.root ORDER BY s.name"""
        with self._database.reading() as db:
            return [str(name) for (name,) in db.execute(query, (source, target))]

    def recorded(self, tag: str) -> Mapping[str, int]:
        query = """
            SELECT r.kind, count(*) FROM moved_records r JOIN scope_moves m ON m.number = r.move
            WHERE m.tag = ? AND m.taken_back = 0 GROUP BY r.kind ORDER BY r.kind"""
        with self._database.reading() as db:
            return {str(kind): int(count) for kind, count in db.execute(query, (tag,)) if kind in COUNTED}

    def take_back(self, tag: str, limit: int, actor: str, reason: str, receipt: Receipt) -> int:
        with self._database.writing() as db:
            query = "SELECT number FROM scope_moves WHERE tag = ? AND taken_back = 0 ORDER BY number DESC LIMIT 1"
            found = first(db.execute(query, (tag,)))
            if found is None:
                return 0
            receipts.append(db, receipt)
            return _take_back(db, found[0], limit, _History(UNDO, actor, reason, receipt))


class _History(NamedTuple):
    """What the history of an observation says about a move."""

    operation: str
    actor: str
    reason: str | None
    receipt: Receipt


def _move(db: Connection, number: int) -> Move:
    row = first(db.execute("SELECT source, target FROM scope_moves WHERE number = ?", (number,)))
    assert row is not None
    return Move(*map(str, row))


def _fix_conversation_seeds(db: Connection, scope: str) -> None:
    """Let the conversations of a scope go on deriving their ids from what they derive them from now."""
    update = "UPDATE conversations SET seed = ?, seed_name = session_id WHERE scope = ? AND seed IS NULL"
    db.execute(update, (seeds_of(db, scope).own, scope))


def _move_some(db: Connection, number: int, kind: str, limit: int, history: _History) -> MovedRecords | None:
    """Move some records of a kind; None if there are none left."""
    move = _move(db, number)
    keys = KINDS[kind].keys(db, move.source, limit)
    if not keys:
        return None
    fates = {key: _move_one(db, move, kind, key, history) for key in keys}
    moved = [key for key, fate in fates.items() if fate in (Fate.MOVED, Fate.RENAMED)]
    db.executemany(
        "INSERT INTO moved_records VALUES (?, ?, ?) ON CONFLICT DO NOTHING", [(number, kind, key) for key in moved]
    )
    dropped = [key for key, fate in fates.items() if fate is Fate.DROPPED]
    renamed = [key for key, fate in fates.items() if fate is Fate.RENAMED]
    if kind not in COUNTED:
        return MovedRecords({"": len(keys)}, {})
    return MovedRecords({kind: len(moved)}, {kind: len(dropped)} if dropped else {}, _names(db, renamed))


def _move_one(db: Connection, move: Move, kind: str, key: str, history: _History) -> Fate:
    fate = KINDS[kind].move(db, move, key)
    if kind == "observations" and fate is Fate.MOVED:
        reason = history.reason or f"from scope {move.source}"
        write_event(db, ObservationId(key), (history.operation, history.actor, reason), history.receipt)
    return fate


def _names(db: Connection, conversations: Sequence[str]) -> tuple[str, ...]:
    query = "SELECT session_id FROM conversations WHERE conversation_id = ?"
    return tuple(str(db.execute(query, (id,)).get) for id in conversations)


def _take_back(db: Connection, number: int, limit: int, history: _History) -> int:
    """Move back some of what is still where it was moved to; return how many were looked at."""
    source, target = _move(db, number)
    _fix_conversation_seeds(db, target)
    recorded = "SELECT key FROM moved_records WHERE move = ? AND kind = ? ORDER BY key LIMIT ?"
    for kind in KINDS:
        keys = [str(key) for (key,) in list[Row](db.execute(recorded, (number, kind, limit)))]
        for key in keys:
            _move_one(db, Move(target, source), kind, key, history)
        done = "DELETE FROM moved_records WHERE move = ? AND kind = ? AND key = ?"
        db.executemany(done, [(number, kind, key) for key in keys])
        if keys:
            return len(keys)
    db.execute("UPDATE scope_moves SET taken_back = 1 WHERE number = ?", (number,))
    return 1
