"""Passages as rows: reading and writing one with its full text and the parts that get vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from satchel.adapters.sql.full_text import passages_text
from satchel.adapters.sql.passages.vectors import next_passage_seq
from satchel.adapters.sql.records import READABLE_TEXT, FoundRow, ReadableColumn, RecordFormat
from satchel.adapters.sql.where import id_batches, upsert
from satchel.domain.canonical import digest
from satchel.domain.passage import EvidenceLane, Passage, PassageId, embedding_spans, is_intact
from satchel.domain.record import Trust
from satchel.domain.words import segment

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection, Row

COLUMNS = Passage.__struct_fields__
_QUOTED = tuple(f'"{name}"' for name in COLUMNS)
SELECTED = ", ".join(f"m.{name}" for name in _QUOTED)


def from_row(row: Row) -> Passage:
    """Return the passage of a row selected as SELECTED."""
    values: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    values["lane"], values["trust"] = EvidenceLane(values["lane"]), Trust(values["trust"])
    return Passage(**values)


PASSAGES = RecordFormat(
    "passage",
    {name: f'm."{name}"' for name in COLUMNS},
    from_row=from_row,
    is_intact=is_intact,
    readable={
        "lane": ReadableColumn(EvidenceLane, EvidenceLane.EPISODES.value),
        "trust": ReadableColumn(Trust, Trust.QUARANTINED.value),
        "text": READABLE_TEXT,
    },
)


def rebuild_full_text(db: Connection) -> None:
    """Index every passage again."""
    for lane in EvidenceLane:
        db.clear_words(passages_text(lane))
    for (row,), passage, _ in PASSAGES.rows(db, f"SELECT m.row, {SELECTED} FROM passages m ORDER BY m.row"):
        _index(db, row, passage)


def put_passage(db: Connection, passage: Passage) -> None:
    """Store a passage, replacing the one with the same id."""
    known = next(iter(found_by_id(db, [passage.id])), None)
    db.execute("DELETE FROM passage_tombstones WHERE id = ?", (passage.id,))
    if known is None:
        places = ", ".join("?" * (len(COLUMNS) + 2))
        # touched = 0: the index learns of a passage when it gets its first vector.
        db.execute(
            f"INSERT INTO passages ({', '.join(_QUOTED)}, words, touched) VALUES ({places})",
            [*_values(passage), _length(passage), 0],
        )
        row = db.last_insert_rowid()
        _index(db, row, passage)
        _insert_parts(db, row, passage)
        return
    if known.record != passage:
        rewrite(db, known, passage)


def rewrite(db: Connection, known: FoundRow[Passage], passage: Passage) -> None:
    """Replace a passage by another version of it."""
    (row,), before, damage = known
    if damage is None:
        _unindex(db, row, before)
    assignments = ", ".join(f"{name} = ?" for name in _QUOTED)
    db.execute(
        f"UPDATE passages SET {assignments}, words = ?, touched = ? WHERE row = ?",
        [*_values(passage), _length(passage), next_passage_seq(db), row],
    )
    if damage is None:
        _index(db, row, passage)
    else:
        # The words that were indexed are not known any more.
        rebuild_full_text(db)
    if before.embedded != passage.embedded:
        _drop_parts(db, row)
        _insert_parts(db, row, passage)


def _values(passage: Passage) -> list[Any]:
    return [getattr(passage, name) for name in COLUMNS]


def _length(passage: Passage) -> int:
    return segment(passage.searched).count(" ") + 1


def _insert_parts(db: Connection, row: int, passage: Passage) -> None:
    """Store the parts, each of which gets a vector."""
    text = passage.embedded
    db.executemany(
        "INSERT INTO passage_parts (passage, part, start, length, content_hash) VALUES (?, ?, ?, ?, ?)",
        [
            (row, part, start + 1, end - start, digest(text[start:end]))
            for part, (start, end) in enumerate(embedding_spans(passage))
        ],
    )


def _drop_parts(db: Connection, row: int) -> None:
    db.execute("DELETE FROM passage_vectors WHERE part IN (SELECT row FROM passage_parts WHERE passage = ?)", (row,))
    db.execute("DELETE FROM passage_parts WHERE passage = ?", (row,))


def remove_passage(db: Connection, found: FoundRow[Passage], *, forgotten: bool) -> None:
    """Remove a passage with its vectors and its full text."""
    (row,), passage, damage = found
    if damage is None:
        _unindex(db, row, passage)
    _drop_parts(db, row)
    db.execute("DELETE FROM passages WHERE row = ?", (row,))
    if damage is not None:
        rebuild_full_text(db)
    db.execute(
        upsert("passage_tombstones", ("id", "lane", "scope", "forgotten", "touched"), ("id",)),
        (passage.id, passage.lane, passage.scope, int(forgotten), next_passage_seq(db)),
    )


def _indexed(passage: Passage) -> tuple[str, str]:
    return segment(passage.searched), segment(passage.about)


def _index(db: Connection, row: int, passage: Passage) -> None:
    db.add_words(passages_text(passage.lane), [(row, _indexed(passage), passage.scope)])


def _unindex(db: Connection, row: int, passage: Passage) -> None:
    db.remove_words(passages_text(passage.lane), row, _indexed(passage))


def found_by_id(db: Connection, ids: Sequence[PassageId]) -> list[FoundRow[Passage]]:
    found: list[FoundRow[Passage]] = []
    for among, values in id_batches("m.id", ids):
        found += PASSAGES.rows(db, f"SELECT m.row, {SELECTED} FROM passages m WHERE {among} ORDER BY m.row", values)
    return found
