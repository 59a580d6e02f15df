"""Search in a lossless-claw database, opened read-only: messages and their summaries.

The plugin owns the file. Without its full-text tables, the newest messages are scanned.
"""

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
from msgspec import Struct

from satchel.adapters.backends import options
from satchel.conversations.cues import is_question
from satchel.domain.conversation import Message, Speaker
from satchel.domain.moment import iso
from satchel.domain.record import Trust
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, RouteErrorCode, RouteItem
from satchel.domain.words import UNSPACED
from satchel.errors import BackendFailed
from satchel.ports.reading import Discussion, ReadUnread, UnreadDiscussion
from satchel.routing.classify import asks_for_decision
from satchel.routing.contract import item, reply
from satchel.routing.lanes import LaneHit
from satchel.routing.prepare import PreparedQuery, prepare_query
from satchel.routing.settled import contains_question, settled_first, states_all, without_open_questions
from satchel.routing.text_relevance import relevance
from satchel.routing.times import without_period

NAME = "lossless"
DEFAULT_PATH = "~/.openclaw/lcm.db"
MAX_SCANNED = 20_000
MAX_TERMS = 16
MAX_SCAN_MATCHES = 500
# How many discussions are read for a decision, and how many messages before and after a match.
MAX_DISCUSSIONS = 3
BEFORE = 12
# Reading takes a moment; with less time left the search answers alone.
MIN_READING_SECONDS = 2.0
MESSAGE = "message:"
_UNSPACED = re.compile(f"[{UNSPACED}]")
# Instructions between two checks of the deadline; a few checks per millisecond.
_STEPS_PER_CHECK = 2_000

Row = tuple[Any, ...]
"""Id, text, time, and source or conversation."""


class SearchedTable(Struct, frozen=True):
    """One of the two searched tables, with its full-text table."""

    table: str
    select: str
    newest: str
    fulltext: str
    joined: str


SUMMARIES = SearchedTable(
    "summaries",
    "SELECT k.summary_id, k.content, coalesce(k.latest_at, k.created_at), (SELECT 'message:' || message_id FROM "
    "summary_messages s WHERE s.summary_id = k.summary_id ORDER BY ordinal LIMIT 1) FROM summaries k",
    "k.created_at DESC, k.summary_id",
    "summaries_fts",
    "f.summary_id = k.summary_id",
)
MESSAGES = SearchedTable(
    "messages",
    "SELECT 'message:' || k.message_id, k.content, k.created_at, 'conversation:' || k.conversation_id FROM messages k",
    "k.message_id DESC",
    "messages_fts",
    "f.rowid = k.message_id",
)


class LosslessDatabase:
    """Implements ports.backend.Backend over `lcm.db`."""

    def __init__(self, entry: BackendEntry, read: ReadUnread) -> None:
        self.name = NAME
        self._path = options.path(entry, "database", DEFAULT_PATH)
        self._read = read

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Search the summaries and messages of every conversation for any of the words, and score the results.

        For a question about a decision, the discussions around the best messages are read for the one that settled it.
        """
        query = prepare_query(without_period(asked.query, asked.period))
        wants_decision = asks_for_decision(asked.query)
        with _open(self._path, asked.deadline) as db:
            rows = [row for table in (SUMMARIES, MESSAGES) for row in _search(db, table, query, asked)]
            found = sorted({one.id: one for one in _hits(rows, query)}.values(), key=lambda one: -one.relevance)
            discussions = list(_discussions(db, found)) if wants_decision else []
        in_time = asked.deadline - time.monotonic() > MIN_READING_SECONDS
        readings = self._read(asked.query, discussions) if discussions and in_time else []
        states_it, asks = states_all(query.terms, is_question), contains_question(is_question)
        if readings:
            found = settled_first(found, readings, lambda one: _about(query, one), states_it, asks)
        elif wants_decision:
            found = without_open_questions(found, asks, states_it)
        return reply(NAME, asked, [_item(one) for one in found])


def _hits(rows: Iterable[Row], query: PreparedQuery) -> Iterator[LaneHit]:
    for id, text, at, source in rows:
        value = relevance(query, text)
        if value > 0:
            yield LaneHit(id, text, value, _moment(at), expanded_from=source, was_said=True)


def _about(query: PreparedQuery, discussion: Discussion) -> float:
    return relevance(query, " ".join(one.content for one in discussion.messages))


def _item(one: LaneHit) -> RouteItem:
    return item(one.text, one.relevance, NAME, iso(one.recorded_at), id=one.id, expanded_from=one.expanded_from)


def _discussions(db: apsw.Connection, found: Sequence[LaneHit]) -> Iterator[UnreadDiscussion]:
    """Yield the messages around the best of those that were found; a message within an earlier discussion adds none."""
    seen, read = set[str](), 0
    near = "SELECT conversation_id, seq FROM messages WHERE message_id = ?"
    around = (
        "SELECT 'message:' || k.message_id, k.seq, k.role, k.content, k.created_at FROM messages k WHERE "
        f"k.conversation_id = ? AND k.seq BETWEEN ? AND ? AND {_visible(db, MESSAGES)} ORDER BY k.seq LIMIT ?"
    )
    for one in found:
        # Of a summary, its first message.
        id = next((ref for ref in (one.id, one.expanded_from) if ref and ref.startswith(MESSAGE)), None)
        place = None if id is None or id in seen else db.execute(near, (int(id.removeprefix(MESSAGE)),)).get
        if place is None or read == MAX_DISCUSSIONS:
            continue
        conversation, seq = place
        rows: list[Row] = db.execute(around, (conversation, seq - BEFORE, seq + BEFORE, 2 * BEFORE)).fetchall()
        messages = tuple(
            Message(ref, number, Speaker(role), content, _moment(at), Trust.UNTRUSTED)
            for ref, number, role, content, at in rows
        )
        seen.update(message.ref for message in messages)
        read += 1
        yield UnreadDiscussion(f"conversation:{conversation}", messages)


@contextmanager
def _open(path: Path, deadline: float) -> Iterator[apsw.Connection]:
    if not path.is_file():
        raise BackendFailed(f"{path}: no such database", code=RouteErrorCode.UNAVAILABLE)
    try:
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        db = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            db.set_busy_timeout(max(1, int(1000 * (deadline - time.monotonic()))))
            db.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS_PER_CHECK)
            db.execute("PRAGMA query_only = ON")
            yield db
        finally:
            db.close()
    except apsw.InterruptError:
        raise BackendFailed("the database took too long", code=RouteErrorCode.TIMEOUT) from None
    except apsw.Error as error:
        raise BackendFailed(f"the database cannot be read: {error}", code=RouteErrorCode.ERROR) from None


def _search(db: apsw.Connection, table: SearchedTable, query: PreparedQuery, asked: BackendQuery) -> Iterator[Row]:
    """Yield full-text matches; without full text, or for scripts without spaces, scan for any of the words."""
    condition = _visible(db, table)
    match = _match(query) if _has(db, table.fulltext) else ""
    if match:
        yield from db.execute(
            f"{table.select} JOIN {table.fulltext} f ON {table.joined} WHERE {table.fulltext} MATCH ? AND {condition} "
            f"ORDER BY bm25({table.fulltext}), {table.newest} LIMIT ?",
            (match, asked.limit),
        ).fetchall()
    if not match or any(_UNSPACED.match(term) for term in query.terms):
        select = f"{table.select} WHERE {condition} ORDER BY {table.newest} LIMIT {MAX_SCANNED}"
        yield from _scan(db, select, query, asked)


def _scan(db: apsw.Connection, select: str, query: PreparedQuery, asked: BackendQuery) -> Iterator[Row]:
    words = [word.lower() for word in (*query.exact, *query.terms)]
    taken = 0
    for row in db.execute(select):
        if time.monotonic() > asked.deadline:
            raise BackendFailed("the database took too long", code=RouteErrorCode.TIMEOUT)
        text = row[1].lower()
        if any(word in text for word in words):
            yield row
            taken += 1
        if taken >= MAX_SCAN_MATCHES:
            return


def _match(query: PreparedQuery) -> str:
    """Return an FTS5 expression for any of the words, each quoted."""
    words = [term for term in (*query.terms, *query.exact) if any(letter.isalnum() for letter in term)]
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words[:MAX_TERMS])


def _has(db: apsw.Connection, table: str) -> bool:
    return bool(db.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).get)


def _visible(db: apsw.Connection, table: SearchedTable) -> str:
    """Return the condition for rows of users and assistants that are not suppressed, as far as there are columns."""
    columns = {row[1] for row in db.execute(f"PRAGMA table_info({table.table})")}
    spoken = "k.role IN ('user', 'assistant')" if "role" in columns else "1"
    return f"{spoken} AND k.suppressed_at IS NULL" if "suppressed_at" in columns else spoken


def _moment(text: object) -> int:
    """Return a time of SQLite, which is UTC without saying so, in milliseconds."""
    try:
        found = datetime.fromisoformat(str(text))
        aware = found if found.tzinfo else found.replace(tzinfo=UTC)
        return int(aware.timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0
