"""The memories of a SQLite ledger: records, their history, and finding them by word."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import apsw

from satchel.adapters.sqlite import dependents, receipts
from satchel.adapters.sqlite.attention import details, edges, packets
from satchel.adapters.sqlite.database import Database, first
from satchel.adapters.sqlite.memories import exact, fulltext
from satchel.adapters.sqlite.memories.rows import COLUMNS, SELECTED, changed_values, from_row, to_json, to_row
from satchel.adapters.sqlite.memories.text_keys import gist_key, said, text_key
from satchel.adapters.sqlite.sequence import next_seq
from satchel.adapters.sqlite.where import (
    IDS_PER_QUERY,
    UNUSUAL,
    Clause,
    every,
    one_of,
    reach_clause,
    standing_clause,
    view_clause,
)
from satchel.domain.answers import Tally
from satchel.domain.canonical import canonical
from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.receipt import Receipt
from satchel.domain.record import WORKING_SET, Label, Memory, MemoryId, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.errors import Conflict
from satchel.ports import Change, Event, Frequencies, Known, Saying, Tier

# How long a forget waits for readers to let go of the log before it says that it could not be cleared.
SCRUB_PATIENCE_MS = 3_000
# How many of the records that are kept out are looked at for an explanation.
HELD_OUT_SAMPLE = 500
# So few that most questions match none of them.
FEW_HELD_OUT = 16
UNTRUSTED_ONLY = (Trust.UNTRUSTED,)


class SqliteMemories:
    """Implements ports.Memories."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def commit(self, changes: Iterable[Change], receipt: Receipt) -> int:
        with self._database.writing() as db:
            seq = 0
            for change in changes:
                seq = _apply(db, change, receipt)
            receipts.append(db, receipt)
            return seq

    def erase(self, id: MemoryId, reach: Reach, actor: str, receipt: Receipt) -> bool:
        with self._database.writing() as db:
            within, values = reach_clause(reach)
            query = f"SELECT m.row, {SELECTED} FROM memories m WHERE m.id = ? AND {within}"
            if (record := first(db.execute(query, [id, *values]))) is None:
                return False
            row, memory = record[0], from_row(record[1:])
            seq = next_seq(db)
            _erase_content(db, row, memory)
            db.execute(
                "INSERT INTO tombstones (id, scope, forgotten_at, touched) VALUES (?, ?, ?, ?)",
                (id, memory.scope, receipt.at, seq),
            )
            _write_event(db, seq, id, ("forget", actor, None), receipt, before=None)
            receipts.append(db, receipt)
            return True

    def scrub(self, patience_ms: int = SCRUB_PATIENCE_MS) -> bool:
        if not self._database.truncate_log(patience_ms):
            return False
        with self._database.writing() as db:
            for table in ("tombstones", "passage_tombstones"):
                db.execute(f"UPDATE {table} SET scrubbed = 1 WHERE NOT scrubbed")
        return True

    def unscrubbed(self) -> int:
        with self._database.reading() as db:
            query = "SELECT (SELECT count(*) FROM tombstones WHERE NOT scrubbed) + (SELECT count(*) FROM passage_tombstones WHERE NOT scrubbed)"
            return int(db.execute(query).get)

    def fetch(self, ids: Sequence[MemoryId], view: View) -> dict[MemoryId, Memory]:
        found: dict[MemoryId, Memory] = {}
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_QUERY):
                where, values = every(one_of("m.id", ids[start : start + IDS_PER_QUERY]), view_clause(view))
                # Left to itself, SQLite walks the whole scope for a handful of ids.
                query = f"SELECT {SELECTED} FROM memories m INDEXED BY memories_id WHERE {where}"
                for row in db.execute(query, values):
                    memory = from_row(row)
                    found[memory.id] = memory
        return found

    def page(self, view: View, limit: int, after: tuple[int, str] | None = None) -> list[Memory]:
        clauses = [view_clause(view)]
        if after is not None:
            clauses.append(("(m.created_at, m.id) < (?, ?)", list(after)))
        where, values = every(*clauses)
        order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {SELECTED} FROM memories m WHERE {where} {order}", [*values, limit])
            return [from_row(row) for row in rows]

    def walk(self, view: View) -> Iterator[Memory]:
        where, values = view_clause(view)
        # In the order of an index, so that nothing has to be sorted first.
        index = "memories_everywhere" if view.reach.everywhere or len(view.reach.scopes) > 1 else "memories_newest"
        query = f"SELECT {SELECTED} FROM memories m INDEXED BY {index} WHERE {where} ORDER BY m.created_at, m.id"
        with self._database.snapshot() as db:
            for row in db.execute(query, values):
                yield from_row(row)

    def known(self, ids: Sequence[MemoryId], sayings: Sequence[Saying]) -> Known:
        taken: dict[MemoryId, str] = {}
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_QUERY):
                among, values = one_of("id", ids[start : start + IDS_PER_QUERY])
                for table in ("memories", "tombstones"):
                    rows = db.execute(f"SELECT id, scope FROM {table} WHERE {among}", values)
                    taken.update((MemoryId(id), scope) for id, scope in rows)
            return Known(taken, frozenset(one for one in sayings if said(db, one)))

    def alike(self, text: str, view: View, limit: int) -> list[Memory]:
        where, values = every(("m.gist_key = ?", [gist_key(text)]), view_clause(view))
        # Left to itself, SQLite may walk the whole scope.
        query = f"SELECT {SELECTED} FROM memories m INDEXED BY memories_gist_key WHERE {where} ORDER BY m.row LIMIT ?"
        with self._database.reading() as db:
            return [from_row(row) for row in db.execute(query, [*values, limit])]

    def tiers(self, reach: Reach) -> frozenset[Tier]:
        within, values = reach_clause(reach)
        query = (
            f"SELECT 1 FROM memories m INDEXED BY memories_tier WHERE m.trust = ? AND m.label = ? AND {within} LIMIT 1"
        )
        with self._database.reading() as db:
            possible = [(trust, label) for trust in Trust for label in Label]
            return frozenset(tier for tier in possible if first(db.execute(query, [*map(str, tier), *values])))

    @contextmanager
    def alone(self) -> Iterator[None]:
        with self._database.writing():
            yield

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        if not terms:
            return []
        clauses = [view_clause(view)]
        if view.trusts == UNTRUSTED_ONLY:
            # They are few as a rule: a match is looked up in a list of them before anything else.
            clauses.insert(0, _listed(every(reach_clause(view.reach), one_of("m.trust", view.trusts))))
        where, values = every(*clauses)
        # The standing of each match is read from its covering index; only the best are then fetched whole.
        query = f"""
            SELECT best.id, best.content_hash, matches.score FROM (
                SELECT m.row AS row, -{fulltext.BM25} AS score
                FROM memories_text CROSS JOIN memories m INDEXED BY memories_standing ON m.row = memories_text.rowid
                WHERE memories_text MATCH ? AND {where}
                ORDER BY score DESC, m.id LIMIT ?
            ) AS matches JOIN memories best ON best.row = matches.row
            ORDER BY matches.score DESC, best.id"""
        with self._database.reading() as db:
            rows = db.execute(query, [fulltext.match_expression(terms), *values, limit])
            return [Candidate(MemoryId(id), score, content_hash) for id, content_hash, score in rows]

    def nearest(self, vector: Vector, view: View, limit: int, also: Sequence[MemoryId] = ()) -> list[Candidate]:
        with self._database.reading() as db:
            return exact.nearest(db, vector, view, limit, also)

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        with self._database.reading() as db:
            holding = fulltext.counted(db, "memories_text", terms)
            return Frequencies(holding, int(db.execute("SELECT coalesce(max(row), 0) FROM memories").get))

    def held_terms(self, id: MemoryId, terms: Sequence[str], view: View) -> frozenset[str]:
        where, values = every(one_of("m.id", [id]), view_clause(view))
        matching = "SELECT 1 FROM memories_text WHERE memories_text MATCH ? AND rowid = ?"
        with self._database.reading() as db:
            found = first(db.execute(f"SELECT m.row FROM memories m INDEXED BY memories_id WHERE {where}", values))
            if found is None:
                return frozenset()
            return frozenset(
                term for term in terms if first(db.execute(matching, (fulltext.match_expression([term]), found[0])))
            )

    def held_out(self, terms: Sequence[str], view: View, limit: int) -> list[Memory]:
        if not terms:
            return []
        within, scopes = reach_clause(view.reach)
        admitted, values = standing_clause(view)
        # What an ordinary view keeps out stands in an index of its own; a narrower one has to look at everything.
        narrowed = UNUSUAL if view == View(view.reach, view.now) else "1"
        sample = f"""
            SELECT m.row FROM memories m WHERE {narrowed} AND {within} AND NOT ({admitted})
            ORDER BY m.row DESC LIMIT ?"""
        with self._database.reading() as db:
            rows = [row for (row,) in db.execute(sample, [*scopes, *values, HELD_OUT_SAMPLE])]
            return _best_of(db, rows, terms, limit) if rows else []

    def count(self, view: View) -> int:
        where, values = view_clause(view)
        with self._database.reading() as db:
            return int(db.execute(f"SELECT count(*) FROM memories m WHERE {where}", values).get)

    def tally(self, view: View) -> Tally:
        where, values = view_clause(view)
        with self._database.reading() as db:
            counts = {
                column: _counts(db, column, where, values) for column in ("scope", "kind", "label", "trust", "state")
            }
            measures = (
                "count(*), total(length(m.text)), coalesce(min(length(m.text)), 0), coalesce(max(length(m.text)), 0), "
                "min(m.created_at), max(m.created_at), avg(m.created_at)"
            )
            total, chars, shortest, longest, oldest, newest, mean = db.execute(
                f"SELECT {measures} FROM memories m WHERE {where}", values
            ).get
            ordered = f"SELECT length(m.text) FROM memories m WHERE {where} ORDER BY 1 LIMIT 1 OFFSET ?"
            median = first(db.execute(ordered, [*values, max(0, total - 1) // 2]))
        return Tally(
            memories=total,
            by_scope=counts["scope"],
            by_kind=counts["kind"],
            by_label=counts["label"],
            by_trust=counts["trust"],
            by_state=counts["state"],
            text_chars=int(chars),
            shortest=shortest,
            longest=longest,
            median_chars=0 if median is None else int(median[0]),
            oldest=oldest,
            newest=newest,
            mean_created_at=None if mean is None else int(mean),
        )

    def history(self, id: MemoryId) -> list[Event]:
        columns = "seq, memory_id, operation, actor, reason, receipt, at"
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {columns} FROM events WHERE memory_id = ? ORDER BY seq", (id,))
            return [Event(*row) for row in rows]

    def contains(self, fragment: str, *, besides: MemoryId) -> bool:
        with self._database.reading() as db:
            # What the working set of its scope repeats goes with it.
            query = """
                SELECT 1 FROM memories WHERE id <> ?2
                AND id <> ?3 || coalesce((SELECT scope FROM memories WHERE id = ?2), '')
                AND (instr(text, ?1) OR instr(coalesce(title, ''), ?1)) LIMIT 1"""
            return first(db.execute(query, (fragment, besides, WORKING_SET))) is not None


def _best_of(db: apsw.Connection, rows: Sequence[int], terms: Sequence[str], limit: int) -> list[Memory]:
    """Return those of some rows that match best by word."""
    # The plus keeps SQLite from asking the full text once for every row of the list; the range spares it the older ones.
    among = "memories_text.rowid >= ? AND +memories_text.rowid IN (SELECT value FROM json_each(?))"
    asked = (fulltext.match_expression(terms), min(rows), canonical(rows))
    if len(rows) <= FEW_HELD_OUT:
        # To weigh matches takes longer than to find out that there are none to weigh.
        found = db.execute(f"SELECT rowid FROM memories_text WHERE memories_text MATCH ? AND {among} LIMIT 1", asked)
        if first(found) is None:
            return []
    query = f"""
        WITH named AS MATERIALIZED (
            SELECT m.row, {fulltext.BM25} AS score
            FROM memories_text CROSS JOIN memories m INDEXED BY memories_standing ON m.row = memories_text.rowid
            WHERE memories_text MATCH ? AND {among} ORDER BY score, m.id LIMIT ?
        )
        SELECT {SELECTED} FROM named CROSS JOIN memories m ON m.row = named.row ORDER BY named.score, m.id"""
    return [from_row(row) for row in db.execute(query, (*asked, limit))]


def _listed(clause: Clause) -> Clause:
    """Return the condition that a full-text match is in the list of all records for which another one holds."""
    where, values = clause
    # The plus keeps SQLite from asking the full text once for every row of the list.
    return f"+memories_text.rowid IN (SELECT m.row FROM memories m WHERE {where})", values


def _current(db: apsw.Connection, id: MemoryId) -> Memory | None:
    row = first(db.execute(f"SELECT {SELECTED} FROM memories m WHERE m.id = ?", (id,)))
    return None if row is None else from_row(row)


def _apply(db: apsw.Connection, change: Change, receipt: Receipt) -> int:
    memory, before = change.memory, change.before
    if _current(db, memory.id) != before or (before is None and _is_tombstone(db, memory.id)):
        raise Conflict(
            f"memory {memory.id} is not as it was when this change was decided", hint="look at it again, then decide"
        )
    seq = next_seq(db)
    if before is None:
        _insert(db, memory, seq)
    else:
        _update(db, memory, before, seq)
    what = (change.operation, change.actor, change.reason)
    _write_event(db, seq, memory.id, what, receipt, before=None if before is None else to_json(before))
    return seq


def _is_tombstone(db: apsw.Connection, id: MemoryId) -> bool:
    return first(db.execute("SELECT 1 FROM tombstones WHERE id = ?", (id,))) is not None


def _insert(db: apsw.Connection, memory: Memory, seq: int) -> None:
    places = ", ".join("?" * (len(COLUMNS) + 3))
    db.execute(
        f"INSERT INTO memories ({', '.join(COLUMNS)}, text_key, gist_key, touched) VALUES ({places})",
        [*to_row(memory), text_key(memory.text), gist_key(memory.text), seq],
    )
    fulltext.add(db, db.last_insert_rowid(), memory)


def _update(db: apsw.Connection, memory: Memory, before: Memory, seq: int) -> None:
    row = db.execute("SELECT row FROM memories WHERE id = ?", (memory.id,)).get
    reworded = fulltext.words_of(memory) != fulltext.words_of(before)
    if reworded:
        fulltext.remove(db, row, before)
    # Only what differs is assigned: SQLite writes every index anew that an assigned column stands in.
    changed = changed_values(memory, before)
    if memory.content_hash != before.content_hash:
        # A changed text needs a new vector; anything else keeps the one it has.
        changed |= {"text_key": text_key(memory.text), "gist_key": gist_key(memory.text), "embedding": "waiting"}
    assignments = ", ".join(f"{name} = ?" for name in (*changed, "touched"))
    db.execute(f"UPDATE memories SET {assignments} WHERE row = ?", [*changed.values(), seq, row])
    if reworded:
        fulltext.add(db, row, memory)


def _erase_content(db: apsw.Connection, row: int, memory: Memory) -> None:
    dependents.erase_dependents(db, [memory.id])
    fulltext.remove(db, row, memory)
    db.execute("DELETE FROM vectors WHERE row = ?", (row,))
    db.execute("DELETE FROM use WHERE memory_id = ?", (memory.id,))
    details.erase(db, memory.id)
    edges.erase(db, memory.id)
    packets.erase(db, memory)
    db.execute("DELETE FROM selections WHERE record_id = ?", (memory.id,))
    db.execute("DELETE FROM grades WHERE memory_id = ?", (memory.id,))
    db.execute("UPDATE events SET before = NULL, reason = NULL WHERE memory_id = ?", (memory.id,))
    db.execute("DELETE FROM memories WHERE row = ?", (row,))


def _write_event(
    db: apsw.Connection,
    seq: int,
    id: MemoryId,
    what: tuple[str, str, str | None],
    receipt: Receipt,
    *,
    before: str | None,
) -> None:
    db.execute(
        "INSERT INTO events (seq, memory_id, operation, actor, reason, receipt, at, before) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (seq, id, *what, receipt.digest, receipt.at, before),
    )


def _counts(db: apsw.Connection, column: str, where: str, values: list[object]) -> dict[str, int]:
    rows = db.execute(f"SELECT m.{column}, count(*) FROM memories m WHERE {where} GROUP BY 1 ORDER BY 1", values)
    return {str(value): int(count) for value, count in rows}
