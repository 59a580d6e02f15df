"""The passages of a SQLite ledger: verbatim evidence, its words, its places and its erasure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apsw

from satchel.adapters.sqlite import dependents, receipts
from satchel.adapters.sqlite.database import Database, Row
from satchel.adapters.sqlite.memories.fulltext import match_expression
from satchel.adapters.sqlite.passages.vectors import SqlitePassageFeed, SqlitePassageVectors, next_passage_seq
from satchel.adapters.sqlite.where import IDS_PER_QUERY, Clause, every, one_of, reach_clause
from satchel.domain.canonical import canonical, digest
from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import EvidenceLane, Passage, PassageId, Sight, content_digest, parts
from satchel.domain.receipt import Receipt
from satchel.domain.record import Trust
from satchel.domain.words import segmented
from satchel.ports import Beside, Frequencies, GroupTally, Match

COLUMNS = Passage.__struct_fields__
_QUOTED = tuple(f'"{name}"' for name in COLUMNS)
SELECTED = ", ".join(f"m.{name}" for name in _QUOTED)
# What a passage says itself counts for more than what is known about it.
WEIGHTS = "3.0, 1.0"
# A word in more passages than this is common, however many more there are.
MOST_COUNTED = 20_000
# So many passages are looked at for their neighbours, in one statement.
MOST_BESIDE = 1_000


class SqlitePassages:
    """Implements ports.Passages."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.vectors = SqlitePassageVectors(database)
        self.feed = SqlitePassageFeed(database)

    def put(self, passages: Sequence[Passage], gone: Sequence[PassageId], receipt: Receipt | None = None) -> None:
        with self._database.writing() as db:
            for row, passage in _by_id(db, gone):
                _remove(db, row, passage, forgotten=False)
            for passage in passages:
                _put(db, passage)
            if receipt is not None:
                receipts.append(db, receipt)

    def erase(self, ids: Sequence[PassageId], sight: Sight, receipt: Receipt) -> int:
        with self._database.writing() as db:
            doomed = [(row, passage) for row, passage in _by_id(db, ids) if sight.admits(passage)]
            dependents.erase_dependents(db, [passage.id for _, passage in doomed])
            for row, passage in doomed:
                _remove(db, row, passage, forgotten=True)
            if doomed:
                receipts.append(db, receipt)
            return len(doomed)

    def forgotten(self, ids: Sequence[PassageId]) -> frozenset[PassageId]:
        found: set[PassageId] = set()
        with self._database.reading() as db:
            for among, values in _batches("id", ids):
                rows = db.execute(f"SELECT id FROM passage_tombstones WHERE forgotten AND {among}", values)
                found.update(PassageId(id) for (id,) in rows)
        return frozenset(found)

    def fetch(self, ids: Sequence[PassageId], sight: Sight) -> dict[PassageId, Passage]:
        found: dict[PassageId, Passage] = {}
        with self._database.reading() as db:
            for batch in _batches("m.id", ids):
                where, values = every(batch, sight_clause(sight))
                # Left to itself, SQLite may walk the whole scope for a handful of ids.
                query = f"SELECT {SELECTED} FROM passages m INDEXED BY passages_id WHERE {where}"
                found.update((one.id, one) for one in map(from_row, db.execute(query, values)))
        return found

    def page(self, sight: Sight, limit: int, after: tuple[int, str] | None = None) -> list[Passage]:
        clauses = [sight_clause(sight)]
        if after is not None:
            clauses.append(("(coalesce(m.at, 0), m.id) < (?, ?)", list(after)))
        where, values = every(*clauses)
        query = f"SELECT {SELECTED} FROM passages m WHERE {where} ORDER BY coalesce(m.at, 0) DESC, m.id DESC LIMIT ?"
        with self._database.reading() as db:
            return [from_row(row) for row in db.execute(query, [*values, limit])]

    def group(self, group: str, sight: Sight) -> list[Passage]:
        where, values = every(('m."group" = ?', [group]), sight_clause(sight))
        query = f"SELECT {SELECTED} FROM passages m WHERE {where} ORDER BY m.scope, m.position, m.id"
        with self._database.reading() as db:
            return [from_row(row) for row in db.execute(query, values)]

    def groups(self, sight: Sight, limit: int, after: tuple[int, str] | None = None) -> list[GroupTally]:
        where, values = sight_clause(sight)
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

    def speakers(self, sight: Sight, limit: int) -> list[str]:
        # From one name to the next, and not through every passage of a scope.
        query = """
            WITH RECURSIVE names (name) AS (
                SELECT min(speaker) FROM passages WHERE lane = ?1 AND scope = ?2
                UNION ALL
                SELECT (SELECT min(speaker) FROM passages WHERE lane = ?1 AND scope = ?2 AND speaker > name)
                FROM names WHERE name IS NOT NULL LIMIT ?3
            ) SELECT name FROM names WHERE name IS NOT NULL"""
        with self._database.reading() as db:
            found: set[str] = set()
            for scope in _scopes(db, sight):
                found.update(str(name) for (name,) in db.execute(query, (str(sight.lane), scope, limit)))
            return sorted(found)[:limit]

    def match(self, terms: Sequence[str], sight: Sight, limit: int) -> list[Match]:
        if not terms:
            return []
        text, (where, values) = f"{sight.lane}_text", sight_clause(sight)
        query = f"""
            SELECT m.id, -bm25({text}, {WEIGHTS}) AS score
            FROM {text} CROSS JOIN passages m INDEXED BY passages_standing ON m.row = {text}.rowid
            WHERE {text} MATCH ? AND {where} ORDER BY score DESC, m.id LIMIT ?"""
        with self._database.reading() as db:
            rows = db.execute(query, [match_expression(terms), *values, limit])
            return [Match(PassageId(id), float(score)) for id, score in rows]

    def frequencies(self, terms: Sequence[str], lane: EvidenceLane) -> Frequencies:
        query = f"SELECT count(*) FROM (SELECT 1 FROM {lane}_text WHERE {lane}_text MATCH ? LIMIT ?)"
        with self._database.reading() as db:
            holding = {term: int(db.execute(query, (match_expression([term]), MOST_COUNTED)).get) for term in terms}
            return Frequencies(holding, int(db.execute(f"SELECT count(*) FROM {lane}_text_docsize").get))

    def beside(self, ids: Sequence[PassageId], sight: Sight, window: int) -> list[Beside]:
        trusts, values = one_of("n.trust", sight.trusts)
        query = f"""
            SELECT m.id, n.id, abs(n.position - m.position), m.words, n.words FROM json_each(?) named
            CROSS JOIN passages m INDEXED BY passages_id ON m.id = named.value
            CROSS JOIN passages n INDEXED BY passages_order ON n.lane = m.lane AND n.scope = m.scope
                AND n."group" = m."group" AND n.position BETWEEN m.position - ? AND m.position + ?
            WHERE n.row <> m.row AND {trusts} ORDER BY m.id, n.position, n.id"""
        found: list[Beside] = []
        with self._database.reading() as db:
            for start in range(0, len(ids), MOST_BESIDE):
                named = canonical(list(ids[start : start + MOST_BESIDE]))
                rows = db.execute(query, [named, window, window, *values])
                found += [Beside(PassageId(id), PassageId(near), *numbers) for id, near, *numbers in rows]
        return found

    def added_before(self, at: int, sight: Sight, limit: int, after: str = "") -> list[PassageId]:
        where, values = every(("m.added_at < ? AND m.id > ?", [at, after]), sight_clause(sight))
        with self._database.reading() as db:
            rows = db.execute(f"SELECT m.id FROM passages m WHERE {where} ORDER BY m.id LIMIT ?", [*values, limit])
            return [PassageId(id) for (id,) in rows]

    def count(self, sight: Sight) -> int:
        where, values = sight_clause(sight)
        with self._database.reading() as db:
            return int(db.execute(f"SELECT count(*) FROM passages m WHERE {where}", values).get)

    def contains(self, fragment: str, *, besides: Sequence[PassageId]) -> bool:
        query = (
            "SELECT id FROM passages WHERE instr(text, ?1) OR instr(own, ?1) OR instr(about, ?1) OR instr(meaning, ?1)"
        )
        with self._database.reading() as db:
            return any(id not in besides for (id,) in db.execute(query, (fragment,)))

    def nearness(self, vector: Vector, space: Space, ids: Sequence[PassageId]) -> dict[PassageId, float]:
        return self.vectors.nearness(vector, space, ids)


def _scopes(db: apsw.Connection, sight: Sight) -> list[str]:
    if not sight.reach.everywhere:
        return list(sight.reach.scopes)
    rows = db.execute("SELECT DISTINCT scope FROM passages WHERE lane = ? ORDER BY 1", (str(sight.lane),))
    return [str(scope) for (scope,) in rows]


def sight_clause(sight: Sight) -> Clause:
    """Return the condition on `m` for what a request may see of a lane."""
    clauses = [("m.lane = ?", [str(sight.lane)]), reach_clause(sight.reach), one_of("m.trust", sight.trusts)]
    if sight.groups:
        clauses.append(one_of('m."group"', sight.groups))
    if sight.kinds:
        clauses.append(one_of("m.kind", sight.kinds))
    if sight.since is not None:
        clauses.append(("m.at >= ?", [sight.since]))
    if sight.until is not None:
        clauses.append(("m.at < ?", [sight.until]))
    return every(*clauses)


def from_row(row: Row) -> Passage:
    """Return the passage of a row selected as SELECTED."""
    values: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    values["lane"], values["trust"] = EvidenceLane(values["lane"]), Trust(values["trust"])
    return Passage(**values)


def rebuild_full_text(db: apsw.Connection) -> None:
    """Index every passage anew."""
    for lane in EvidenceLane:
        db.execute(f"INSERT INTO {lane}_text ({lane}_text) VALUES ('delete-all')")
    for row, *columns in db.execute(f"SELECT m.row, {SELECTED} FROM passages m ORDER BY m.row"):
        _index(db, row, from_row(tuple(columns)))


def missing_from_full_text(db: apsw.Connection, lane: EvidenceLane) -> int:
    """Count passages that are in one of the two and not in the other."""
    db.execute(f"INSERT INTO {lane}_text ({lane}_text) VALUES ('integrity-check')")
    query = f"""
        SELECT count(*) FROM (
            SELECT row FROM passages WHERE lane = ?1 EXCEPT SELECT id FROM {lane}_text_docsize
        ) UNION ALL SELECT count(*) FROM (
            SELECT id FROM {lane}_text_docsize EXCEPT SELECT row FROM passages WHERE lane = ?1
        )"""
    return sum(row[0] for row in db.execute(query, (str(lane),)))


def altered(db: apsw.Connection) -> list[str]:
    """Return the passages that do not match their hash."""
    passages = map(from_row, db.execute(f"SELECT {SELECTED} FROM passages m"))
    return [one.id for one in passages if content_digest(one) != one.content_hash]


def _put(db: apsw.Connection, passage: Passage) -> None:
    known = next(iter(_by_id(db, [passage.id])), None)
    db.execute("DELETE FROM passage_tombstones WHERE id = ?", (passage.id,))
    if known is None:
        places = ", ".join("?" * (len(COLUMNS) + 2))
        # An index learns of it with its first vector.
        db.execute(
            f"INSERT INTO passages ({', '.join(_QUOTED)}, words, touched) VALUES ({places})",
            [*_values(passage), _length(passage), 0],
        )
        row = db.last_insert_rowid()
        _index(db, row, passage)
        _cut(db, row, passage)
        return
    row, before = known
    if before == passage:
        return
    _unindex(db, row, before)
    assignments = ", ".join(f"{name} = ?" for name in _QUOTED)
    db.execute(
        f"UPDATE passages SET {assignments}, words = ?, touched = ? WHERE row = ?",
        [*_values(passage), _length(passage), next_passage_seq(db), row],
    )
    _index(db, row, passage)
    if before.embedded != passage.embedded:
        _drop_parts(db, row)
        _cut(db, row, passage)


def _values(passage: Passage) -> list[Any]:
    return [getattr(passage, name) for name in COLUMNS]


def _length(passage: Passage) -> int:
    return segmented(passage.searched).count(" ") + 1


def _cut(db: apsw.Connection, row: int, passage: Passage) -> None:
    """Note the parts that are to get a vector each."""
    text = passage.embedded
    db.executemany(
        "INSERT INTO passage_parts (passage, part, start, length, content_hash) VALUES (?, ?, ?, ?, ?)",
        [
            (row, part, start + 1, end - start, digest(text[start:end]))
            for part, (start, end) in enumerate(parts(passage))
        ],
    )


def _drop_parts(db: apsw.Connection, row: int) -> None:
    db.execute("DELETE FROM passage_vectors WHERE part IN (SELECT row FROM passage_parts WHERE passage = ?)", (row,))
    db.execute("DELETE FROM passage_parts WHERE passage = ?", (row,))


def _remove(db: apsw.Connection, row: int, passage: Passage, *, forgotten: bool) -> None:
    _unindex(db, row, passage)
    _drop_parts(db, row)
    db.execute("DELETE FROM passages WHERE row = ?", (row,))
    db.execute(
        "INSERT OR REPLACE INTO passage_tombstones (id, lane, scope, forgotten, touched) VALUES (?, ?, ?, ?, ?)",
        (passage.id, passage.lane, passage.scope, int(forgotten), next_passage_seq(db)),
    )


def _indexed(passage: Passage) -> tuple[str, str]:
    return segmented(passage.searched), segmented(passage.about)


def _index(db: apsw.Connection, row: int, passage: Passage) -> None:
    lane = passage.lane
    db.execute(f"INSERT INTO {lane}_text (rowid, own, about) VALUES (?, ?, ?)", (row, *_indexed(passage)))


def _unindex(db: apsw.Connection, row: int, passage: Passage) -> None:
    # FTS5 needs the very words it was given.
    lane = passage.lane
    db.execute(
        f"INSERT INTO {lane}_text ({lane}_text, rowid, own, about) VALUES ('delete', ?, ?, ?)",
        (row, *_indexed(passage)),
    )


def _by_id(db: apsw.Connection, ids: Sequence[PassageId]) -> list[tuple[int, Passage]]:
    found: list[tuple[int, Passage]] = []
    for among, values in _batches("m.id", ids):
        rows = db.execute(f"SELECT m.row, {SELECTED} FROM passages m WHERE {among} ORDER BY m.row", values)
        found += [(row[0], from_row(row[1:])) for row in rows]
    return found


def _batches(column: str, ids: Sequence[PassageId]) -> Iterator[Clause]:
    for start in range(0, len(ids), IDS_PER_QUERY):
        yield one_of(column, ids[start : start + IDS_PER_QUERY])
