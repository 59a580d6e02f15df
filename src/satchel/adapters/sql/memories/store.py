"""Memories in a ledger: changes, erasure, lists and search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby, islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.adapters.sql import receipts
from satchel.adapters.sql.engine import Connection, Database, first, next_seq
from satchel.adapters.sql.full_text import MEMORIES as TEXT
from satchel.adapters.sql.memories import fulltext, search
from satchel.adapters.sql.memories.insert import changed_meanwhile, insert_new, write_events
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED, changed_values, to_json
from satchel.adapters.sql.memories.text_keys import gist_key, known_texts, text_key
from satchel.adapters.sql.records import RecordFormat, decodable_rows, read_page, sums_by
from satchel.adapters.sql.where import (
    UNUSUAL,
    Clause,
    all_of,
    between,
    contains_pattern,
    id_batches,
    media_clause,
    one_of,
    reach_clause,
    reading_batches,
    standing_clause,
    view_clause,
)
from satchel.domain.answers import MemoryCounts
from satchel.domain.canonical import canonical
from satchel.domain.listing import EVERYTHING, ListFilter
from satchel.domain.record import WORKING_SET, Label, Memory, MemoryId, Trust
from satchel.domain.view import View
from satchel.ports import Change, Event, Frequencies, KnownRecords, TextKey, Tier

if TYPE_CHECKING:
    from satchel.domain.embedding import Vector
    from satchel.domain.ranking import Candidate
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach

# How long a forget waits for readers before it reports that the log could not be truncated.
SCRUB_TIMEOUT_MS = 3_000
# New memories that are written together: enough to save most of the calls, few enough to hold in memory.
NEW_PER_BATCH = 1_000
# How many counts are remembered, of different views.
KEPT_TALLIES = 32
# How many of the excluded records an explanation considers.
EXCLUDED_SAMPLE = 500

_POSSIBLE_TIERS = "VALUES " + ", ".join(f"('{trust}', '{label}')" for trust in Trust for label in Label)
LAST_TRUSTED = """
    SELECT m.row FROM memories m INDEXED BY memories_standing WHERE m.trust = 'trusted' ORDER BY m.row DESC LIMIT 1"""


class SqlMemories:
    """Implements ports.MemoryStore."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._tallies: dict[View, tuple[int, MemoryCounts]] = {}

    def commit(self, changes: Iterable[Change], receipt: Receipt, *, optional: bool = False) -> int:
        with self._database.writing(optional=optional) as db:
            seq = 0
            for is_new, some in groupby(changes, key=lambda change: change.before is None):
                while batch := list(islice(some, NEW_PER_BATCH)):
                    seq = insert_new(db, batch, receipt) if is_new else _update_all(db, batch, receipt)
            receipts.append(db, receipt)
            return seq

    def erase(self, id: MemoryId, reach: Reach, actor: str, receipt: Receipt, *, everywhere: bool = True) -> bool:
        # Loads the stores of all that may depend on a memory.
        from satchel.adapters.sql.memories.erase import erase_record

        with self._database.writing() as db:
            within, values = reach_clause(reach)
            query = f"SELECT m.row, {SELECTED} FROM memories m WHERE m.id = ? AND {within}"
            if (found := next(iter([*MEMORIES.rows(db, query, [id, *values])]), None)) is None:
                return False
            (row,), memory, damage = found
            erase_record(db, row, memory, actor, receipt, damaged=damage is not None, everywhere=everywhere)
            receipts.append(db, receipt)
            return True

    def scrub(self, timeout_ms: int = SCRUB_TIMEOUT_MS) -> bool:
        if not self._database.truncate_log(timeout_ms):
            return False
        with self._database.writing() as db:
            for table in ("tombstones", "passage_tombstones"):
                db.execute(f"UPDATE {table} SET scrubbed = 1 WHERE NOT scrubbed")
        return True

    def unscrubbed(self) -> int:
        with self._database.reading() as db:
            query = "SELECT (SELECT count(*) FROM tombstones WHERE NOT scrubbed) + (SELECT count(*) FROM passage_tombstones WHERE NOT scrubbed)"
            return int(db.execute(query).get)

    def fetch(self, ids: Sequence[MemoryId], view: View, *, verify: bool = True) -> dict[MemoryId, Memory]:
        found: dict[MemoryId, Memory] = {}
        with reading_batches(self._database, ids) as db:
            for among in id_batches("m.id", ids):
                where, values = all_of(among, view_clause(view))
                # Without the hint, SQLite may scan the whole scope for a handful of ids.
                query = f"SELECT {SELECTED} FROM memories m INDEXED BY memories_id WHERE {where}"
                found.update((memory.id, memory) for memory in MEMORIES.read(db, query, values, verify=verify))
        return found

    def salvage(self, id: MemoryId, view: View) -> Memory | None:
        where, values = all_of(one_of("m.id", [id]), view_clause(view))
        query = f"SELECT {SELECTED} FROM memories m INDEXED BY memories_id WHERE {where}"
        with self._database.reading() as db:
            found = [one.record for one in MEMORIES.rows(db, query, values) if one.damage is not None]
        return found[0] if found else None

    def ids_between(self, first: str, last: str, view: View, limit: int) -> list[MemoryId]:
        where, values = all_of(between("m.id", first, last), view_clause(view))
        query = f"SELECT m.id FROM memories m INDEXED BY memories_id WHERE {where} ORDER BY m.id LIMIT ?"
        with self._database.reading() as db:
            return [MemoryId(id) for (id,) in db.execute(query, [*values, limit])]

    def page(
        self, view: View, limit: int, after: tuple[int, str] | None = None, narrowed: ListFilter = EVERYTHING
    ) -> list[Memory]:
        clauses = [view_clause(view), *_filter_clauses(narrowed)]
        if after is not None:
            clauses.append(("(m.created_at, m.id) < (?, ?)", list(after)))
        where, values = all_of(*clauses)
        order = "ORDER BY m.created_at DESC, m.id DESC LIMIT ?"
        # Unless trust alone leaves few records, the order is the better index: SQLite would read all of them and sort.
        index = f"INDEXED BY {_order_index(view)}" if set(view.trusts) == set(Trust) else ""
        query = f"SELECT {SELECTED} FROM memories m {index} WHERE {where} {order}"
        with self._database.reading() as db:
            return read_page(MEMORIES, db, query, values, limit)

    def walk(self, view: View) -> Iterator[Memory]:
        where, values = view_clause(view)
        query = f"SELECT {SELECTED} FROM memories m INDEXED BY {_order_index(view)} WHERE {where} ORDER BY m.created_at, m.id"
        with self._database.snapshot() as db:
            yield from MEMORIES.read(db, query, values)

    def known(self, ids: Sequence[MemoryId], text_keys: Sequence[TextKey]) -> KnownRecords:
        taken: dict[MemoryId, str] = {}
        with self._database.reading() as db:
            for among, values in id_batches("id", ids):
                for table in ("memories", "tombstones"):
                    rows = db.execute(f"SELECT id, scope FROM {table} WHERE {among}", values)
                    taken.update((MemoryId(id), scope) for id, scope in rows)
            return KnownRecords(taken, known_texts(db, text_keys))

    def near_duplicates(self, text: str, view: View, limit: int) -> list[Memory]:
        where, values = all_of(("m.gist_key = ?", [gist_key(text)]), view_clause(view))
        # Without the hint, SQLite may scan the whole scope.
        query = f"SELECT {SELECTED} FROM memories m INDEXED BY memories_gist_key WHERE {where} ORDER BY m.row LIMIT ?"
        with self._database.reading() as db:
            return list(MEMORIES.read(db, query, [*values, limit]))

    def tiers(self, reach: Reach) -> frozenset[Tier]:
        within, values = reach_clause(reach)
        query = f"""
            SELECT tier.column1, tier.column2 FROM ({_POSSIBLE_TIERS}) AS tier WHERE EXISTS (
                SELECT 1 FROM memories m INDEXED BY memories_tier
                WHERE m.trust = tier.column1 AND m.label = tier.column2 AND {within}
            )"""
        with self._database.reading_once() as db:
            return frozenset((Trust(trust), Label(label)) for trust, label in db.execute(query, values))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._database.writing():
            yield

    def bulk(self) -> AbstractContextManager[None]:
        return self._database.bulk()

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        with self._database.reading() as db:
            return search.match(db, terms, view, limit)

    def match_among(self, terms: Sequence[str], ids: Sequence[MemoryId], limit: int) -> list[Candidate]:
        with self._database.reading() as db:
            return search.match_among(db, terms, ids, limit)

    def nearest(self, vector: Vector, view: View, limit: int, also: Sequence[MemoryId] = ()) -> list[Candidate]:
        with self._database.reading() as db:
            return search.nearest(db, vector, view, limit, also)

    def names(self, rows: Sequence[int]) -> dict[int, tuple[MemoryId, str]]:
        """Return the id and content hash of the records in these rows."""
        query = "SELECT row, id, content_hash FROM memories NOT INDEXED WHERE row IN (SELECT CAST(value AS INTEGER) FROM json_each(?))"
        with self._database.reading_once() as db:
            found = decodable_rows(db, query, [canonical(list(rows))])
            return {row: (MemoryId(id), content_hash) for row, id, content_hash in found}

    def nearest_among(self, rows: Sequence[int], vector: Vector, view: View, limit: int) -> list[Candidate]:
        """Return the nearest of the records in these rows that the view admits."""
        with self._database.reading_once() as db:
            return search.nearest(db, vector, view, limit, among=rows)

    def next_in_session(self, memories: Sequence[Memory], view: View) -> dict[MemoryId, MemoryId]:
        with self._database.reading_once() as db:
            return {id: following for id, (_, following) in search.next_in_session(db, memories, view).items()}

    def frequencies(self, terms: Sequence[str], *, trusted_only: bool = False) -> Frequencies:
        with self._database.reading() if terms else self._database.reading_once() as db:
            if trusted_only:
                last = first(db.execute(LAST_TRUSTED))
                return Frequencies(fulltext.count_trusted(db, terms), 0 if last is None else int(last[0]))
            holding = db.count_matches(TEXT, terms)
            return Frequencies(holding, db.highest_row(TEXT))

    def matching_terms(self, id: MemoryId, terms: Sequence[str], view: View) -> frozenset[str]:
        where, values = all_of(one_of("m.id", [id]), view_clause(view))
        with self._database.reading() as db:
            found = first(db.execute(f"SELECT m.row FROM memories m INDEXED BY memories_id WHERE {where}", values))
            if found is None:
                return frozenset()
            matching = f"SELECT 1 FROM {db.matches(TEXT)} AS found WHERE found.row = ?"
            return frozenset(term for term in terms if first(db.execute(matching, (db.match_value([term]), found[0]))))

    def excluded(self, terms: Sequence[str], view: View, limit: int) -> list[Memory]:
        within, scopes = reach_clause(view.reach)
        admitted, values = standing_clause(view)
        # What an ordinary view excludes has its own index; a narrower view has to look at everything.
        narrowed = UNUSUAL if view == View(view.reach, view.now) else "true"
        sample = f"""
            SELECT m.row FROM memories m WHERE {narrowed} AND {within} AND NOT ({admitted})
            ORDER BY m.row DESC LIMIT ?"""
        with self._database.reading() as db:
            rows = [row for (row,) in db.execute(sample, [*scopes, *values, EXCLUDED_SAMPLE])] if terms else []
            return search.best_of(db, rows, terms, limit) if rows else []

    def count(self, view: View) -> int:
        where, values = view_clause(view)
        with self._database.reading() as db:
            return int(db.execute(f"SELECT count(*) FROM memories m WHERE {where}", values).get)

    def scopes(self) -> list[str]:
        # From scope to scope through the index, however many memories each has.
        query = """
            WITH RECURSIVE found (scope) AS (
                SELECT min(scope) FROM memories
                UNION ALL
                SELECT (SELECT min(scope) FROM memories WHERE scope > found.scope) FROM found WHERE scope IS NOT NULL
            )
            SELECT scope FROM found WHERE scope IS NOT NULL"""
        with self._database.reading() as db:
            return [scope for (scope,) in db.execute(query)]

    def tally(self, view: View) -> MemoryCounts:
        if not view.timeless:
            return self._counted(view)
        # What does not depend on the time stays the same until the next change. Of all scopes it takes a third of a second
        # with 100,000 memories.
        known = replace(view, now=0)
        seq, counts = self._tallies.get(known, (-1, None))
        with self._database.reading() as db:
            now = int(db.execute("SELECT value FROM sequence").get)
        if counts is None or seq != now:
            counts = self._counted(view)
            if len(self._tallies) >= KEPT_TALLIES:
                self._tallies.clear()
            self._tallies[known] = (now, counts)
        return counts

    def _counted(self, view: View) -> MemoryCounts:
        where, values = view_clause(view)
        # Of all scopes, one pass over an index that has every column, and one over the table, are the fastest.
        standing = "INDEXED BY memories_standing" if view.reach.everywhere else ""
        table = "NOT INDEXED" if view.reach.everywhere else ""
        grouped = (
            f"SELECT m.scope, m.kind, m.label, m.trust, m.state, count(*) FROM memories m {standing} WHERE {where}"
        )
        measured = (
            "SELECT length(m.text), count(*), min(m.created_at), max(m.created_at), total(m.created_at) "
            f"FROM memories m {table} WHERE {where} GROUP BY 1 ORDER BY 1"
        )
        with self._database.reading() as db:
            groups = [*decodable_rows(db, f"{grouped} GROUP BY 1, 2, 3, 4, 5", values)]
            lengths = [*db.execute(measured, values)]
        total = sum(one[1] for one in lengths)
        by_scope, by_kind, by_label, by_trust, by_state = (sums_by(groups, column) for column in range(5))
        return MemoryCounts(
            memories=total,
            by_scope=by_scope,
            by_kind=by_kind,
            by_label=by_label,
            by_trust=by_trust,
            by_state=by_state,
            text_chars=sum(one[0] * one[1] for one in lengths),
            shortest=lengths[0][0] if lengths else 0,
            longest=lengths[-1][0] if lengths else 0,
            median_chars=_median([(one[0], one[1]) for one in lengths]),
            oldest=min((one[2] for one in lengths), default=None),
            newest=max((one[3] for one in lengths), default=None),
            mean_created_at=int(sum(one[4] for one in lengths) / total) if total else None,
        )

    def history(self, id: MemoryId) -> list[Event]:
        query = f"SELECT {EVENTS.selected} FROM events m WHERE m.memory_id = ? ORDER BY m.seq"
        with self._database.reading() as db:
            return list(EVENTS.read(db, query, (id,)))

    def replaced_by(self, id: MemoryId, scope: str) -> Sequence[Memory]:
        query = f"""
            SELECT {SELECTED} FROM memories m
            WHERE m.scope = ? AND {UNUSUAL} AND m.replaced_by = ? ORDER BY m.created_at, m.id"""
        with self._database.reading() as db:
            return list(MEMORIES.read(db, query, (scope, id)))

    def contains(self, fragment: str, *, excluding: MemoryId, versions: Sequence[MemoryId] = ()) -> bool:
        others = ", ".join(f"?{number}" for number, _ in enumerate(versions, start=4))
        with self._database.reading() as db:
            # The working set of its scope is emptied together with it.
            query = f"""
                SELECT 1 FROM memories WHERE id <> ?2 {f"AND id NOT IN ({others})" if others else ""}
                AND id <> ?3 || coalesce((SELECT scope FROM memories WHERE id = ?2), '')
                AND (instr(text, ?1) > 0 OR instr(coalesce(title, ''), ?1) > 0) LIMIT 1"""
            return first(db.execute(query, (fragment, excluding, WORKING_SET, *versions))) is not None


def _filter_clauses(narrowed: ListFilter) -> Iterator[Clause]:
    if narrowed.since is not None:
        yield "m.created_at >= ?", [narrowed.since]
    if narrowed.until is not None:
        yield "m.created_at < ?", [narrowed.until]
    if narrowed.text is not None:
        pattern = contains_pattern(narrowed.text)
        yield r"(m.text LIKE ? ESCAPE '\' OR m.title LIKE ? ESCAPE '\')", [pattern, pattern]
    if narrowed.source is not None:
        yield (
            r"(m.source_kind = ? OR m.source_ref LIKE ? ESCAPE '\')",
            [narrowed.source, contains_pattern(narrowed.source)],
        )
    if narrowed.session is not None:
        yield "m.session = ?", [narrowed.session]
    if narrowed.tag is not None:
        yield "EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE t.value = ?)", [narrowed.tag]
    if narrowed.media is not None:
        yield media_clause(narrowed.media)


def _current(db: Connection, id: MemoryId) -> Memory | None:
    found = [*MEMORIES.rows(db, f"SELECT {SELECTED} FROM memories m WHERE m.id = ?", (id,))]
    return found[0].record if found else None


def _update_all(db: Connection, changes: Sequence[Change], receipt: Receipt) -> int:
    seq = 0
    for memory, before, what in ((one.memory, one.before, (one.operation, one.actor, one.reason)) for one in changes):
        if before is None or _current(db, memory.id) != before:
            raise changed_meanwhile(memory.id)
        seq = next_seq(db)
        _update(db, memory, before, seq)
        write_event(db, seq, memory.id, what, receipt, before=to_json(before))
    return seq


def _update(db: Connection, memory: Memory, before: Memory, seq: int) -> None:
    row = db.execute("SELECT row FROM memories WHERE id = ?", (memory.id,)).get
    reworded = fulltext.is_reworded(db, memory, before)
    if reworded:
        fulltext.remove(db, row, before)
    # Only changed columns are assigned: SQLite rewrites every index that has an assigned column.
    changed = changed_values(memory, before)
    if memory.content_hash != before.content_hash:
        # Only a changed text needs a new vector.
        changed |= {"text_key": text_key(memory.text), "gist_key": gist_key(memory.text), "embedding": "waiting"}
    assignments = ", ".join(f"{name} = ?" for name in (*changed, "touched"))
    db.execute(f"UPDATE memories SET {assignments} WHERE row = ?", [*changed.values(), seq, row])
    if reworded:
        fulltext.add(db, row, memory)


def write_event(
    db: Connection,
    seq: int,
    id: MemoryId,
    what: tuple[str, str, str | None],
    receipt: Receipt,
    *,
    before: str | None,
) -> None:
    """Add an event to the history of a memory."""
    write_events(db, [(seq, id, *what, receipt.digest, receipt.at, before)])


_EVENT_COLUMNS = ("seq", "memory_id", "operation", "actor", "reason", "receipt", "at")
EVENTS = RecordFormat(
    "change",
    {"id": "m.memory_id", "scope": "''", **{name: f"m.{name}" for name in _EVENT_COLUMNS}},
    from_row=lambda row: Event(*row[2:]),
)


def _order_index(view: View) -> str:
    """Return the index that has the order of time already, so that nothing is sorted."""
    return "memories_everywhere" if view.reach.everywhere or len(view.reach.scopes) > 1 else "memories_newest"


def _median(counted: Sequence[tuple[int, int]]) -> int:
    """Return the lower median of values with their counts, in order; 0 of none."""
    place = max(0, sum(count for _, count in counted) - 1) // 2
    for value, count in counted:
        if place < count:
            return value
        place -= count
    return 0
