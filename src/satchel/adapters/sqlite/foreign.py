"""Another program's SQLite database to import, as ports.ImportSource: opened read-only, and read in one state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from satchel.adapters.sqlite.database import connect_for_reading
from satchel.errors import InvalidRequest, Unavailable
from satchel.ports import SourceFile, SourceForm

if TYPE_CHECKING:
    from satchel.domain.document import SkippedFile

MAGIC = b"SQLite format 3\0"
MAX_TABLES = 1_000
# Where the header says how the file is written and read, and what it says of a file with a write-ahead log.
_MODES = slice(18, 20)
_WAL_MODES = b"\2\2"
# More than any text that is stored; a longer one arrives cut, and is refused for its length.
MAX_VALUE_CHARS = 4_000_000
# Texts come as bytes, so that one that is not UTF-8 does not end the reading of the others. Vectors are left out.
_VALUE = "CASE typeof({0}) WHEN 'text' THEN CAST(substr({0}, 1, ?) AS BLOB) WHEN 'blob' THEN NULL ELSE {0} END"


class ForeignDatabase:
    """A database that another program owns and may be using."""

    form = SourceForm.DATABASE

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = str(path)
        self.name = name or path.name
        self._path = path
        self._state = _state(path) if _is_at_rest(path) else None
        with _readable(self.name):
            self._connection = _connect_at_rest(path) if self._state else connect_for_reading(path)
            self._connection.execute("PRAGMA query_only = ON")
            # Views and triggers of a hostile schema must not call functions with side effects.
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._connection.execute("BEGIN")

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        about = self._path.stat()
        yield SourceFile(self.name, about.st_size, about.st_mtime_ns // 1_000_000)

    def chunks(self, path: str) -> Iterator[bytes]:
        return iter(())

    def tables(self) -> Mapping[str, frozenset[str]]:
        with _readable(self.name):
            names = self._connection.execute(
                # Only what is stored: a virtual table needs code, and a view may compute anything.
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' LIMIT ?",
                [MAX_TABLES],
            ).fetchall()
            return {str(name): self._columns(str(name)) for (name,) in names}

    def _columns(self, table: str) -> frozenset[str]:
        rows = self._connection.execute("SELECT name FROM pragma_table_info(?)", [table])
        return frozenset(str(name) for (name,) in rows)

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        chosen = ", ".join(_VALUE.format(_quoted(one)) for one in columns)
        query = f"SELECT {chosen} FROM {_quoted(table)} ORDER BY {', '.join(map(_quoted, order))}"
        with _readable(self.name):
            for row in self._connection.execute(query, [MAX_VALUE_CHARS] * len(columns)):
                yield tuple(map(_decoded, row))
        if self._state and self._state != _state(self._path):
            raise Unavailable(f"{self.name} was changed while it was read", code="changed_while_read")


def _is_at_rest(path: Path) -> bool:
    """Return whether a database has a write-ahead log in use only while it is open, and nobody has it open."""
    with path.open("rb") as file:
        modes = file.read(_MODES.stop)[_MODES]
    return modes == _WAL_MODES and not path.with_name(f"{path.name}-wal").exists()


def _connect_at_rest(path: Path) -> apsw.Connection:
    # Opened the usual way, SQLite would leave an empty log beside it.
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"{path.as_uri()}?immutable=1", flags=flags)


def _state(path: Path) -> tuple[int, int, bool]:
    about = path.stat()
    return about.st_size, about.st_mtime_ns, path.with_name(f"{path.name}-wal").exists()


def _decoded(value: Any) -> Any:
    """Return a text, or its bytes if it is not UTF-8."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except (apsw.BusyError, apsw.LockedError):
        raise Unavailable(
            f"{name} is busy", code="busy", hint="close the program that owns it, and try again"
        ) from None
    except (apsw.Error, UnicodeDecodeError) as error:
        raise InvalidRequest(
            f"{name} cannot be read as a database: {error}", code="unreadable_database", hint="use a copy or a backup"
        ) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
