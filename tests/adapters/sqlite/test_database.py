"""Connections and SQLite errors, caused for real where possible."""

import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import apsw
import pytest

from satchel.adapters.sqlite import database
from satchel.adapters.sqlite.connection import Connection
from satchel.adapters.sqlite.database import Database
from satchel.adapters.sqlite.disk_errors import DAMAGED_SCHEMA, translate_errors
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import load
from satchel.errors import Corrupt, SatchelError, Unavailable
from tests.adapters import children
from tests.adapters.samples import ALL, memory, store
from tests.tables import each_case


@each_case(
    ("error", "kind", "code"),
    [
        (apsw.FullError, Unavailable, "disk_full"),
        (apsw.ReadOnlyError, Unavailable, "read_only"),
        (apsw.PermissionsError, Unavailable, "read_only"),
        (apsw.CantOpenError, Unavailable, "read_only"),
        (apsw.BusyError, Unavailable, "busy"),
        (apsw.LockedError, Unavailable, "busy"),
        (apsw.CorruptError, Corrupt, "store_damaged"),
        (apsw.NotADBError, Corrupt, "store_damaged"),
        (apsw.ConstraintError, Corrupt, "store_damaged"),
        (apsw.IOError, Unavailable, "io_error"),
        (apsw.SQLError, SatchelError, "ledger_error"),
    ],
)
def test_every_error_has_a_class_and_a_code(error: type[apsw.Error], kind: type[SatchelError], code: str) -> None:
    with pytest.raises(kind) as raised, translate_errors(Path("ledger")):
        raise error("what SQLite said")
    assert raised.value.code == code


@pytest.mark.parametrize("phrase", DAMAGED_SCHEMA)
def test_a_damaged_schema_is_damage(phrase: str) -> None:
    with pytest.raises(Corrupt), translate_errors(Path("ledger")):
        raise apsw.SQLError(f"SQLite says: {phrase} something")


@pytest.mark.parametrize("optional", [False, True])
def test_a_writer_that_waits_too_long_gets_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, optional: bool
) -> None:
    monkeypatch.setattr(database, "WRITE_TIMEOUT_MS", 600_000 if optional else 1)
    first, second = Database(tmp_path / "ledger"), Database(tmp_path / "ledger")
    with first.writing() as db:
        db.execute("CREATE TABLE t (x)")
        with pytest.raises(Unavailable) as refused, second.writing(optional=optional):
            pass
        with second.reading() as other:
            assert other.execute("SELECT count(*) FROM sqlite_schema").get == 0
    assert refused.value.code == "busy"
    with second.writing(optional=optional) as db:
        db.execute("INSERT INTO t VALUES (1)")
    first.close()
    second.close()


def test_an_exception_rolls_back_the_transaction(tmp_path: Path) -> None:
    database = Database(tmp_path / "ledger")
    with pytest.raises(KeyError), database.writing() as db:
        db.execute("CREATE TABLE t (x)")
        raise KeyError
    with database.reading() as db:
        assert db.execute("SELECT count(*) FROM sqlite_schema").get == 0
    database.close()


def test_a_reader_prevents_truncating_the_log_without_a_long_wait(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger")
    store(ledger, memory("a"))
    reader = apsw.Connection(str(tmp_path / "ledger"))
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM memories").get == 1
    store(ledger, memory("b"))
    database = Database(tmp_path / "ledger")
    assert not database.truncate_log(1)
    reader.execute("COMMIT")
    assert database.truncate_log(1)
    assert (tmp_path / "ledger-wal").stat().st_size == 0
    for one in (reader, database, ledger):
        one.close()


def test_several_threads_share_one_ledger(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "ledger")
    problems: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(20):
                store(ledger, memory(f"{name}{number}"))
                ledger.memories.page(ALL, 5)
        except BaseException as error:  # noqa: BLE001  a thread cannot raise into its test
            problems.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert len(ledger.memories.page(ALL, 100)) == ledger.receipts.verify().receipts == 80
    ledger.close()


def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    children.run(
        "os.umask(0); memory = opened(place); memory.store('x'); answer('open'); os._exit(0)", tmp_path / "home"
    )
    modes = {path.name: path.stat().st_mode & 0o777 for path in [tmp_path / "home", *(tmp_path / "home").iterdir()]}
    assert modes == {
        "home": 0o700,
        "ledger.sqlite3": 0o600,
        "ledger.sqlite3.made": 0o600,
        "ledger.sqlite3-wal": 0o600,
        "ledger.sqlite3-shm": 0o600,
    }


# Read-only folders


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder with a store that another user can access, unlike pytest's own folders."""
    place = Path(mkdtemp())
    place.chmod(0o755)
    with Satchel.open(settings=load(home=str(place / "home"), embedding={"provider": "hashing"})) as opened:
        opened.store("the walrus is in the ledger")
        opened.recall("walrus")
    yield place
    for folder in (place, place / "home"):
        folder.chmod(0o700)
    shutil.rmtree(place)


USE = """
as_nobody()
memory = opened(place / "home")
found = memory.recall("walrus")
answer({
    "listed": [one.text for one in memory.memories.list().result.memories],
    "recalled": [hit.memory.text for hit in found.result.hits],
    "lexical": [hit.memory.text for hit in memory.recall("walrus", mode="lexical").result.hits],
    "kept": found.receipt.kept,
    "store": code_of(lambda: memory.store("new")),
    "forget": code_of(lambda: memory.forget(memory.memories.list().result.memories[0].id)),
    "doctor": code_of(memory.maintenance.doctor),
    "still": len(memory.memories.list().result.memories),
})
"""
READ_ONLY = {
    "listed": ["the walrus is in the ledger"],
    "recalled": ["the walrus is in the ledger"],
    "lexical": ["the walrus is in the ledger"],
    "kept": False,
    "store": "read_only",
    "forget": "read_only",
    "doctor": "done",
    "still": 1,
}


def permit(home: Path, folders: int, files: int) -> None:
    for path in [*home.rglob("*"), home]:
        path.chmod(folders if path.is_dir() else files)


def test_a_store_in_a_read_only_folder_can_be_read(shared: Path) -> None:
    permit(shared / "home", 0o555, 0o444)
    assert children.run(USE, shared) == READ_ONLY


def test_a_ledger_opened_for_reading_only_is_not_written_to(tmp_path: Path) -> None:
    SqliteLedger(tmp_path / "ledger").close()
    before = (tmp_path / "ledger").read_bytes()
    ledger = SqliteLedger(tmp_path / "ledger", read_only=True)

    assert ledger.read_only
    with pytest.raises(Unavailable) as raised:
        store(ledger, memory("a"))
    assert raised.value.code == "read_only"
    ledger.close()
    assert (tmp_path / "ledger").read_bytes() == before


def test_a_writable_file_in_a_read_only_folder_can_be_read(shared: Path) -> None:
    permit(shared / "home", 0o555, 0o666)
    assert children.run(USE, shared) == READ_ONLY


def test_a_read_only_file_in_a_writable_folder_can_be_read(shared: Path) -> None:
    permit(shared / "home", 0o777, 0o444)
    assert children.run(USE, shared) == READ_ONLY


def test_an_inaccessible_store_is_refused_by_code(shared: Path) -> None:
    permit(shared / "home", 0o000, 0o600)
    assert children.run("as_nobody(); answer(code_of(lambda: opened(place / 'home')))", shared) == "read_only"


def test_a_store_that_cannot_be_created_is_refused_by_code(shared: Path) -> None:
    shared.chmod(0o555)
    assert children.run("as_nobody(); answer(code_of(lambda: opened(place / 'new' / 'home')))", shared) == "read_only"


def test_a_file_where_the_folder_should_be_is_refused_by_code(shared: Path) -> None:
    (shared / "file").touch()
    assert children.run("answer(code_of(lambda: opened(place / 'file')))", shared) == "read_only"


# A full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of three megabytes."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system takes more rights than these tests have")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


FILL = """
memory, kept, code = opened(place / "home"), [], "done"
while code == "done" and len(kept) < 5_000:
    text = f"walrus {len(kept)} " + "x" * 5_000
    code = code_of(lambda: kept.append(memory.store(text).result.id))
"""


def test_a_full_disk_loses_nothing_and_needs_no_restart(small_disk: Path) -> None:
    result = children.run(
        """(place / "ballast").write_bytes(bytes(200_000))"""
        + FILL
        + """
listed = {one.id for one in memory.memories.list(limit=1000).result.memories}
again = code_of(lambda: memory.store("x" * 90_000))
found = len(memory.recall("walrus", mode="lexical").result.hits)
(place / "ballast").unlink()
after = code_of(lambda: memory.store("there is space again"))
memory.close()
memory = opened(place / "home")
verified = memory.maintenance.receipts_verify().result
answer([code, again, listed == set(kept), len(kept) > 10, found, after, verified.receipts > len(kept), verified.broken_at,
        [one.check for one in memory.maintenance.doctor().result.findings if one.status == "bad"]])
""",
        small_disk,
    )
    assert result == ["disk_full", "disk_full", True, True, 5, "done", True, None, []]


def test_a_file_size_limit_loses_nothing(tmp_path: Path) -> None:
    result = children.run(
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))"
        + FILL
        + """
listed = {one.id for one in memory.memories.list(limit=1000).result.memories}
answer([code in ("io_error", "disk_full"), listed == set(kept), len(kept) > 3])
""",
        tmp_path,
    )
    assert result == [True, True, True]
    with Satchel.open(settings=load(home=str(tmp_path / "home"), embedding={"provider": "hashing"})) as memory_again:
        assert memory_again.maintenance.doctor().result.healthy
        assert memory_again.store("it may grow now").result.action == "created"


def test_opening_waits_for_another_process_that_enables_wal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = iter(range(2))

    class Contended(Connection):
        def execute(self, statements: str, *more: Any, **options: Any) -> apsw.Cursor:
            if "journal_mode" in statements and next(refusals, None) is not None:
                raise apsw.BusyError("database is locked")
            return super().execute(statements, *more, **options)

    monkeypatch.setattr("satchel.adapters.sqlite.database.Connection", Contended)
    with closing(Database(tmp_path / "ledger.sqlite3")) as database, database.reading() as db:
        assert db.execute("PRAGMA journal_mode").get == "wal"
    assert next(refusals, None) is None


def test_a_store_that_is_opened_for_reading_stays_so(home: Path) -> None:
    Satchel.open(home).close()
    ledger = SqliteLedger(home / "ledger.sqlite3", read_only=True)
    for _ in range(2):
        with pytest.raises(Unavailable) as error, ledger.memories.transaction():
            pass
        assert error.value.code == "read_only"
    ledger.close()


def test_a_process_gives_way_after_a_long_write_and_not_after_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, now, slept = Database(tmp_path / "ledger.sqlite3"), [100.0], list[float]()
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", slept.append)

    def write(seconds: float) -> None:
        with opened.writing():
            now[0] += seconds

    write(database.LONG_WRITE_SECONDS / 2)
    write(database.LONG_WRITE_SECONDS * 2)
    assert slept == []
    write(0.0)
    assert slept == [pytest.approx(database.GAP_SECONDS)]
    now[0] += 2 * database.GAP_SECONDS
    write(0.0)
    assert len(slept) == 1
    opened.close()


def test_bulk_writes_leave_the_connection_as_it_was(tmp_path: Path) -> None:
    database = Database(tmp_path / "ledger.sqlite3")

    def tuned() -> tuple[int, int, int]:
        with database.reading() as db:
            return tuple(
                db.execute(f"PRAGMA {name}").get for name in ("cache_size", "wal_autocheckpoint", "synchronous")
            )

    before = tuned()
    with pytest.raises(ValueError, match="stopped"), database.bulk():
        during = tuned()
        raise ValueError("stopped")

    assert during[0] < before[0] < 0 < before[1] < during[1]
    assert before[2] == during[2] == 2  # every commit is synced
    assert tuned() == before
    database.close()
