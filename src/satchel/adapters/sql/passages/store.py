"""Passages in a ledger: writing, erasure, lists and full-text search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql import dependents, receipts
from satchel.adapters.sql.full_text import passages_text
from satchel.adapters.sql.nearest import nearest_rows
from satchel.adapters.sql.passages.rows import PASSAGES, SELECTED, found_by_id, put_passage, remove_passage
from satchel.adapters.sql.passages.vectors import SqlPassageFeed, SqlPassageVectors
from satchel.adapters.sql.records import decodable_rows, read_page
from satchel.adapters.sql.where import all_of, between, id_batches, one_of, passage_clause, scopes_of
from satchel.domain.canonical import canonical
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView
from satchel.ports import Frequencies, GroupTally, NeighbourPair, PassageMatch

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection, Database
    from satchel.domain.embedding import Space, Vector
    from satchel.domain.receipt import Receipt

# Maximum number of passages per query for neighbours.
IDS_PER_NEIGHBOUR_QUERY = 1_000


class SqlPassages:
    """Implements ports.PassageStore."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.vectors = SqlPassageVectors(database)
        self.feed = SqlPassageFeed(database)

    def put(self, passages: Sequence[Passage], gone: Sequence[PassageId], receipt: Receipt | None = None) -> None:
        with self._database.writing() as db:
            for found in found_by_id(db, gone):
                remove_passage(db, found, forgotten=False)
            for passage in passages:
                put_passage(db, passage)
            if receipt is not None:
                receipts.append(db, receipt)

    def erase(self, ids: Sequence[PassageId], view: PassageView, receipt: Receipt) -> int:
        with self._database.writing() as db:
            targets = [found for found in found_by_id(db, ids) if view.admits(found.record)]
            dependents.erase_dependents(db, [found.record.id for found in targets], receipt)
            for found in targets:
                remove_passage(db, found, forgotten=True)
            if targets:
                receipts.append(db, receipt)
            return len(targets)

    def forgotten(self, ids: Sequence[PassageId]) -> frozenset[PassageId]:
        found: set[PassageId] = set()
        with self._database.reading() as db:
            for among, values in id_batches("id", ids):
                rows = db.execute(f"SELECT id FROM passage_tombstones WHERE forgotten = 1 AND {among}", values)
                found.update(PassageId(id) for (id,) in rows)
        return frozenset(found)

    def fetch(self, ids: Sequence[PassageId], view: PassageView, *, verify: bool = True) -> dict[PassageId, Passage]:
        found: dict[PassageId, Passage] = {}
        with self._database.reading() as db:
            for batch in id_batches("m.id", ids):
                where, values = all_of(batch, passage_clause(view))
                # Without the hint, SQLite may scan the whole scope for a handful of ids.
                query = f"SELECT {SELECTED} FROM passages m INDEXED BY passages_id WHERE {where}"
                found.update((one.id, one) for one in PASSAGES.read(db, query, values, verify=verify))
        return found

    def ids_between(self, first: str, last: str, view: PassageView, limit: int) -> list[PassageId]:
        where, values = all_of(between("m.id", first, last), passage_clause(view))
        query = f"SELECT m.id FROM passages m INDEXED BY passages_id WHERE {where} ORDER BY m.id LIMIT ?"
        with self._database.reading() as db:
            return [PassageId(id) for (id,) in decodable_rows(db, query, [*values, limit], kind="passage")]

    def page(self, view: PassageView, limit: int, after: tuple[int, str] | None = None) -> list[Passage]:
        clauses = [passage_clause(view)]
        if after is not None:
            clauses.append(("(coalesce(m.at, 0), m.id) < (?, ?)", list(after)))
        where, values = all_of(*clauses)
        query = f"SELECT {SELECTED} FROM passages m WHERE {where} ORDER BY coalesce(m.at, 0) DESC, m.id DESC LIMIT ?"
        with self._database.reading() as db:
            return read_page(PASSAGES, db, query, values, limit)

    def group(self, group: str, view: PassageView) -> list[Passage]:
        where, values = all_of(('m."group" = ?', [group]), passage_clause(view))
        query = f"SELECT {SELECTED} FROM passages m WHERE {where} ORDER BY m.scope, m.position, m.id"
        with self._database.reading() as db:
            return list(PASSAGES.read(db, query, values))

    def groups(self, view: PassageView, limit: int, after: tuple[int, str] | None = None) -> list[GroupTally]:
        where, values = passage_clause(view)
        beyond, mark = ('HAVING (coalesce(max(m.at), 0), m."group") < (?, ?)', list(after)) if after else ("", [])
        query = f"""
            SELECT m.scope, m."group", count(*), min(m.at), max(m.at) FROM passages m WHERE {where}
            GROUP BY m.scope, m."group" {beyond} ORDER BY coalesce(max(m.at), 0) DESC, m."group" DESC, m.scope LIMIT ?"""
        with self._database.reading() as db:
            return [GroupTally(*row) for row in db.execute(query, [*values, *mark, limit])]

    def last_positions(self, lane: EvidenceLane, scope: str, groups: Sequence[str]) -> Mapping[str, int]:
        found: dict[str, int] = {}
        query = 'SELECT max(position) FROM passages WHERE lane = ? AND scope = ? AND "group" = ?'
        with self._database.reading() as db:
            for group in dict.fromkeys(groups):
                last = db.execute(query, (lane, scope, group)).get
                if last is not None:
                    found[group] = int(last)
        return found

    def speakers(self, view: PassageView, limit: int) -> list[str]:
        # Jumps from one name to the next, instead of reading every passage of a scope.
        query = """
            WITH RECURSIVE names (name, number) AS (
                SELECT min(speaker), 1 FROM passages WHERE lane = ?1 AND scope = ?2
                UNION ALL
                SELECT (SELECT min(speaker) FROM passages WHERE lane = ?1 AND scope = ?2 AND speaker > name), number + 1
                FROM names WHERE name IS NOT NULL AND number < ?3
            ) SELECT name FROM names WHERE name IS NOT NULL"""
        with self._database.reading() as db:
            found: set[str] = set()
            for scope in _scopes(db, view):
                found.update(str(name) for (name,) in db.execute(query, (str(view.lane), scope, limit)))
            return sorted(found)[:limit]

    def match(self, terms: Sequence[str], view: PassageView, limit: int) -> list[PassageMatch]:
        if not terms:
            return []
        where, values = passage_clause(view)
        with self._database.reading() as db:
            # The index of the view has no lengths: they are read for the best matches only.
            query = f"""
                SELECT best.id, best.score, p.words FROM (
                    SELECT m.id AS id, m.row AS place, found.score AS score
                    FROM {db.matches(passages_text(view.lane))} AS found
                    CROSS JOIN passages m INDEXED BY passages_standing ON m.row = found.row
                    WHERE {where} ORDER BY found.score DESC, m.id LIMIT ?
                ) AS best CROSS JOIN passages p ON p.row = best.place ORDER BY best.score DESC, best.id"""
            asked = [db.match_value(terms, scopes_of(view.reach)), *values, limit]
            rows = decodable_rows(db, query, asked, kind="passage")
            return [PassageMatch(PassageId(id), float(score), int(words)) for id, score, words in rows]

    def nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        where, values = passage_clause(view)
        # In the order of the rows, in which parts and vectors were written: half the time of any other order.
        query = f"""
            SELECT m.id, v.vector FROM passages m INDEXED BY passages_standing
            CROSS JOIN passage_parts p ON p.passage = m.row
            CROSS JOIN passage_vectors v ON v.part = p.row
                AND v.space = (SELECT id FROM spaces WHERE active AND dimensions = ?)
            WHERE {where} AND v.vector IS NOT NULL AND v.content_hash = p.content_hash"""
        with self._database.reading() as db:
            rows = db.execute(query, [len(vector), *values])
            return [PassageId(id) for _, (id, _) in nearest_rows(vector, rows, limit)]

    def part_count(self) -> int:
        with self._database.reading() as db:
            return int(db.execute("SELECT count(*) FROM passage_parts").get)

    def frequencies(self, terms: Sequence[str], lane: EvidenceLane) -> Frequencies:
        with self._database.reading() as db:
            text = passages_text(lane)
            return Frequencies(db.count_matches(text, terms), db.count_indexed(text))

    def neighbours(self, ids: Sequence[PassageId], view: PassageView, window: int) -> list[NeighbourPair]:
        trusts, values = one_of("n.trust", view.trusts)
        query = f"""
            SELECT m.id, n.id, n.position - m.position, m.words, n.words FROM json_each(?) named
            CROSS JOIN passages m INDEXED BY passages_id ON m.id = named.value
            CROSS JOIN passages n INDEXED BY passages_order ON n.lane = m.lane AND n.scope = m.scope
                AND n."group" = m."group" AND n.position BETWEEN m.position - ? AND m.position + ?
            WHERE n.row <> m.row AND {trusts} ORDER BY m.id, n.position, n.id"""
        found: list[NeighbourPair] = []
        with self._database.reading() as db:
            for start in range(0, len(ids), IDS_PER_NEIGHBOUR_QUERY):
                named = canonical(list(ids[start : start + IDS_PER_NEIGHBOUR_QUERY]))
                rows = decodable_rows(db, query, [named, window, window, *values], kind="passage")
                found += [NeighbourPair(PassageId(id), PassageId(near), *numbers) for id, near, *numbers in rows]
        return found

    def added_before(self, at: int, view: PassageView, limit: int, after: str = "") -> list[PassageId]:
        where, values = all_of(("m.added_at < ? AND m.id > ?", [at, after]), passage_clause(view))
        with self._database.reading() as db:
            rows = db.execute(f"SELECT m.id FROM passages m WHERE {where} ORDER BY m.id LIMIT ?", [*values, limit])
            return [PassageId(id) for (id,) in rows]

    def count(self, view: PassageView) -> int:
        where, values = passage_clause(view)
        with self._database.reading() as db:
            return int(db.execute(f"SELECT count(*) FROM passages m WHERE {where}", values).get)

    def contains(self, fragment: str, *, excluding: Sequence[PassageId]) -> bool:
        query = "SELECT id FROM passages WHERE instr(text, ?1) > 0 OR instr(own, ?1) > 0 OR instr(about, ?1) > 0 OR instr(meaning, ?1) > 0"
        with self._database.reading() as db:
            return any(id not in excluding for (id,) in db.execute(query, (fragment,)))

    def similarities(self, vector: Vector, space: Space, ids: Sequence[PassageId]) -> dict[PassageId, float]:
        return self.vectors.similarities(vector, space, ids)


def _scopes(db: Connection, view: PassageView) -> list[str]:
    if not view.reach.everywhere:
        return list(view.reach.scopes)
    rows = db.execute("SELECT DISTINCT scope FROM passages WHERE lane = ? ORDER BY 1", (str(view.lane),))
    return [str(scope) for (scope,) in rows]
