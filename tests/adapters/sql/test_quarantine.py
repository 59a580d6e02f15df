"""Damaged records of every table at once: found, mended where they are, and nothing else is changed."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from satchel.adapters.sql.quarantine import (
    count_unknown_states,
    damaged_records,
    quarantine_damaged,
    reset_unknown_states,
)
from satchel.adapters.sqlite.connection import Connection
from satchel.app import Satchel
from satchel.config import load
from tests.adapters.samples import receipt
from tests.faults.filled_store import fill_records

# A damaged column of each table whose records are mended.
DAMAGED = {
    "memories": "text", "observations": "text", "passages": "text", "fact_events": "reason", "facts": "predicate",
    "conversations": "title", "messages": "content", "summaries": "content", "decisions": "statement",
    "decision_clauses": "text", "document_collections": "root", "documents": "digest", "details": "data",
    "packets": "goal", "packet_items": "text", "tags": "note", "events": "reason", "observation_events": "reason",
    "log_lines": "text", "graph_sources": "ref", "graph_sightings": "name", "graph_claims": "rule", "edges": "type",
}  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with records of every kind."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"})) as store:
        fill_records(store)
    return home / "ledger.sqlite3"


@pytest.fixture
def db(filled: Path, tmp_path: Path) -> Iterator[Connection]:
    """A copy of that ledger, open."""
    connection = Connection(str(shutil.copy(filled, tmp_path / "ledger")))
    connection.execute("PRAGMA ignore_check_constraints = ON")
    yield connection
    connection.close()


Rows = list[dict[str, object]]
ESCAPED = b"a\\xff"
KINDS = (
    "memory observation passage fact,event fact conversation message summary decision decision,clause collection document "
    "details packet packet,item tag change change log,line graph,source entity relation edge"
)


def contents(db: Connection) -> dict[str, Rows]:
    """Return every row of every table, texts as bytes."""
    tables = db.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE TABLE%STRICT%'").fetchall()
    return {str(table): _rows(db, str(table)) for (table,) in tables}


def _rows(db: Connection, table: str) -> Rows:
    names = [str(name) for _, name, *_ in db.execute(f"PRAGMA table_info({table})").fetchall()]
    selected = ", ".join(f"""iif(typeof("{name}") = 'text', CAST("{name}" AS BLOB), "{name}")""" for name in names)
    return [dict(zip(names, row, strict=True)) for row in db.execute(f"SELECT {selected} FROM {table}").fetchall()]


def changes(before: Rows, after: Rows) -> tuple[Rows, Rows]:
    """Return the rows that are gone and those that are new."""
    return [row for row in before if row not in after], [row for row in after if row not in before]


def damage_each(db: Connection) -> dict[str, int]:
    """Add what the ledger has no records of, and make a column of one row of each table undecodable."""
    db.execute(
        "INSERT INTO observation_events (observation_id, operation, actor, reason, receipt, at) "
        "VALUES ('obs:1', 'x', 'a', 'r', 'sha256:0', 1)"
    )
    db.execute("INSERT INTO log_lines (scope, at, level, text) VALUES ('global', 1, 'info', 'a line')")
    db.execute("INSERT INTO edges VALUES ('a', 'b', 'supports', 1.0, 1), ('a', 'c', 'supports', 1.0, 1)")
    counts = {table: len(_rows(db, table)) for table in DAMAGED}
    for table, column in DAMAGED.items():
        keys = [
            str(name) for _, name, _, _, _, part in db.execute(f"PRAGMA table_info({table})").fetchall() if part
        ] or ["rowid"]
        # A passage of a message would be written again from its message.
        only = "WHERE lane = 'episodes'" if table == "passages" else ""
        key = db.execute(
            f"SELECT {', '.join(keys)} FROM {table} {only} ORDER BY {', '.join(f'{one} DESC' for one in keys)} LIMIT 1"
        ).fetchall()[0]
        where = " AND ".join(f"{name} = ?" for name in keys)
        db.execute(f"UPDATE {table} SET \"{column}\" = CAST(x'61ff' AS TEXT) WHERE {where}", key)
    return counts


def test_each_damaged_record_is_found_and_nothing_else(db: Connection) -> None:
    assert damaged_records(db) == []
    damage_each(db)
    found = damaged_records(db)
    assert [one.kind for one in found] == [kind.replace(",", " ") for kind in KINDS.split()]
    assert {one.problem for one in found} == {"unreadable"}


def test_every_damaged_record_is_mended_and_no_other_row_is_changed(db: Connection) -> None:
    whole = contents(db)
    counts = damage_each(db)
    damaged = contents(db)

    quarantine_damaged(db, "tester", receipt("mend", at=77))

    assert damaged_records(db) == []
    mended = contents(db)
    found = {table: changes(damaged[table], mended[table]) for table in damaged}
    touched = {table: (len(gone), len(new)) for table, (gone, new) in found.items() if gone or new}
    assert touched == {
        **dict.fromkeys(DAMAGED, (1, 1)),
        # Of its quarantine there is a new change.
        **dict.fromkeys(("events", "observation_events"), (1, 2)),
        **dict.fromkeys(("receipt_head", "sequence", "passage_sequence", "graph_revision", "passage_parts"), (1, 1)),
        "receipts": (0, 1),
        # One is that of the damaged message.
        "passages": (2, 2),
        "edges": (1, 0),
        "graph_sources": (2, 0),
        "graph_sightings": (2, 0),
        "graph_claims": (1, 0),
        "vectors": (1, 0),
        "passage_vectors": (1, 0),
    }
    assert counts["edges"] == 2
    changed = {table: (gone[-1], new[-1]) for table, (gone, new) in found.items() if gone and new}
    for table in ("memories", "observations", "passages", "decisions"):
        before, after = changed[table]
        assert (after["trust"], after[DAMAGED[table]]) == (b"quarantined", ESCAPED)
        assert all(
            after[name] == value for name, value in before.items() if name in ("id", "scope", "row", "created_at")
        )
    assert changed["messages"][1]["trust"] == b"quarantined"
    for table in ("tags", "packets", "packet_items", "log_lines", "conversations", "decision_clauses"):
        before, after = changed[table]
        assert after == {**before, DAMAGED[table]: ESCAPED}
    # What a fact says is known from its event.
    assert mended["facts"] == whole["facts"]


def test_a_quarantined_memory_waits_for_its_vector_and_has_a_change(db: Connection) -> None:
    damage_each(db)
    before = contents(db)
    quarantine_damaged(db, "tester", receipt("mend", at=77))
    after = contents(db)
    (old,), (new,) = changes(before["memories"], after["memories"])
    assert (new["embedding"], new["touched"]) == (b"waiting", after["sequence"][0]["value"])
    assert new["touched"] == before["sequence"][0]["value"] + 1  # type: ignore[operator]
    assert new["text_key"] != old["text_key"] and new["gist_key"] != old["gist_key"]
    assert new["content_hash"] != old["content_hash"]
    (gone,), _ = changes(before["vectors"], after["vectors"])
    assert gone["row"] == new["row"]
    for table, id in (("events", new["id"]), ("observation_events", None)):
        added = after[table][-1]
        assert (added["operation"], added["actor"], added["at"]) == (b"quarantine", b"tester", 77)
        assert added["reason"] == b"its stored bytes were damaged"
        assert added["receipt"] == after["receipts"][-1]["digest"]
        assert id is None or added["memory_id"] == id
    assert b'"text":"a\\\\xff"' in after["events"][-1]["before"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("table", "word", "more"),
    [("memories", "sail", -1), ("memories", "xff", 1), ("observations", "xff", 1), ("conversations", "tides", -1)],
)
def test_what_is_left_of_damaged_texts_can_be_found(db: Connection, table: str, word: str, more: int) -> None:
    def found() -> int:
        return int(db.execute(f"SELECT count(*) FROM {table}_text WHERE {table}_text MATCH ?", (word,)).get)

    before = found()
    damage_each(db)
    quarantine_damaged(db, "tester", receipt("mend"))
    assert found() == before + more


def test_a_text_of_another_hash_is_quarantined_too(db: Connection) -> None:
    db.execute("UPDATE memories SET text = 'tea at five' WHERE row = 1")
    assert [one.problem for one in damaged_records(db)] == ["hash_mismatch"]
    quarantine_damaged(db, "tester", receipt("mend"))
    assert db.execute("SELECT text, trust FROM memories WHERE row = 1").get == ("tea at five", "quarantined")
    assert db.execute("SELECT count(*) FROM memories WHERE trust = 'quarantined'").get == 1
    assert damaged_records(db) == []


def test_a_mended_edge_keeps_the_others_of_its_source(db: Connection) -> None:
    damage_each(db)
    quarantine_damaged(db, "tester", receipt("mend"))
    assert db.execute("SELECT source, target FROM edges").fetchall() == [("a", "b")]


def test_a_vector_is_made_again_where_its_state_is_unknown(db: Connection) -> None:
    assert count_unknown_states(db) == 0
    db.execute("UPDATE memories SET embedding = 'maybe' WHERE row IN (1, 2)")
    db.execute("UPDATE passage_parts SET embedding = 'never' WHERE row = 3")
    assert count_unknown_states(db) == 3
    states = "SELECT row, embedding FROM {} WHERE embedding != 'made' ORDER BY row"
    reset_unknown_states(db)
    assert count_unknown_states(db) == 0
    assert db.execute(states.format("memories")).fetchall()[:2] == [(1, "waiting"), (2, "waiting")]
    assert db.execute(states.format("passage_parts")).fetchall() == [(3, "waiting")]


@pytest.mark.parametrize(
    ("table", "column"),
    [("memories", "text"), ("observations", "text"), ("passages", "text"), ("messages", "content")],
)
def test_a_text_of_which_nothing_is_left_is_mended(filled: Path, tmp_path: Path, table: str, column: str) -> None:
    """One flipped byte in the head of a row makes a text NULL, in a column that does not allow it."""
    ledger = str(shutil.copy(filled, tmp_path / "ledger"))
    schema = _without_not_null(ledger, table)
    with closing(Connection(ledger)) as db:
        db.execute(f"UPDATE {table} SET {column} = NULL WHERE rowid = (SELECT min(rowid) FROM {table})")
    _set_schema(ledger, table, schema)
    with closing(Connection(ledger)) as db:
        assert len(damaged_records(db)) == 1
        quarantine_damaged(db, "tester", receipt("mend"))

        assert damaged_records(db) == []
        assert db.execute(f"SELECT trust FROM {table} WHERE {column} = ''").get == "quarantined"


def _without_not_null(ledger: str, table: str) -> str:
    with closing(Connection(ledger)) as db:
        schema = str(db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).get)
    _set_schema(ledger, table, schema.replace(" NOT NULL", ""))
    return schema


def _set_schema(ledger: str, table: str, schema: str) -> None:
    with closing(Connection(ledger)) as db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (schema, table))
