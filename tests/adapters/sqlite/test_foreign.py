"""Databases of other programs: read-only, one state, nothing left beside them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from satchel.adapters.sqlite.foreign import ForeignDatabase
from satchel.errors import InvalidRequest, Unavailable


def make(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db, db:
        for one in ("CREATE TABLE notes (id INTEGER, text TEXT, vector BLOB)", *statements):
            db.execute(one)
    return path


def rows(source: ForeignDatabase) -> list[tuple[object, ...]]:
    return list(source.rows("notes", ["id", "text", "vector"], ["id"]))


def test_texts_numbers_and_what_is_neither(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db",
        "INSERT INTO notes VALUES (2, 'two', x'00ff'), (1, 1.5, NULL), (3, CAST(x'ff41' AS TEXT), 'text')",
    )
    with closing(ForeignDatabase(path)) as source:
        assert source.tables() == {"notes": frozenset({"id", "text", "vector"})}
        assert rows(source) == [(1, "1.5", None), (2, "two", None), (3, b"\xffA", "text")]


def test_tables_that_need_code_are_not_listed(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.db", "CREATE VIEW seen AS SELECT * FROM notes", "CREATE VIRTUAL TABLE words USING fts5(a)"
    )
    with closing(ForeignDatabase(path)) as source:
        assert not {"seen", "words"} & source.tables().keys()


def test_a_name_with_quotes_is_a_name(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", 'CREATE TABLE "a""; DROP TABLE notes; --" (id INTEGER)')
    with closing(ForeignDatabase(path)) as source:
        assert list(source.rows('a"; DROP TABLE notes; --', ["id"], ["id"])) == []
        assert "notes" in source.tables()


def test_a_database_at_rest_is_left_alone(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "INSERT INTO notes VALUES (1, 'one', NULL)")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    with closing(ForeignDatabase(path)) as source:
        assert rows(source) == [(1, "one", None)]
    assert [one.name for one in tmp_path.iterdir()] == ["a.db"]


def test_a_database_that_is_opened_meanwhile_is_reported(tmp_path: Path) -> None:
    path = make(tmp_path / "a.db", "INSERT INTO notes VALUES (1, 'one', NULL)")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")
    with closing(ForeignDatabase(path)) as source:
        with closing(sqlite3.connect(path)) as owner, owner:
            owner.execute("INSERT INTO notes VALUES (2, 'two', NULL)")
        with pytest.raises(Unavailable) as refused:
            rows(source)
    assert refused.value.code == "changed_while_read"


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"SQLite format 3\0" + b"\1" * 500)
    with pytest.raises(InvalidRequest) as refused:
        ForeignDatabase(path)
    assert refused.value.code == "unreadable_database"
