"""A lossless-claw database, opened read-only: that program owns it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.adapters.sql.conversations.rows import LOSSLESS_CLAW
from satchel.adapters.sql.conversations.transcripts import SqlTranscripts
from satchel.adapters.sqlite.database import connect_for_reading
from satchel.adapters.sqlite.disk_errors import translate_errors
from satchel.errors import Corrupt, InvalidRequest, NotFound

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection

REQUIRED_TABLES = frozenset({"conversations", "messages", "summaries", "summary_messages", "summary_parents"})


class LosslessFile:
    """A lossless-claw database file, opened read-only for each read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Read one consistent state."""
        with translate_errors(self._path):
            connection = connect_for_reading(self._path)
            try:
                connection.execute("PRAGMA query_only = ON")
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()


def open_lossless(path: Path) -> SqlTranscripts:
    """Return the transcripts of a lossless-claw database."""
    if not _is_file(path):
        raise NotFound(
            f"{str(path)[:200]}: no such file", hint="lossless-claw keeps its database in ~/.openclaw/lcm.db"
        )
    file = LosslessFile(path)
    try:
        with file.reading() as db:
            tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    except Corrupt as error:
        # Another program's file, or none of a database: the store itself is sound.
        raise InvalidRequest(error.message, code="not_lossless", hint="choose a lossless-claw database") from error
    if missing := REQUIRED_TABLES - tables:
        raise InvalidRequest(
            f"{path} has no table {min(missing)}", code="not_lossless", hint="choose a lossless-claw database"
        )
    return SqlTranscripts(file, LOSSLESS_CLAW)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    # A name that is too long for any file.
    except OSError:
        return False
