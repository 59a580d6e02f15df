"""Reading records from rows: a damaged row is left out and reported, and the others are read."""

from collections.abc import Iterator

import pytest

from satchel.adapters.sql.engine import Row
from satchel.adapters.sql.records import (
    FoundRow,
    ReadableColumn,
    RecordFormat,
    decodable_rows,
    read_page,
    unreported,
)
from satchel.adapters.sqlite.connection import Connection
from satchel.ports.damage import DamagedRecord, collect_into

Note = tuple[str, str, int, str]
COLUMNS = {"id": "m.id", "scope": "m.scope", "size": "m.size", "text": "m.body", "derived": "length(m.body)"}


def _note(row: Row) -> Note:
    id, scope, size, text, _ = row
    return id, scope, int(size), text


NOTES = RecordFormat(
    "note",
    COLUMNS,
    from_row=_note,
    is_intact=lambda note: note[2] == len(note[3]),
    readable={"size": ReadableColumn(int, "0")},
)
SELECT = f"SELECT {NOTES.selected} FROM notes m ORDER BY m.rowid"
NUMBERED = f"SELECT m.rowid, {NOTES.selected} FROM notes m ORDER BY m.rowid"

GOOD, SHORT, ODD, BROKEN, LAST = "good", "short", "odd", "broken", "last"


@pytest.fixture
def db() -> Iterator[Connection]:
    """Five notes: an intact one, one of another length, one without a number, one undecodable, an intact one."""
    connection = Connection(":memory:")
    connection.execute("CREATE TABLE notes (id, scope, size, body)")
    connection.executemany(
        "INSERT INTO notes VALUES (?, 's', ?, CAST(? AS TEXT))",
        [(GOOD, 3, b"abc"), (SHORT, 3, b"ab"), (ODD, "many", b"abc"), (BROKEN, 3, b"a\xffc"), (LAST, 1, b"z")],
    )
    yield connection
    connection.close()


@pytest.fixture
def reports() -> Iterator[list[DamagedRecord]]:
    """What is reported to the operation."""
    found: list[DamagedRecord] = []
    before = collect_into(found)
    yield found
    collect_into(before)


def problems(found: list[DamagedRecord]) -> list[tuple[str, str]]:
    return [(one.id, one.problem) for one in found]


DAMAGED = [(SHORT, "hash_mismatch"), (ODD, "unreadable"), (BROKEN, "unreadable")]


def test_intact_records_are_read_and_damaged_ones_reported(db: Connection, reports: list[DamagedRecord]) -> None:
    assert [note[0] for note in NOTES.read(db, SELECT)] == [GOOD, LAST]
    assert problems(reports) == DAMAGED
    assert {(one.kind, one.scope) for one in reports} == {("note", "s")}


def test_without_verification_only_what_cannot_be_read_is_left_out(db: Connection) -> None:
    found: list[DamagedRecord] = []
    notes = list(NOTES.read(db, SELECT, verify=False, damaged=found.append))
    assert [note[0] for note in notes] == [GOOD, SHORT, LAST]
    assert problems(found) == DAMAGED[1:]


def test_values_of_a_query_are_bound_for_undecodable_rows_as_well(db: Connection) -> None:
    found: list[DamagedRecord] = []
    query = f"SELECT {NOTES.selected} FROM notes m WHERE m.id IN (?, ?)"
    assert [note[0] for note in NOTES.read(db, query, [LAST, BROKEN], damaged=found.append)] == [LAST]
    assert [one[0] for one in problems(found)] == [BROKEN]


def test_a_damaged_record_has_its_columns_as_they_are_stored(db: Connection) -> None:
    found: list[DamagedRecord] = []
    list(NOTES.read(db, SELECT, damaged=found.append))
    assert dict(found[2].columns) == {"id": BROKEN, "scope": "s", "size": 3, "text": b"a\xffc", "derived": 3}
    assert dict(found[1].columns) == {"id": ODD, "scope": "s", "size": "many", "text": "abc", "derived": 3}
    assert NOTES.salvaged_values(found[2]) == {"id": BROKEN, "scope": "s", "size": 3, "text": "a\\xffc", "derived": 3}
    assert NOTES.salvaged_values(found[1])["size"] == "0"


def test_the_stored_columns_are_those_of_the_table() -> None:
    assert NOTES.stored == {"id": "id", "scope": "scope", "size": "size", "text": "body"}
    assert NOTES.selected == "m.id, m.scope, m.size, m.body, length(m.body)"


def test_rows_come_with_what_stands_before_the_record_and_what_is_left_of_it(db: Connection) -> None:
    rows = list(NOTES.rows(db, NUMBERED))
    assert [(row.extra, row.record, row.damage and row.damage.problem) for row in rows] == [
        ((1,), (GOOD, "s", 3, "abc"), None),
        ((2,), (SHORT, "s", 3, "ab"), "hash_mismatch"),
        ((3,), (ODD, "s", 0, "abc"), "unreadable"),
        ((5,), (LAST, "s", 1, "z"), None),
        ((4,), (BROKEN, "s", 3, "a\\xffc"), "unreadable"),
    ]
    assert isinstance(rows[0], FoundRow)


def test_rows_of_a_query_with_values(db: Connection) -> None:
    query = f"SELECT m.rowid, {NOTES.selected} FROM notes m WHERE m.id = ?"
    assert [row.record[0] for row in NOTES.rows(db, query, [LAST])] == [LAST]
    assert [damage.id for _, damage in NOTES.damaged(db, query, [BROKEN])] == [BROKEN]


def test_only_damaged_rows(db: Connection) -> None:
    assert [(extra, damage.id, damage.problem) for extra, damage in NOTES.damaged(db, NUMBERED)] == [
        ((2,), SHORT, "hash_mismatch"),
        ((3,), ODD, "unreadable"),
        ((4,), BROKEN, "unreadable"),
    ]


def test_an_undecodable_id_is_escaped(db: Connection) -> None:
    db.execute("UPDATE notes SET id = CAST(x'6dff' AS TEXT), body = 'abc', size = 3 WHERE id = ?", (BROKEN,))
    damage = [one for _, one in NOTES.damaged(db, NUMBERED)][-1]
    assert (damage.id, damage.columns["id"]) == ("m\\xff", b"m\xff")


def test_a_blob_before_the_record_is_no_damage(db: Connection) -> None:
    query = f"SELECT x'ff', {NOTES.selected} FROM notes m ORDER BY m.rowid"
    assert [(row.extra, row.record[0]) for row in NOTES.rows(db, query)][-1] == ((b"\xff",), BROKEN)
    assert len(list(NOTES.rows(db, query))) == 5


def test_a_format_without_a_hash_takes_every_readable_record(db: Connection) -> None:
    plain = RecordFormat("note", COLUMNS, from_row=_note)
    assert [note[0] for note in plain.read(db, SELECT, damaged=unreported)] == [GOOD, SHORT, LAST]


@pytest.mark.parametrize(
    ("limit", "read", "reported"),
    [
        (1, [GOOD], []),
        (2, [GOOD, LAST], [SHORT, ODD, BROKEN]),
        (3, [GOOD, LAST], [SHORT, ODD, BROKEN]),
        (9, [GOOD, LAST], [SHORT, ODD, BROKEN]),
    ],
)
def test_a_page_is_filled_with_intact_records(
    db: Connection, reports: list[DamagedRecord], limit: int, read: list[str], reported: list[str]
) -> None:
    assert [note[0] for note in read_page(NOTES, db, f"{SELECT} LIMIT ?", [], limit)] == read
    assert [one.id for one in reports] == reported


def test_a_page_is_never_longer_than_asked_for(db: Connection) -> None:
    db.executemany("INSERT INTO notes VALUES (?, 's', 1, 'z')", [("x",), ("y",)])
    assert [note[0] for note in read_page(NOTES, db, f"{SELECT} LIMIT ?", [], 2)] == [GOOD, LAST]
    assert [note[0] for note in read_page(NOTES, db, f"{SELECT} LIMIT ?", [], 3)] == [GOOD, LAST, "x"]


def test_names_are_read_without_the_undecodable_ones(db: Connection, reports: list[DamagedRecord]) -> None:
    query = "SELECT body FROM notes WHERE rowid > ? ORDER BY rowid"
    assert list(decodable_rows(db, query, [1])) == [("ab",), ("abc",), ("z",)]
    assert reports == []
    assert list(decodable_rows(db, query, [3], kind="note")) == [("z",)]
    assert reports == [DamagedRecord("note", "a note with an unreadable id", "", "unreadable")]


def test_a_value_of_another_type_is_unreadable(db: Connection) -> None:
    db.execute("DELETE FROM notes WHERE id != ?", (GOOD,))
    db.execute("UPDATE notes SET size = NULL")
    made = RecordFormat("note", COLUMNS, from_row=_note, readable={"size": ReadableColumn(int, "0")})
    found: list[DamagedRecord] = []
    assert list(made.read(db, SELECT, damaged=found.append)) == []
    assert problems(found) == [(GOOD, "unreadable")]
    assert [damage.problem for _, damage in made.damaged(db, NUMBERED)] == ["unreadable"]
    assert [row.record for row in made.rows(db, NUMBERED)] == [(GOOD, "s", 0, "abc")]
    assert made.stored == {"id": "id", "scope": "scope", "size": "size", "text": "body"}
