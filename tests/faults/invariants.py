"""What must hold after any fault: one checker, for every test that stops, fails or tears a store."""

import hashlib
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from satchel.adapters.sqlite.database import Database
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.answers import HealthFinding

LEDGER = "ledger.sqlite3"
# Measured, or made from what was measured: that the chain of receipts is whole is checked by itself.
VARYING = {("receipts", "duration_ms"), ("receipts", "digest"), ("receipts", "link"), ("receipt_head", "link")}
# How large an attempt left the index: where Lance tried twice, there are more versions and files.
_SIZES = re.compile(r'"(bytes|fragments|small_fragments|versions)":\d+')
_FULL_TEXT = re.compile(r".*_(data|idx|content|docsize|config)|sqlite_.*")
# Names that Lance makes up, and files of processes that are at work.
_MADE_UP = re.compile(r"[0-9a-f-]{20,}|[0-9]{2,}|[01]{10,}[0-9a-f]*")
_AT_WORK = re.compile(r".*-(wal|shm)|index/writer\.lock|index/.*\.lance/.*")


class Rules(NamedTuple):
    """What a store may look like after a fault, besides what always holds."""

    erased: tuple[str, ...]
    """Secrets and forgotten words that are nowhere in the files."""
    names: frozenset[str]
    """Files that may be there afterwards, as `shape_of` writes them."""
    question: str
    """Finds something."""


class Ledger(NamedTuple):
    """What a ledger holds, without what is measured."""

    digest: str
    problems: tuple[str, ...]


def read_ledger(path: Path) -> Ledger:
    """Read a ledger whose process has ended: every row of it, and what is wrong (I2, I4, I5)."""
    if not path.exists():
        return Ledger("none", ())
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        rows = _rows(connection)
        checks = {
            "I5 integrity": "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
            "I5 references": 'SELECT "table", rowid FROM pragma_foreign_key_check',
        }
        if "observations" in rows:
            checks["I4 keys"] = "SELECT key FROM observations GROUP BY key HAVING count(*) > 1"
        found = [f"{name}: {bad}" for name, query in checks.items() if (bad := connection.execute(query).fetchall())]
        return Ledger(_digest(rows), tuple(found))
    except apsw.Error as error:
        return Ledger("none", (f"I5 {type(error).__name__}: {error}",))
    finally:
        connection.close()


def _rows(connection: apsw.Connection) -> dict[str, list[tuple[Any, ...]]]:
    query = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
    found: dict[str, list[tuple[Any, ...]]] = {}
    for table in [str(name) for (name,) in connection.execute(query)]:
        if not _FULL_TEXT.fullmatch(table):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            kept = ", ".join(f'"{one}"' for one in names if (table, one) not in VARYING)
            rows = connection.execute(f"SELECT {kept} FROM {table}").fetchall()
            found[table] = sorted((_without_sizes(row) for row in rows) if table == "receipts" else rows, key=repr)
    return found


def _without_sizes(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(_SIZES.sub(r'"\1":0', value) if isinstance(value, str) else value for value in row)


def _digest(rows: dict[str, list[tuple[Any, ...]]]) -> str:
    if not rows:
        return "none"
    return hashlib.sha256(repr(rows).encode()).hexdigest()[:16]


@contextmanager
def commits(home: Path) -> Iterator[list[str]]:
    """Collect the digest of the ledger now, after each commit of this process, and at the end: a restore replaces it."""
    path = home / LEDGER
    states = [_now(path)]
    original = Database.writing

    @contextmanager
    def writing(self: Database, **options: Any) -> Iterator[apsw.Connection]:
        is_outermost = not self._is_writing
        try:
            with original(self, **options) as db:
                yield db
        finally:
            if is_outermost and (now := _now(path)) != states[-1]:
                states.append(now)

    Database.writing = writing  # type: ignore[method-assign]
    try:
        yield states
        if (now := _now(path)) != states[-1]:
            states.append(now)
    finally:
        Database.writing = original  # type: ignore[method-assign]


def _now(path: Path) -> str:
    return _digest(rows_of(path)) if path.exists() else "none"


def rows_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of every table of a ledger that may be in use."""
    # The last connection that closes removes the log, unless it only reads.
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        return _rows(connection)
    finally:
        connection.close()


def shape_of(name: str) -> str:
    """Return the name of a file without the parts that are made up when it is written."""
    return "at work" if _AT_WORK.fullmatch(name) else _MADE_UP.sub("#", name)


def shapes_of(home: Path) -> set[str]:
    """Return the shapes of the names of a store's files."""
    return {shape_of(path.relative_to(home).as_posix()) for path in files_of(home)}


def files_of(home: Path) -> list[Path]:
    """Return the files of a store."""
    return sorted(path for path in home.rglob("*") if path.is_file())


def find_violations(home: Path, rules: Rules) -> list[str]:
    """Open a store after a fault, let it recover, and return the invariants that do not hold."""
    found = []
    with Satchel.open(settings=load(home=str(home))) as memory:
        found += _answer_problems(memory, rules)
        # `doctor --fix` is how a store recovers; the second time it finds nothing left to do.
        memory.maintenance.doctor(fix=True)
        rows, shapes = rows_of(home / LEDGER), shapes_of(home)
        report = memory.maintenance.doctor(fix=True).result
        changed = [table for table, now in rows_of(home / LEDGER).items() if now != rows[table]]
        found += [f"I3 recovering a second time changes {one}" for one in (*changed, *sorted(shapes ^ shapes_of(home)))]
        found += [f"I5 {one.check}: {one.message}" for one in report.findings if one.status == "bad"]
        found += _index_problems(report.findings)
    found += [f"I9 left over: {one}" for one in sorted(shapes_of(home) - rules.names)]
    for path, word in itertools.product(files_of(home), rules.erased):
        if word.encode() in path.read_bytes():
            found.append(f"I8 {path.relative_to(home)} holds {word}")
    return found


def _answer_problems(memory: Satchel, rules: Rules) -> list[str]:
    # What is read is compared with its hash; a record that differs is left out with a warning.
    hits = memory.recall(rules.question, limit=20).result.hits
    listed = {one.id for one in memory.memories.list(limit=1_000).result.memories}
    found = [] if hits or not listed else ["I1 nothing is found"]
    found += [f"I1 {hit.memory.id} is found and not listed" for hit in hits if hit.memory.id not in listed]
    again = memory.recall(rules.question).receipt.warnings
    return found + [f"I3 a second recall still repairs: {again}"] * bool(again)


def _index_problems(findings: Sequence[HealthFinding]) -> list[str]:
    wanted = ("all ", "none is needed", "not built yet")
    return [
        f"I3 {one.check}: {one.message}"
        for one in findings
        if one.check in ("index", "evidence index") and not one.message.startswith(wanted)
    ]
