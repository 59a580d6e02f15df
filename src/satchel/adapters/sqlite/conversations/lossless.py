"""The database of lossless-claw, read and never written: that program owns it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from satchel.adapters.sqlite.conversations.transcripts import LOSSLESS_CLAW, SqliteTranscripts
from satchel.adapters.sqlite.database import connect_for_reading, translated
from satchel.errors import InvalidRequest, NotFound

NEEDED = frozenset({"conversations", "messages", "summaries", "summary_messages", "summary_parents"})


class LosslessFile:
    """Opens the file anew for every look, only to read it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Read one state of it."""
        with translated(self._path):
            connection = connect_for_reading(self._path)
            try:
                connection.execute("PRAGMA query_only = ON")
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.close()


def open_lossless(path: Path) -> SqliteTranscripts:
    """Return the transcripts of a lossless-claw database."""
    if not path.is_file():
        raise NotFound(f"there is no file {path}", hint="lossless-claw keeps its database in ~/.openclaw/lcm.db")
    file = LosslessFile(path)
    with file.reading() as db:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    if missing := NEEDED - tables:
        raise InvalidRequest(f"{path} has no table {min(missing)}", code="not_lossless", hint="it is not its database")
    return SqliteTranscripts(file, LOSSLESS_CLAW)
