"""Search in a lossless-claw database with its real schema, with and without full text."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from satchel.adapters.reader.reader import NetworkReader
from satchel.adapters.reader.unread import read_unread
from satchel.domain.routing import BackendEntry, RouteStatus
from satchel.errors import EmbeddingFailed
from satchel.ports.reading import Reading, UnreadDiscussion
from tests.adapters.backends.asking import ask, entry, refusal

if TYPE_CHECKING:
    from satchel.adapters.embedders.onnx_encoder import OnnxEncoder

SCHEMA = """
CREATE TABLE conversations (conversation_id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, session_key TEXT,
  active INTEGER NOT NULL DEFAULT 1, archived_at TEXT, title TEXT, bootstrapped_at TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')), updated_at TEXT NOT NULL DEFAULT (datetime('now')));
CREATE TABLE messages (message_id INTEGER PRIMARY KEY AUTOINCREMENT, conversation_id INTEGER NOT NULL REFERENCES
  conversations(conversation_id) ON DELETE CASCADE, seq INTEGER NOT NULL, role TEXT NOT NULL CHECK (role IN ('system',
  'user', 'assistant', 'tool')), content TEXT NOT NULL, token_count INTEGER NOT NULL, identity_hash TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')), UNIQUE (conversation_id, seq));
CREATE TABLE summaries (summary_id TEXT PRIMARY KEY, conversation_id INTEGER NOT NULL, kind TEXT NOT NULL CHECK (kind IN
  ('leaf', 'condensed')), depth INTEGER NOT NULL DEFAULT 0, content TEXT NOT NULL, token_count INTEGER NOT NULL,
  earliest_at TEXT, latest_at TEXT, descendant_count INTEGER NOT NULL DEFAULT 0, descendant_token_count INTEGER NOT NULL
  DEFAULT 0, source_message_token_count INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL DEFAULT (datetime('now')),
  file_ids TEXT NOT NULL DEFAULT '[]');
CREATE TABLE summary_messages (summary_id TEXT NOT NULL, message_id INTEGER NOT NULL, ordinal INTEGER NOT NULL,
  PRIMARY KEY (summary_id, message_id));
CREATE TABLE summary_parents (summary_id TEXT NOT NULL, parent_summary_id TEXT NOT NULL, ordinal INTEGER NOT NULL,
  PRIMARY KEY (summary_id, parent_summary_id));
"""
FULLTEXT = """
CREATE VIRTUAL TABLE messages_fts USING fts5(content, tokenize='porter unicode61');
INSERT INTO messages_fts(rowid, content) SELECT message_id, content FROM messages;
CREATE VIRTUAL TABLE summaries_fts USING fts5(summary_id UNINDEXED, content, tokenize='porter unicode61');
INSERT INTO summaries_fts(summary_id, content) SELECT summary_id, content FROM summaries;
"""
SAID = (
    ("user", "Which database should we use for the orders?"),
    ("assistant", "We decided on PostgreSQL for the orders, because the reports need JSON columns."),
    ("tool", "PostgreSQL orders database decided: noise of a tool"),
    ("user", "The weather is fine today."),
    ("user", "我们决定用队列处理退款。"),
)


@pytest.fixture(params=[True, False], ids=["full text", "no full text"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "lcm.db"
    db = sqlite3.connect(path)
    db.executescript(SCHEMA)
    db.execute("INSERT INTO conversations (session_id) VALUES ('s1')")
    for seq, (role, content) in enumerate(SAID):
        db.execute(
            "INSERT INTO messages (conversation_id, seq, role, content, token_count, created_at) VALUES (1, ?, ?, ?, 9, '2026-03-01 10:00:00')",
            (seq, role, content),
        )
    db.execute(
        "INSERT INTO summaries (summary_id, conversation_id, kind, content, token_count, latest_at) "
        "VALUES ('sum_0123456789abcdef', 1, 'leaf', 'Orders go to PostgreSQL for its JSON columns.', 9, '2026-03-01T11:00:00.000Z')"
    )
    db.execute("INSERT INTO summary_messages VALUES ('sum_0123456789abcdef', 2, 0)")
    if request.param:
        db.executescript(FULLTEXT)
    db.commit()
    db.close()
    return path


def lossless(path: Path) -> BackendEntry:
    return entry("lossless", "lcm-sqlite", database=str(path))


def test_a_decision_is_found_with_its_source(database: Path) -> None:
    answer = ask(lossless(database), "what did we decide about the orders database, PostgreSQL or not")
    found = {one.id: one for one in answer.results}

    assert answer.status is RouteStatus.SUCCESS
    assert found["message:2"].timestamp == "2026-03-01T10:00:00.000Z"
    assert found["message:2"].expanded_from == "conversation:1"
    assert found["sum_0123456789abcdef"].expanded_from == "message:2"
    assert found["sum_0123456789abcdef"].timestamp == "2026-03-01T11:00:00.000Z"
    assert "message:3" not in found, "what a tool printed is nothing that anybody said"
    assert "message:4" not in found


def test_text_without_spaces_is_found_by_its_words(database: Path) -> None:
    assert [one.id for one in ask(lossless(database), "关于退款的决定").results] == ["message:5"]


def test_no_match_is_an_empty_answer(database: Path) -> None:
    assert ask(lossless(database), "zebra crossing").status is RouteStatus.EMPTY


@pytest.mark.parametrize("query", ['"', 'a" OR b', "NEAR(", "'; DROP TABLE messages; --", "*", "\x00", "col:umn"])
def test_a_query_is_never_fts_syntax(query: str, database: Path) -> None:
    ask(lossless(database), query)


def test_the_file_is_not_touched(database: Path) -> None:
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    ask(lossless(database), "orders")

    assert hashlib.sha256(database.read_bytes()).hexdigest() == before
    assert sorted(path.name for path in database.parent.iterdir()) == ["lcm.db"]


def test_suppressed_rows_stay_hidden(database: Path) -> None:
    db = sqlite3.connect(database)
    db.execute("ALTER TABLE summaries ADD COLUMN suppressed_at TEXT")
    db.execute("UPDATE summaries SET suppressed_at = '2026-03-02'")
    db.commit()
    db.close()

    assert "sum_0123456789abcdef" not in {one.id for one in ask(lossless(database), "PostgreSQL orders").results}


def test_a_missing_file_or_other_file_is_an_error(tmp_path: Path) -> None:
    assert refusal(lossless(tmp_path / "none.db")).code == "BACKEND_UNAVAILABLE"
    (tmp_path / "junk.db").write_bytes(b"junk" * 1_000)
    assert refusal(lossless(tmp_path / "junk.db")).code == "BACKEND_ERROR"
    (tmp_path / "empty.db").write_bytes(b"")
    assert refusal(lossless(tmp_path / "empty.db")).code == "BACKEND_ERROR"


def test_the_deadline_ends_the_search(database: Path) -> None:
    db = sqlite3.connect(database)
    db.executemany(
        "INSERT INTO messages (conversation_id, seq, role, content, token_count) VALUES (1, ?, 'user', ?, 1)",
        [(seq, "orders " * 50) for seq in range(100, 3_000)],
    )
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages_fts'").fetchone():
        db.execute("INSERT INTO messages_fts(rowid, content) SELECT message_id, content FROM messages WHERE seq >= 100")
    db.commit()
    db.close()

    assert refusal(lossless(database), "orders", seconds=-1).code == "QUERY_TIMEOUT"


EVENTS = (
    ("user", "how shall the services exchange events, over a bus or by polling?"),
    ("assistant", "Polling needs no new server, but it adds ten seconds."),
    ("user", "ten seconds is fine, nobody watches"),
    ("tool", "events: 404"),
    ("user", "polling then"),
    ("user", "lunch?"),
)


@pytest.fixture
def events(database: Path) -> Path:
    db = sqlite3.connect(database)
    db.execute("INSERT INTO conversations (session_id) VALUES ('s2')")
    for seq, (role, content) in enumerate(EVENTS):
        insert = "INSERT INTO messages (conversation_id, seq, role, content, token_count) VALUES (2, ?, ?, ?, 9)"
        db.execute(insert, (seq, role, content))
    if db.execute("SELECT 1 FROM sqlite_master WHERE name = 'messages_fts'").fetchone():
        db.execute(
            "INSERT INTO messages_fts(rowid, content) SELECT message_id, content FROM messages WHERE message_id > 5"
        )
    db.commit()
    db.close()
    return database


def test_a_decision_is_read_from_the_discussion_and_stands_before_the_question(
    events: Path, encoder: "OnnxEncoder"
) -> None:
    def read(question: str, unread: Sequence[UnreadDiscussion]) -> list[Reading]:
        return read_unread(question, unread, lambda: encoder, NetworkReader())

    answer = ask(lossless(events), "what did we decide about events", seconds=60, read=read)

    assert answer.status is RouteStatus.SUCCESS
    assert answer.results[0].content.startswith("polling then")
    assert answer.results[0].id == "message:10"


def test_only_what_people_and_agents_said_around_a_match_is_read(events: Path) -> None:
    seen: list[UnreadDiscussion] = []

    def read(question: str, unread: Sequence[UnreadDiscussion]) -> list[Reading]:
        seen.extend(unread)
        return []

    ask(lossless(events), "what did we decide about events", seconds=60, read=read)
    ask(lossless(events), "events", seconds=60, read=read)

    assert [one.conversation for one in seen] == ["conversation:2"]
    assert [one.content for one in seen[0].messages] == [text for role, text in EVENTS if role != "tool"]


def test_without_a_model_a_question_is_not_the_answer(events: Path) -> None:
    answer = ask(lossless(events), "what did we decide about events")

    assert (answer.results[0].id, answer.status) == ("message:6", RouteStatus.PARTIAL)


def test_a_model_that_fails_reads_nothing() -> None:
    def failing() -> "OnnxEncoder":
        raise EmbeddingFailed("broken")

    assert read_unread("what did we decide", [], failing, NetworkReader()) == []
