"""The SQLite ledger: the ports of the truth over one file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from pathlib import Path

import apsw

from satchel.adapters.sqlite.attention.details import SqliteDetails
from satchel.adapters.sqlite.attention.edges import SqliteEdges
from satchel.adapters.sqlite.attention.packets import SqlitePackets
from satchel.adapters.sqlite.attention.shelves import SqliteShelves
from satchel.adapters.sqlite.conversations import erase_messages as unsaid
from satchel.adapters.sqlite.conversations.store import SqliteConversations
from satchel.adapters.sqlite.database import Database, sqlite_version
from satchel.adapters.sqlite.documents.store import SqliteDocuments
from satchel.adapters.sqlite.facts import store as facts
from satchel.adapters.sqlite.facts.store import SqliteFacts
from satchel.adapters.sqlite.feed import SqliteFeed
from satchel.adapters.sqlite.graph.store import SqliteGraph
from satchel.adapters.sqlite.memories import fulltext
from satchel.adapters.sqlite.memories.as_of import past
from satchel.adapters.sqlite.memories.history import SqliteHistory
from satchel.adapters.sqlite.memories.store import SqliteMemories
from satchel.adapters.sqlite.memories.usage import SqliteLives
from satchel.adapters.sqlite.migrations import migrate
from satchel.adapters.sqlite.observations.log import SqliteLog
from satchel.adapters.sqlite.observations.store import SELECTED, SqliteObservations, from_row, rebuild_full_text
from satchel.adapters.sqlite.passages import store as passages
from satchel.adapters.sqlite.passages.store import SqlitePassages
from satchel.adapters.sqlite.receipts import SqliteReceipts
from satchel.adapters.sqlite.vectors import SqliteVectors
from satchel.domain.answers import Finding
from satchel.domain.canonical import digest
from satchel.domain.observation import content_digest
from satchel.domain.passage import EvidenceLane
from satchel.errors import Corrupt, Unavailable
from satchel.ports import Ledger

# Before this version two connections that write and checkpoint together can corrupt a WAL database.
FIRST_SOUND_SQLITE = (3, 51, 3)


class SqliteLedger:
    """Implements ports.Ledger over a file, or over a database in memory when there is no path."""

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self._database = Database(path, read_only=read_only)
        try:
            migrate(self._database)
        except BaseException:
            self._database.close()
            raise
        self.memories = SqliteMemories(self._database)
        self.receipts = SqliteReceipts(self._database)
        self.vectors = SqliteVectors(self._database)
        self.feed = SqliteFeed(self._database)
        self.edges = SqliteEdges(self._database)
        self.details = SqliteDetails(self._database)
        self.shelves = SqliteShelves(self._database)
        self.packets = SqlitePackets(self._database)
        self.observations = SqliteObservations(self._database)
        self.lives = SqliteLives(self._database)
        self.log = SqliteLog(self._database)
        self.passages = SqlitePassages(self._database)
        self.documents = SqliteDocuments(self._database)
        self.graph = SqliteGraph(self._database)
        self.facts = SqliteFacts(self._database)
        self.conversations = SqliteConversations(self._database)
        self.history = SqliteHistory(self._database)
        # A forget that was cut short, or that a reader held up, is finished by whoever comes next, without waiting.
        if not self.read_only and self.memories.unscrubbed():
            self.memories.scrub(patience_ms=0)

    @property
    def read_only(self) -> bool:
        return self._database.read_only

    @property
    def location(self) -> str:
        return ":memory:" if self._database.path is None else str(self._database.path)

    @contextmanager
    def as_of(self, seq: int) -> Iterator[Ledger]:
        with past(self._database, seq) as (memories, vectors):
            then = copy(self)
            then.memories, then.vectors = memories, vectors
            yield then

    def check_up(self, *, fix: bool = False) -> list[Finding]:
        examined = [self._examined("ledger pages", _pages_finding), self._examined("memory texts", _hashes_finding)]
        return [_library_finding(), *examined, self._full_text_finding(fix)]

    def close(self) -> None:
        self._database.close()

    def _examined(self, check: str, finding: Callable[[apsw.Connection], Finding]) -> Finding:
        try:
            with self._database.reading() as db:
                return finding(db)
        except (Corrupt, Unavailable) as error:
            return Finding(check, "bad", error.message, error.hint)

    def _full_text_finding(self, fix: bool) -> Finding:
        if self.read_only:
            return Finding("full text", "warning", "not examined: the store is read-only")
        try:
            with self._database.writing() as db:
                missing = sum(_missing_from_full_text(db, table) for table in ("memories", "observations", "facts"))
                missing += unsaid.missing_from_full_text(db)
                missing += sum(passages.missing_from_full_text(db, lane) for lane in EvidenceLane)
            problem = f"{missing} records differ from their full text" if missing else ""
        except Corrupt as error:
            problem = error.message
        if not problem:
            return Finding("full text", "ok", "every record can be found by its words")
        if not fix:
            return Finding("full text", "bad", problem, "satchel doctor --fix rebuilds it")
        with self._database.writing() as db:
            fulltext.rebuild(db)
            rebuild_full_text(db)
            passages.rebuild_full_text(db)
            facts.rebuild_full_text(db)
            unsaid.rebuild_full_text(db)
        return Finding("full text", "ok", f"rebuilt ({problem})")


def _library_finding() -> Finding:
    version = sqlite_version()
    if tuple(map(int, version.split("."))) < FIRST_SOUND_SQLITE:
        return Finding("SQLite", "warning", f"{version} can corrupt a WAL database", "upgrade the package apsw")
    return Finding("SQLite", "ok", version)


def _pages_finding(db: apsw.Connection) -> Finding:
    problems = [row[0] for row in db.execute("PRAGMA integrity_check(10)")]
    if problems == ["ok"]:
        return Finding("ledger pages", "ok", "the integrity check passed")
    return Finding("ledger pages", "bad", "; ".join(problems), "restore a backup; keep the damaged file")


def _hashes_finding(db: apsw.Connection) -> Finding:
    rows = db.execute("SELECT id, text, content_hash FROM memories")
    wrong = [id for id, text, content_hash in rows if digest(text) != content_hash]
    observed = map(from_row, db.execute(f"SELECT {SELECTED} FROM observations m"))
    wrong += [one.id for one in observed if content_digest(one) != one.content_hash]
    wrong += passages.altered(db)
    if wrong:
        named = ", ".join(wrong[:5])
        return Finding(
            "memory texts", "bad", f"{len(wrong)} texts do not match their hash: {named}", "restore a backup"
        )
    return Finding("memory texts", "ok", "every text matches its hash")


def _missing_from_full_text(db: apsw.Connection, table: str) -> int:
    """Count rows that are in one of the two and not in the other."""
    db.execute(f"INSERT INTO {table}_text ({table}_text) VALUES ('integrity-check')")
    query = f"""
        SELECT count(*) FROM (
            SELECT row FROM {table} EXCEPT SELECT id FROM {table}_text_docsize
        ) UNION ALL SELECT count(*) FROM (
            SELECT id FROM {table}_text_docsize EXCEPT SELECT row FROM {table}
        )"""
    return sum(row[0] for row in db.execute(query))
