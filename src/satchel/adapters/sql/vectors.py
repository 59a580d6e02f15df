"""Vectors in a ledger, each with its embedding space."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from satchel.adapters.sql.engine import SHARES, Connection, Database, Row, next_seqs
from satchel.adapters.sql.float16 import FLOAT32_BYTES, cosines, pack_all, repack, unit_vectors, unpack
from satchel.adapters.sql.records import decodable_rows
from satchel.adapters.sql.where import Clause, id_batches, reading_batches, upsert
from satchel.domain.embedding import Space, Vector
from satchel.domain.record import MemoryId
from satchel.ports import Embedded, Unembedded

ROWS_PER_BATCH = 1_000
# How much of a content hash is stored with a vector: enough to tell whether its text has changed. With the whole hash, one
# vector less would fit into a page. Earlier versions stored all of it.
_HASH_PREFIX, HASH_CHARS = "sha256:", 16
SAME_TEXT = f"v.content_hash IN (m.content_hash, substr(m.content_hash, {len(_HASH_PREFIX) + 1}, {HASH_CHARS}))"
# The number of a space given by name and dimensions.
OF_SPACE = "(SELECT id FROM spaces WHERE name = ? AND dimensions = ?)"


class SqlVectors:
    """Implements ports.VectorStore."""

    _TEXTS, _ALIAS = "memories m", "m"
    _VECTORS, _TEXT_ROW = "vectors", "row"

    def __init__(self, database: Database) -> None:
        self._database = database

    def space(self) -> Space | None:
        with self._database.reading_once() as db:
            return _active_space(db)

    def adopt(self, space: Space, *, optional: bool = False) -> None:
        with self._database.writing(optional=optional) as db:
            number = _space_number(db, space)
            db.execute("UPDATE spaces SET active = 0")
            db.execute("UPDATE spaces SET active = 1 WHERE id = ?", (number,))
            for texts, vectors, row in (("memories", "vectors", "row"), ("passage_parts", "passage_vectors", "part")):
                db.execute(f"DELETE FROM {vectors} WHERE space <> ?", (number,))
                db.execute(f"""
                    UPDATE {texts} AS m SET embedding = coalesce((
                        SELECT CASE WHEN v.skipped IS NULL THEN 'made' ELSE 'skipped' END FROM {vectors} v
                        WHERE v.{row} = m.row AND {SAME_TEXT}
                    ), 'waiting')""")
            db.execute("DELETE FROM spaces WHERE id <> ?", (number,))

    def pending(self, space: Space, limit: int, *, retry: bool = False) -> list[Unembedded]:
        with self._database.reading() as db:
            return self._texts(db, self._pending(db, space, retry), limit)

    @contextmanager
    def claimed(self, space: Space, limit: int) -> Iterator[list[Unembedded]]:
        with self._database.reading() as db:
            waiting = self._waiting_by_share(db, space, limit * SHARES)
        wanted = _enough(list(waiting.values()), limit)
        with self._database.claim_shares(list(waiting), wanted) as shares:
            # Only now: another process may have embedded some of them until it gave up its claim.
            with self._database.reading() as db:
                condition, values = self._pending(db, space, retry=False)
                among = f"{self._ALIAS}.row % {SHARES} IN ({', '.join(f'{share:d}' for share in shares)})"
                texts = self._texts(db, (f"{condition} AND {among}", values), limit) if shares else []
            yield texts

    def _texts(self, db: Connection, which: Clause, limit: int) -> list[Unembedded]:
        """Return the newest texts for which a condition holds."""
        rows = db.execute(
            f"SELECT m.id, CAST(m.text AS BLOB), m.content_hash FROM memories m WHERE {which[0]} "
            "ORDER BY m.row DESC LIMIT ?",
            [*which[1], limit],
        )
        return [Unembedded(id, embeddable(text), hash) for id, text, hash in rows]

    def _waiting_by_share(self, db: Connection, space: Space, limit: int) -> dict[int, int]:
        """Count the newest texts without a vector by their share, the fullest share first."""
        condition, values = self._pending(db, space, retry=False)
        rows = f"SELECT {self._ALIAS}.row AS row FROM {self._TEXTS} WHERE {condition} ORDER BY 1 DESC LIMIT ?"
        query = f"SELECT row % {SHARES}, count(*) FROM ({rows}) AS waiting GROUP BY 1 ORDER BY 2 DESC, 1"
        return dict(db.execute(query, [*values, limit]))

    def backlog(self, space: Space | None) -> tuple[int, int]:
        with self._database.reading() as db:
            counts = [self._pending_count(db, space, retry) for retry in (False, True)]
            query = f"SELECT {', '.join(f'({query})' for query, _ in counts)}"
            pending, with_skipped = db.execute(query, [value for _, values in counts for value in values]).get
            return int(pending), int(with_skipped - pending)

    def count(self, space: Space) -> int:
        with self._database.reading() as db:
            query = f"SELECT count(*) FROM {self._VECTORS} v WHERE v.space = {OF_SPACE} AND v.vector IS NOT NULL"
            return int(db.execute(query, (space.name, space.dimensions)).get)

    def progress(self, space: Space) -> tuple[int, int]:
        with self._database.reading() as db:
            texts = int(db.execute(f"SELECT count(*) FROM {self._TEXTS}").get)
            query, values = self._pending_count(db, space, retry=True)
            return texts - int(db.execute(query, values).get), texts

    def put(self, space: Space, made: Sequence[Embedded], *, optional: bool = False) -> None:
        with self._database.writing(optional=optional) as db:
            number = _space_number(db, space)
            active = bool(db.execute("SELECT active FROM spaces WHERE id = ?", (number,)).get)
            self._put(db, number, made, active=active)

    def put_new(self, space: Space, made: Sequence[Embedded]) -> None:
        with self._database.writing() as db:
            rows: dict[str, int] = {}
            for among, ids in id_batches("id", [one.id for one in made]):
                rows.update(db.execute(f"SELECT id, row FROM memories WHERE {among}", ids))
            new = [(rows[one.id], text_mark(one.content_hash), one) for one in made]
            self._put_vectors(db, _space_number(db, space), new)

    def decode(self, stated: Sequence[bytes | Sequence[float]], dimensions: int) -> list[Vector | None]:
        return unit_vectors(stated, dimensions)

    def convert_to_float16(self) -> int:
        return sum(_convert_to_float16(self._database, table) for table in _EMBEDDED)

    def get(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, Vector]:
        return {id: unpack(blob, space.dimensions) for id, blob in self._blobs(space, ids).items()}

    def cosines(self, space: Space, vector: Vector, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        found = self._blobs(space, ids)
        return dict(zip(found, cosines(vector, list(found.values())), strict=True))

    def _blobs(self, space: Space, ids: Sequence[MemoryId]) -> dict[MemoryId, bytes]:
        found: dict[MemoryId, bytes] = {}
        with reading_batches(self._database, ids) as db:
            for among, values in id_batches("m.id", ids):
                # The order of the join matters: the few requested records first, then the vector of each.
                rows = db.execute(
                    "SELECT m.id, v.vector FROM memories m INDEXED BY memories_id CROSS JOIN vectors v ON v.row = m.row "
                    f"AND v.space = {OF_SPACE} "
                    f"WHERE {among} AND v.vector IS NOT NULL AND {SAME_TEXT}",
                    [space.name, space.dimensions, *values],
                )
                found.update((MemoryId(id), blob) for id, blob in rows)
        return found

    def _pending(self, db: Connection, space: Space | None, retry: bool) -> Clause:
        """Return the condition for texts without a vector in a space; with `retry`, also for skipped ones."""
        own, alias = _active_space(db), self._ALIAS
        if own is None or space in (None, own):
            waiting = f"{alias}.embedding = 'waiting'"
            # In these words, so that SQLite uses the index of texts without a vector.
            return (f"({waiting} OR {alias}.embedding = 'skipped')" if retry else waiting), []
        assert space is not None
        unless = "AND v.skipped IS NULL" if retry else ""
        same_text = SAME_TEXT.replace("m.", f"{alias}.")
        return (
            f"NOT EXISTS (SELECT 1 FROM {self._VECTORS} v WHERE v.{self._TEXT_ROW} = {alias}.row "
            f"AND v.space = {OF_SPACE} AND {same_text} {unless})",
            [space.name, space.dimensions],
        )

    def _pending_count(self, db: Connection, space: Space | None, retry: bool) -> Clause:
        condition, values = self._pending(db, space, retry)
        return f"SELECT count(*) FROM {self._TEXTS} WHERE {condition}", values

    def _put(self, db: Connection, space: int, made: Sequence[Embedded], *, active: bool) -> None:
        found: dict[str, tuple[int, str]] = {}
        for among, ids in id_batches("id", [one.id for one in made]):
            rows = decodable_rows(db, f"SELECT id, row, content_hash FROM memories WHERE {among}", ids)
            found.update((id, (row, content_hash)) for id, row, content_hash in rows)
        unchanged = [
            (found[one.id][0], one) for one in made if one.id in found and found[one.id][1] == one.content_hash
        ]
        self._put_vectors(db, space, [(row, text_mark(one.content_hash), one) for row, one in unchanged])
        if active and unchanged:
            seqs = next_seqs(db, len(unchanged))
            states = [(embedding_state(one), seq, row) for (row, one), seq in zip(unchanged, seqs, strict=True)]
            db.executemany("UPDATE memories SET embedding = ?, touched = ? WHERE row = ?", states)

    def _put_vectors(self, db: Connection, space: int, made: Sequence[tuple[int, str, Embedded]]) -> None:
        """Store vectors, or the reasons why there are none, each with its row and the mark of its text."""
        packed = iter(pack_all([one.vector for _, _, one in made if one.vector is not None]))
        db.executemany(
            upsert(
                self._VECTORS,
                ("space", self._TEXT_ROW, "content_hash", "vector", "skipped"),
                ("space", self._TEXT_ROW),
            ),
            ((space, row, mark, None if one.vector is None else next(packed), one.skipped) for row, mark, one in made),
        )


def _enough(counts: Sequence[int], limit: int) -> int:
    """Return how many of some shares, from the first on, hold a number of texts; all if they hold fewer."""
    held = 0
    for number, count in enumerate(counts, 1):
        held += count
        if held >= limit:
            return number
    return len(counts)


def embedding_state(one: Embedded) -> str:
    """Return the state of a text whose vector was made or could not be made."""
    return "skipped" if one.vector is None else "made"


def text_mark(content_hash: str) -> str:
    """Return what is stored with a vector of the content hash of its text."""
    digest = content_hash.removeprefix(_HASH_PREFIX)
    return digest[:HASH_CHARS] if digest != content_hash and len(digest) > HASH_CHARS else content_hash


def embeddable(text: bytes) -> str:
    """Return a text to embed. One damaged text must not keep the others from being embedded."""
    return text.decode("utf-8", "replace")


def _active_space(db: Connection) -> Space | None:
    # A damaged name is the name of no embedder, so everything is embedded again.
    rows = list(decodable_rows(db, "SELECT name, dimensions FROM spaces WHERE active"))
    return Space(*rows[0]) if rows else None


def _space_number(db: Connection, space: Space) -> int:
    """Return the number of a space, adding it if it is new."""
    named = (space.name, space.dimensions)
    db.execute("INSERT INTO spaces (name, dimensions) VALUES (?, ?) ON CONFLICT DO NOTHING", named)
    return int(db.execute("SELECT id FROM spaces WHERE name = ? AND dimensions = ?", named).get)


# Each table of vectors with its column for what was embedded.
_EMBEDDED = {"vectors": "row", "passage_vectors": "part"}


def _convert_to_float16(database: Database, table: str) -> int:
    """Convert the float32 vectors of an earlier version in batches, so that it can be stopped and resumed."""
    done, last, of = 0, (0, 0), _EMBEDDED[table]
    query = f"""
        SELECT v.space, v.{of}, v.vector, s.dimensions FROM {table} v JOIN spaces s ON s.id = v.space
        WHERE (v.space, v.{of}) > (?, ?) AND length(v.vector) = {FLOAT32_BYTES} * s.dimensions ORDER BY v.space, v.{of} LIMIT ?"""
    while True:
        with database.writing() as db:
            batch: list[Row] = db.execute(query, (*last, ROWS_PER_BATCH)).fetchall()
            converted = [(repack(blob, dimensions), space, row) for space, row, blob, dimensions in batch]
            db.executemany(f"UPDATE {table} SET vector = ? WHERE space = ? AND {of} = ?", converted)
        if not batch:
            return done
        done, last = done + len(batch), batch[-1][:2]
