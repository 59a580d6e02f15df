"""Search in a lossless-claw database, opened read-only: messages and their summaries.

The plugin owns the file. Without its full-text tables, the newest messages are scanned.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw
from msgspec import Struct

from satchel.adapters.backends import options
from satchel.domain.moment import iso
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, RouteErrorCode, RouteItem
from satchel.domain.words import UNSPACED
from satchel.errors import BackendFailed
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery, prepare_query
from satchel.routing.text_relevance import relevance

NAME = "lossless"
DEFAULT_PATH = "~/.openclaw/lcm.db"
MAX_SCANNED = 20_000
MAX_TERMS = 16
MAX_SCAN_MATCHES = 500
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

    def __init__(self, entry: BackendEntry) -> None:
        self.name = NAME
        self._path = options.path(entry, "database", DEFAULT_PATH)

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Search the summaries and messages of every conversation for any of the words, and score the results."""
        query = prepare_query(asked.query)
        with _open(self._path, asked.deadline) as db:
            rows = [row for table in (SUMMARIES, MESSAGES) for row in _search(db, table, query, asked)]
        found = {id: _item(id, text, at, source, query) for id, text, at, source in rows}
        return reply(NAME, asked, [one for one in found.values() if one is not None])


def _item(id: str, text: str, at: object, source: str | None, query: PreparedQuery) -> RouteItem | None:
    value = relevance(query, text)
    return item(text, value, NAME, _moment(at), id=id, expanded_from=source) if value > 0 else None


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


def _moment(text: object) -> str:
    """Return a time of SQLite, which is UTC without saying so, in ISO format."""
    try:
        found = datetime.fromisoformat(str(text))
        aware = found if found.tzinfo else found.replace(tzinfo=UTC)
        return iso(int(aware.timestamp() * 1000))
    except (ValueError, OverflowError):
        return iso(0)
