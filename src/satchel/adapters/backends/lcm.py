"""A lossless-claw database, opened strictly for reading: messages and the summaries that were made of them.

The plugin owns the file. Its tables for full text may be missing; then the newest messages are looked through.
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
from satchel.domain.routing import Asked, Code, Entry, Item, Reply
from satchel.domain.words import UNSPACED
from satchel.errors import BackendFailed
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery, prepare_query
from satchel.routing.text_relevance import relevance

NAME = "lossless"
DEFAULT = "~/.openclaw/lcm.db"
MAX_SCANNED = 20_000
MAX_TERMS = 16
MAX_TAKEN = 500
_UNSPACED = re.compile(f"[{UNSPACED}]")
# So often SQLite asks whether it should go on: a few times in a millisecond.
_STEPS = 2_000

Row = tuple[Any, ...]
"""An id, a text, when it was said, and what it was made of or belongs to."""


class Kept(Struct, frozen=True):
    """One of the two tables that are searched, with the table of its full text."""

    table: str
    select: str
    newest: str
    fulltext: str
    joined: str


SUMMARIES = Kept(
    "summaries",
    "SELECT k.summary_id, k.content, coalesce(k.latest_at, k.created_at), (SELECT 'message:' || message_id FROM "
    "summary_messages s WHERE s.summary_id = k.summary_id ORDER BY ordinal LIMIT 1) FROM summaries k",
    "k.created_at DESC, k.summary_id",
    "summaries_fts",
    "f.summary_id = k.summary_id",
)
MESSAGES = Kept(
    "messages",
    "SELECT 'message:' || k.message_id, k.content, k.created_at, 'conversation:' || k.conversation_id FROM messages k",
    "k.message_id DESC",
    "messages_fts",
    "f.rowid = k.message_id",
)


class LosslessDatabase:
    """Implements ports.backend.Backend over `lcm.db`."""

    def __init__(self, entry: Entry) -> None:
        self.name = NAME
        self._path = options.path(entry, "database", DEFAULT)

    def ask(self, asked: Asked) -> Reply:
        """Search summaries and messages of every conversation, any word counting, and measure what was found."""
        query = prepare_query(asked.query)
        with _opened(self._path, asked.deadline) as db:
            rows = [row for kept in (SUMMARIES, MESSAGES) for row in _found(db, kept, query, asked)]
        found = {id: _item(id, text, at, source, query) for id, text, at, source in rows}
        return reply(NAME, asked, [one for one in found.values() if one is not None])


def _item(id: str, text: str, at: object, source: str | None, query: PreparedQuery) -> Item | None:
    value = relevance(query, text)
    return item(text, value, NAME, _moment(at), id=id, expanded_from=source) if value > 0 else None


@contextmanager
def _opened(path: Path, deadline: float) -> Iterator[apsw.Connection]:
    if not path.is_file():
        raise BackendFailed(f"there is no database {path}", code=Code.UNAVAILABLE)
    try:
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        db = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            db.set_busy_timeout(max(1, int(1000 * (deadline - time.monotonic()))))
            db.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
            db.execute("PRAGMA query_only = ON")
            yield db
        finally:
            db.close()
    except apsw.InterruptError:
        raise BackendFailed("the database took too long", code=Code.TIMEOUT) from None
    except apsw.Error as error:
        raise BackendFailed(f"the database cannot be read: {error}", code=Code.ERROR) from None


def _found(db: apsw.Connection, kept: Kept, query: PreparedQuery, asked: Asked) -> Iterator[Row]:
    """Yield rows by full text; where there is none, or it cannot read the script, those that hold any of the words."""
    condition = _visible(db, kept)
    match = _match(query) if _has(db, kept.fulltext) else ""
    if match:
        yield from db.execute(
            f"{kept.select} JOIN {kept.fulltext} f ON {kept.joined} WHERE {kept.fulltext} MATCH ? AND {condition} "
            f"ORDER BY bm25({kept.fulltext}), {kept.newest} LIMIT ?",
            (match, asked.limit),
        ).fetchall()
    if not match or any(_UNSPACED.match(term) for term in query.terms):
        yield from _scanned(
            db, f"{kept.select} WHERE {condition} ORDER BY {kept.newest} LIMIT {MAX_SCANNED}", query, asked
        )


def _scanned(db: apsw.Connection, select: str, query: PreparedQuery, asked: Asked) -> Iterator[Row]:
    words = [word.lower() for word in (*query.exact, *query.terms)]
    taken = 0
    for row in db.execute(select):
        if time.monotonic() > asked.deadline:
            raise BackendFailed("the database took too long", code=Code.TIMEOUT)
        said = row[1].lower()
        if any(word in said for word in words):
            yield row
            taken += 1
        if taken >= MAX_TAKEN:
            return


def _match(query: PreparedQuery) -> str:
    """Return the words as FTS5 is to look for them: each in quotes, any of them."""
    words = [term for term in (*query.terms, *query.exact) if any(letter.isalnum() for letter in term)]
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words[:MAX_TERMS])


def _has(db: apsw.Connection, table: str) -> bool:
    return bool(db.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).get)


def _visible(db: apsw.Connection, kept: Kept) -> str:
    """Return the condition that leaves out what nobody said, and what was suppressed, where the table knows of that."""
    columns = {row[1] for row in db.execute(f"PRAGMA table_info({kept.table})")}
    spoken = "k.role IN ('user', 'assistant')" if "role" in columns else "1"
    return f"{spoken} AND k.suppressed_at IS NULL" if "suppressed_at" in columns else spoken


def _moment(said: object) -> str:
    """Return a time of SQLite's, which is UTC and does not say so."""
    try:
        found = datetime.fromisoformat(str(said))
        aware = found if found.tzinfo else found.replace(tzinfo=UTC)
        return iso(int(aware.timestamp() * 1000))
    except (ValueError, OverflowError):
        return iso(0)
