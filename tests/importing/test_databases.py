"""Importing databases of openclaw-mem, memory-attention-router, lossless-claw and LanceDB."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from tests.conversations.lossless_claw import make_database
from tests.importing.imports import counts, import_all, texts
from tests.skills.test_memory_attention_router import ORIGINAL

OPENCLAW_MEM = """
CREATE TABLE observations (id INTEGER PRIMARY KEY, ts TEXT NOT NULL, kind TEXT, summary TEXT, summary_en TEXT, lang TEXT,
  tool_name TEXT, detail_json TEXT);
CREATE TABLE episodic_events (event_id TEXT PRIMARY KEY, ts_ms INTEGER, scope TEXT, session_id TEXT, type TEXT,
  summary TEXT, payload_json TEXT, search_text TEXT);
"""


def openclaw_mem(path: Path) -> Path:
    """Write a database like that of openclaw-mem."""
    details = json.dumps({"scope": "project/shop", "importance": {"score": 0.9, "label": "must_remember"}})
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(OPENCLAW_MEM)
        db.executemany(
            "INSERT INTO observations (ts, kind, summary, tool_name, detail_json) VALUES (?, ?, ?, ?, ?)",
            [
                ("2026-01-05T10:00:00+00:00", "decision", "We ship on Thursdays", None, details),
                ("2026-01-05T10:01:00+00:00", "tool", "42 tests passed", "pytest", '{"session_key": "s1"}'),
                ("2026-01-05T10:02:00+00:00", "learning", "Run migrations first", None, "not json"),
                ("2026-01-05T10:03:00+00:00", "fact", None, None, None),
            ],
        )
        db.execute(
            "INSERT INTO episodic_events VALUES ('e1', 1767607200000, 'project/shop', 's1', 'conversation.user', 'asked', ?, '')",
            ('{"text": "When do we ship?"}',),
        )
    return path


def test_openclaw_mem(memory: Satchel, tmp_path: Path) -> None:
    done = import_all(memory, openclaw_mem(tmp_path / "openclaw-mem.sqlite"))

    assert (done.kind, counts(done)) == ("openclaw-mem", {"memories": (2, 2, 0), "turns": (2, 2, 0)})
    assert [(one.place, one.reason) for one in done.refusals] == [("observations row 4", "missing_text")]
    found = {one.text: one for one in memory.memories.list(all_scopes=True).result.memories}
    ship = found["We ship on Thursdays"]
    assert (ship.kind, ship.scope, ship.importance, ship.trust) == ("decision", "project/shop", 0.9, "untrusted")
    assert ship.created_at == 1_767_607_200_000
    said = memory.episodes.list(all_scopes=True, session="s1").result.episodes
    assert {(one.text, one.kind, one.scope) for one in said} == {
        ("pytest: 42 tests passed", "tool.result", "global"),
        ("When do we ship?", "conversation.user", "project/shop"),
    }


def test_memory_attention_router(memory: Satchel, tmp_path: Path) -> None:
    path = tmp_path / "router.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(ORIGINAL)
    done = import_all(memory, path)

    assert (done.kind, counts(done)) == ("attention-router", {"memories": (3, 3, 0)})
    found = {one.title: one for one in memory.memories.list().result.memories}
    rule = found["Bullets"]
    assert (rule.text, rule.abstraction, rule.role_scope) == (
        "At most three bullets\nmust: three bullets",
        3,
        "global",
    )
    assert (found["Old"].state, found["Old"].reason) == ("retired", "replaced")
    assert (found["Count"].session, found["Count"].task) == ("s1", "t1")


def test_lossless_claw(memory: Satchel, tmp_path: Path) -> None:
    path = make_database(tmp_path / "lcm.db", [("user", "When do we ship?"), ("assistant", "On Thursdays")])
    done = import_all(memory, path)

    assert (done.kind, counts(done)) == ("lossless-claw", {"turns": (2, 2, 0)})
    said = memory.episodes.list(session="lossless-claw:agent:main").result.episodes
    assert [one.text for one in sorted(said, key=lambda one: one.position)] == ["When do we ship?", "On Thursdays"]
    assert import_all(memory, path).new == 0


def lance_rows() -> list[dict[str, Any]]:
    return [
        {"id": "__schema__", "text": "", "vector": [0.0, 0.0], "importance": 0.0, "category": "other", "createdAt": 0},
        {
            "id": "a-1",
            "text": "Ann prefers tea",
            "vector": [0.1, 0.2],
            "importance": 0.8,
            "category": "preference",
            "createdAt": 1_700_000_000_000,
        },
        {"id": "a-2", "text": "", "vector": [0.1, 0.2], "importance": 0.5, "category": "fact", "createdAt": 1},
    ]


@pytest.mark.parametrize("named", ["lancedb", "lancedb/memories.lance"])
def test_a_lancedb_table_of_openclaw(memory: Satchel, tmp_path: Path, named: str) -> None:
    lancedb = pytest.importorskip("lancedb")
    lancedb.connect(str(tmp_path / "lancedb")).create_table("memories", lance_rows())
    done = import_all(memory, tmp_path / named)

    assert (done.kind, counts(done)) == ("memory-lancedb", {"memories": (1, 1, 0)})
    assert [(one.place, one.reason) for one in done.refusals] == [("memories row 2", "missing_text")]
    (tea,) = memory.memories.list().result.memories
    assert (tea.text, tea.kind, tea.importance) == ("Ann prefers tea", "preference", 0.8)
    assert tea.created_at == 1_700_000_000_000


def test_a_database_in_use_is_read_and_left_as_it_is(memory: Satchel, tmp_path: Path) -> None:
    path = openclaw_mem(tmp_path / "openclaw-mem.sqlite")
    with closing(sqlite3.connect(path)) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
        owner.execute("INSERT INTO observations (ts, kind, summary) VALUES ('2026-02-01', 'fact', 'Not yet')")
        import_all(memory, path)
        assert "Not yet" not in texts(memory)
        owner.commit()
        assert owner.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    import_all(memory, path)

    assert "Not yet" in texts(memory)


def test_an_unknown_database_is_not_guessed(memory: Satchel, tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE things (id INTEGER)")
    with pytest.raises(Exception, match="not a database of a known format") as refused:
        memory.importing.import_(str(path))

    assert refused.value.code == "unknown_source"  # type: ignore[attr-defined]
