"""Copies of a SQLite ledger: made while it is in use, with the files beside it, checked, and taken apart again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from satchel.adapters.sql.engine import first
from satchel.adapters.sql.schema_version import SCHEMA_VERSION, newer_store
from satchel.adapters.sqlite.connection import APPLICATION_ID
from satchel.adapters.sqlite.database import connect_for_reading
from satchel.adapters.sqlite.disk_errors import translate_errors
from satchel.domain.backup import BackupContents
from satchel.errors import Conflict, Corrupt, InvalidRequest

if TYPE_CHECKING:
    from satchel.ports import Progress

PAGES_PER_STEP = 2_000
MAGIC = b"SQLite format 3\0"
_FILES = "backup_files"


def copy_ledger(ledger: Path, target: Path, progress: Progress | None) -> None:
    """Copy one state of a ledger into a new file. Nobody waits for it: it reads a snapshot."""
    with translate_errors(ledger), closing(connect_for_reading(ledger)) as source:
        source.execute("BEGIN")
        # A snapshot begins with the first read.
        first(source.execute("SELECT value FROM sequence"))
        with closing(apsw.Connection(str(target))) as copy:
            with copy.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(PAGES_PER_STEP)
                    if progress is not None:
                        progress(backup.page_count - backup.remaining, backup.page_count, "copying")
            # One file: without a write-ahead log beside it.
            copy.execute("PRAGMA journal_mode = DELETE")


def add_files(copy: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Put files into a copy, by their names within the store; return how many."""
    count = 0
    with _opened(copy) as db, db:
        db.execute(f"CREATE TABLE {_FILES} (name TEXT PRIMARY KEY, digest TEXT NOT NULL, data BLOB NOT NULL) STRICT")
        for name, data in files:
            db.execute(f"INSERT INTO {_FILES} VALUES (?, ?, ?)", (name, _digest(data), data))
            count += 1
    return count


def take_files(copy: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files in a copy, then remove them from it."""
    with _opened(copy) as db:
        if not _has_files(db):
            return
        names = [str(name) for (name,) in db.execute(f"SELECT name FROM {_FILES} ORDER BY name")]
        for name in names:
            digest, data = db.execute(f"SELECT digest, data FROM {_FILES} WHERE name = ?", (name,)).get
            if _digest(data) != digest:
                raise Corrupt(f"the file {name!r} in the backup is damaged", code="damaged_backup")
            yield name, data
        db.execute("PRAGMA secure_delete = ON")
        db.execute(f"DROP TABLE {_FILES}")


def check_copy(copy: Path) -> BackupContents:
    """Check every page of a copy and return what it contains, or raise."""
    with _opened(copy) as db:
        try:
            application, version = db.execute("PRAGMA application_id").get, db.execute("PRAGMA user_version").get
            if application != APPLICATION_ID:
                raise InvalidRequest(f"{copy.name} is not a backup of a Satchel store", code="not_a_backup")
            if version > SCHEMA_VERSION:
                raise newer_store(str(copy), version, SCHEMA_VERSION)
            problem = str(db.execute("PRAGMA integrity_check(1)").get)
            if problem != "ok":
                raise Corrupt(f"the backup is damaged: {problem.splitlines()[0]}", code="damaged_backup")
            memories = db.execute("SELECT count(*) FROM memories").get
            seq = db.execute("SELECT value FROM sequence").get
            head = first(db.execute("SELECT receipts FROM receipt_head"))
            files = db.execute(f"SELECT count(*) FROM {_FILES}").get if _has_files(db) else 0
        except (apsw.NotADBError, apsw.CorruptError, apsw.SQLError) as error:
            raise Corrupt(f"the backup is damaged: {error}", code="damaged_backup") from error
    return BackupContents(memories, seq, 0 if head is None else head[0], files)


def close_for_moving(ledger: Path) -> None:
    """Write the log of a ledger into it, so that the file can be moved; raise Conflict if somebody uses it."""
    with translate_errors(ledger), closing(apsw.Connection(str(ledger), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        try:
            # Leaving this mode needs the only connection to the file.
            db.execute("PRAGMA journal_mode = DELETE")
        except apsw.BusyError as error:
            raise Conflict(
                "another process is using the store", code="busy", hint="stop it, e.g. with 'satchel serve --stop'"
            ) from error


@contextmanager
def _opened(copy: Path) -> Iterator[apsw.Connection]:
    with translate_errors(copy), closing(apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READWRITE)) as db:
        yield db


def _has_files(db: apsw.Connection) -> bool:
    return first(db.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (_FILES,))) is not None


def _digest(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()
