"""Transactions of a ledger file, how long they wait, and how it is opened."""

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from satchel.adapters.sql.engine import first, next_seq
from satchel.adapters.sql.schema_version import newer_store
from satchel.adapters.sqlite import database as module
from satchel.adapters.sqlite.connection import APPLICATION_ID, Connection
from satchel.adapters.sqlite.database import (
    OPTIONAL_WRITE_TIMEOUT_MS,
    WRITE_TIMEOUT_MS,
    Database,
    connect_for_reading,
    sqlite_version,
)
from satchel.errors import Corrupt, InvalidRequest, NewerStore, SatchelError, Unavailable


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "ledger"


@pytest.fixture
def opened(path: Path) -> Iterator[Database]:
    """A database with an empty table t."""
    database = Database(path)
    with database.writing() as db:
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        db.execute("CREATE TABLE t (x)")
    yield database
    database.close()


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How long connections were told to wait, in order."""
    told: list[int] = []

    class Noting(Connection):
        def set_busy_timeout(self, milliseconds: int) -> None:
            told.append(milliseconds)
            super().set_busy_timeout(0 if milliseconds == OPTIONAL_WRITE_TIMEOUT_MS else milliseconds)

    monkeypatch.setattr(module, "Connection", Noting)
    return told


def pragma(database: Database, name: str) -> Any:
    with database.reading() as db:
        return db.execute(f"PRAGMA {name}").get


def patience(database: Database) -> int:
    with database.reading() as db:
        assert isinstance(db, Connection)
        return db.patience_ms


def rows(database: Database) -> list[Any]:
    with database.reading() as db:
        return [x for (x,) in db.execute("SELECT x FROM t ORDER BY x").fetchall()]


def insert(database: Database, value: int, **options: bool) -> None:
    with database.writing(**options) as db:
        db.execute("INSERT INTO t VALUES (?)", (value,))


class TestOpening:
    def test_erased_space_is_overwritten_and_a_commit_synced(self, opened: Database) -> None:
        assert {name: pragma(opened, name) for name in SETTINGS} == SETTINGS
        assert patience(opened) == 60_000
        assert not opened.read_only
        assert opened.location == str(opened.path)

    def test_a_database_in_memory_has_no_file(self) -> None:
        database = Database(None)
        with database.writing() as db:
            db.execute("CREATE TABLE t (x)")
        insert(database, 1)
        with database.snapshot() as db:
            assert db.execute("SELECT x FROM t").get == 1
        assert (database.path, database.read_only, pragma(database, "secure_delete")) == (None, False, 1)
        database.close()
        with database.claim_shares([1, 2], 4) as shares:
            assert shares == [1, 2]
        assert database.location == ":memory:"
        # There is nothing to open for reading only.
        Database(None, read_only=True).close()

    def test_the_file_and_its_folder_belong_to_the_owner_alone(self, path: Path) -> None:
        before = os.umask(0)
        try:
            Database(path).close()
        finally:
            os.umask(before)
        assert [stat.S_IMODE(one.stat().st_mode) for one in (path.parent, path)] == [0o700, 0o600]

    def test_folders_above_it_are_made_and_may_be_there(self, tmp_path: Path) -> None:
        for name in ("one", "two"):
            Database(tmp_path / "a" / "b" / "c" / name).close()
        assert (tmp_path / "a" / "b" / "c" / "two").is_file()

    def test_only_a_ledger_or_an_empty_file_is_opened(self, path: Path) -> None:
        for application, tables, is_ours in (
            (0, 0, True),
            (APPLICATION_ID, 0, True),
            (APPLICATION_ID, 1, True),
            (0, 1, False),
            (7, 0, False),
            (7, 1, False),
        ):
            path.unlink(missing_ok=True)
            path.parent.mkdir(exist_ok=True)
            other = apsw.Connection(str(path))
            other.execute(f"PRAGMA application_id = {application}")
            if tables:
                other.execute("CREATE TABLE t (x)")
            other.close()
            if is_ours:
                Database(path).close()
                continue
            with pytest.raises(InvalidRequest) as refused:
                Database(path)
            assert refused.value.code == "not_a_ledger"
        assert int.from_bytes(b"SaTc") == APPLICATION_ID

    def test_a_path_that_cannot_be_made_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        with pytest.raises(Unavailable) as failed:
            Database(tmp_path / "file" / "ledger")
        assert failed.value.code == "read_only"

    def test_a_newer_store_names_both_versions(self, path: Path) -> None:
        error = newer_store(str(path), 9, 7)
        assert isinstance(error, NewerStore)
        assert error.message == f"{path} has schema 9, this version knows up to 7"

    def test_the_version_is_that_of_the_library(self) -> None:
        assert sqlite_version() == apsw.sqlite_lib_version()

    def test_enabling_the_log_gives_up_after_the_longest_wait(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = iter(range(0, 10**6, 20))
        pauses: list[float] = []

        class Contended(Connection):
            def execute(self, statements: str, *more: Any, **options: Any) -> apsw.Cursor:
                if "journal_mode" in statements:
                    raise apsw.BusyError("database is locked")
                return super().execute(statements, *more, **options)

        monkeypatch.setattr(module, "Connection", Contended)
        monkeypatch.setattr(time, "monotonic", lambda: next(clock))
        monkeypatch.setattr(time, "sleep", pauses.append)
        with pytest.raises(Unavailable) as failed:
            Database(path)
        # On a clock that goes on by 20 s at every look: 20, 40 and 60 s are waited for, 80 s are too long.
        assert (failed.value.code, pauses) == ("busy", [0.01] * 3)


SETTINGS = {
    "secure_delete": 1,
    "foreign_keys": 1,
    "cache_size": -16_000,
    "journal_mode": "wal",
    "synchronous": 2,
}


class TestReadingOnly:
    def test_it_is_never_written_to(self, opened: Database, path: Path) -> None:
        reader = Database(path, read_only=True)
        assert reader.read_only and pragma(reader, "synchronous") == 2
        with pytest.raises(Unavailable) as refused:
            insert(reader, 1)
        assert (refused.value.code, rows(reader), reader.read_only) == ("read_only", [], True)
        reader.close()

    def test_a_file_that_could_only_be_read_is_written_to_once_it_can(
        self, opened: Database, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(path: Path) -> None:
            raise OSError(5, "failing disk")

        with monkeypatch.context() as patched:
            patched.setattr(module, "_make_private", fail)
            late = Database(path)
            assert late.read_only
            with pytest.raises(Unavailable) as refused:
                insert(late, 1)
            assert (refused.value.code, late.read_only) == ("io_error", True)
        insert(late, 1)
        assert (late.read_only, rows(late)) == (False, [1])
        assert {name: pragma(late, name) for name in SETTINGS} == SETTINGS
        late.close()

    def test_a_missing_file_is_not_opened_for_reading(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(path: Path) -> None:
            raise OSError(5, "failing disk")

        monkeypatch.setattr(module, "_make_private", fail)
        with pytest.raises(Unavailable) as failed:
            Database(path)
        assert failed.value.code == "io_error"

    @pytest.mark.parametrize("logged", [0, 100])
    def test_without_shared_memory_only_a_file_without_a_log_is_read(
        self, opened: Database, path: Path, monkeypatch: pytest.MonkeyPatch, logged: int
    ) -> None:
        insert(opened, 1)
        opened.close()
        path.with_name("ledger-wal").write_bytes(bytes(logged))

        class NoSharedMemory(Connection):
            def __init__(self, name: str, **options: Any) -> None:
                if "immutable" not in name:
                    raise apsw.CantOpenError("no shared memory")
                super().__init__(name, **options)

        monkeypatch.setattr(module, "Connection", NoSharedMemory)
        if logged:
            with pytest.raises(apsw.CantOpenError):
                connect_for_reading(path)
            return
        connection = connect_for_reading(path)
        assert connection.execute("SELECT x FROM t").get == 1
        assert connection.readonly("main")
        connection.close()

    def test_a_connection_for_reading_waits_and_writes_nothing(self, opened: Database, path: Path) -> None:
        connection = connect_for_reading(path)
        assert connection.patience_ms == WRITE_TIMEOUT_MS
        with pytest.raises(apsw.ReadOnlyError):
            connection.execute("INSERT INTO t VALUES (1)")
        connection.close()


class TestTransactions:
    def test_a_read_sees_one_state_and_ends(self, opened: Database, path: Path) -> None:
        other = Database(path)
        with opened.reading() as db:
            assert db.execute("SELECT count(*) FROM t").get == 0
            insert(other, 1)
            with opened.reading() as inner:
                assert inner is db
                assert inner.execute("SELECT count(*) FROM t").get == 0
            assert db.in_transaction
        assert not db.in_transaction
        assert rows(opened) == [1]
        other.close()

    def test_a_failed_read_ends_too(self, opened: Database) -> None:
        with pytest.raises(KeyError), opened.reading() as db:
            raise KeyError
        assert not db.in_transaction

    def test_a_read_that_sqlite_has_ended_shows_its_own_error(self, opened: Database) -> None:
        with pytest.raises(KeyError), opened.reading() as db:
            db.execute("ROLLBACK")
            raise KeyError

    def test_a_snapshot_is_apart(self, opened: Database) -> None:
        with opened.snapshot() as db:
            assert db.execute("SELECT count(*) FROM t").get == 0
            insert(opened, 1)
            assert db.execute("SELECT count(*) FROM t").get == 0
            assert rows(opened) == [1]
        with pytest.raises(apsw.ConnectionClosedError):
            db.execute("SELECT 1")

    def test_a_single_statement_reads_without_a_transaction(self, opened: Database) -> None:
        insert(opened, 1)
        with opened.reading_once() as db:
            assert db.execute("SELECT x FROM t").get == 1
            assert not db.in_transaction

    def test_a_bulk_write_takes_more_memory_and_checkpoints_later_until_it_ends(
        self, opened: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[int] = []
        monkeypatch.setattr(Connection, "wal_autocheckpoint", lambda self, pages: told.append(pages))
        with pytest.raises(KeyError), opened.bulk():
            assert (pragma(opened, "cache_size"), told) == (-256_000, [64_000])
            raise KeyError
        assert (pragma(opened, "cache_size"), told) == (-16_000, [64_000, 1_000])

    def test_media_are_told_by_their_references(self, opened: Database) -> None:
        def told(refs: str, wanted: str = "image") -> Any:
            query = "SELECT has_media(?, ?)"
            with opened.reading() as db, opened.snapshot() as apart:
                found = db.execute(query, (refs, wanted)).get
                assert apart.execute(query, (refs, wanted)).get == found
                return found

        assert (told('["a.png", "b.pdf"]'), told('["b.pdf"]'), told('["b.pdf"]', "any")) == (1, 0, 1)
        # A damaged list is not held back: reading the record names the damage.
        assert (told("no json"), told("7")) == (1, 1)

    def test_a_nested_write_joins_the_outer_one(self, opened: Database) -> None:
        with pytest.raises(KeyError), opened.writing() as db:
            insert(opened, 1)
            assert db.in_transaction
            with opened.reading() as reading:
                assert reading.execute("SELECT x FROM t").get == 1
            raise KeyError
        assert rows(opened) == []
        with opened.writing():
            insert(opened, 2)
        assert rows(opened) == [2]

    def test_a_write_that_sqlite_has_ended_shows_its_own_error(self, opened: Database) -> None:
        with pytest.raises(KeyError), opened.writing() as db:
            db.execute("ROLLBACK")
            raise KeyError
        insert(opened, 1)
        assert rows(opened) == [1]

    def test_only_a_write_that_need_not_be_durable_is_not_synced(self, opened: Database) -> None:
        for durable, synchronous in ((False, 1), (True, 2)):
            with opened.writing(durable=durable) as db:
                assert db.execute("PRAGMA synchronous").get == synchronous
            assert pragma(opened, "synchronous") == 2
        with opened.writing() as db:
            assert db.execute("PRAGMA synchronous").get == 2

    def test_sqlite_errors_are_ours_everywhere(self, opened: Database) -> None:
        for manager in (opened.reading, opened.reading_once, opened.snapshot, opened.writing):
            with pytest.raises(SatchelError), manager() as db:
                db.execute("SELECT nothing FROM nowhere")

    def test_a_write_begins_before_its_first_statement(self, opened: Database, path: Path) -> None:
        other = apsw.Connection(str(path))
        with opened.writing(), pytest.raises(apsw.BusyError):
            other.execute("BEGIN IMMEDIATE")
        other.close()


class TestWaiting:
    def test_a_write_waits_long_and_an_optional_one_shortly(self, path: Path, waits: list[int]) -> None:
        database = Database(path)
        waits.clear()
        for optional in (False, True):
            with database.writing(optional=optional):
                pass
        assert waits == [WRITE_TIMEOUT_MS, WRITE_TIMEOUT_MS, OPTIONAL_WRITE_TIMEOUT_MS, WRITE_TIMEOUT_MS]
        assert (WRITE_TIMEOUT_MS, OPTIONAL_WRITE_TIMEOUT_MS) == (60_000, 250)
        database.close()

    def test_after_one_wait_in_vain_an_optional_write_waits_no_more(self, path: Path, waits: list[int]) -> None:
        database = Database(path)
        holder = apsw.Connection(str(path))
        holder.execute("BEGIN IMMEDIATE")
        waits.clear()
        for _ in range(2):
            with pytest.raises(Unavailable) as refused, database.writing(optional=True):
                pass
            assert refused.value.code == "busy"
        holder.execute("ROLLBACK")
        for _ in range(2):
            with database.writing(optional=True):
                pass
        assert [one for one in waits if one != WRITE_TIMEOUT_MS] == [
            OPTIONAL_WRITE_TIMEOUT_MS,
            0,
            0,
            OPTIONAL_WRITE_TIMEOUT_MS,
        ]
        holder.close()
        database.close()

    def test_a_write_after_a_long_one_gives_way_to_others(
        self, opened: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now, pauses = [100.0], list[float]()
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        monkeypatch.setattr(time, "sleep", pauses.append)

        def write(seconds: float) -> None:
            with opened.writing():
                now[0] += seconds

        write(0.049)
        write(0.06)
        assert pauses == []
        now[0] += 0.02
        write(0)
        assert pauses == [pytest.approx(0.03)]
        now[0] += 0.05
        write(0)
        assert len(pauses) == 1

    def test_a_write_to_memory_gives_way_to_nobody(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now, pauses = [100.0], list[float]()
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        monkeypatch.setattr(time, "sleep", pauses.append)
        database = Database(None)
        for _ in range(2):
            with database.writing():
                now[0] += 1
        assert pauses == []
        database.close()

    def test_one_process_at_a_time_embeds_for_a_file(self, opened: Database, path: Path) -> None:
        other = Database(path)
        with opened.claim_shares([2], 4) as shares, other.claim_shares([1], 4) as refused:
            assert (shares, refused) == ([2], ())
            with other.claim_shares([], 4) as nothing:
                assert nothing == []
        with other.claim_shares([1], 4) as shares:
            assert shares == [1]
        other.close()

    def test_waiting_for_a_write_takes_the_whole_time(self, opened: Database, monkeypatch: pytest.MonkeyPatch) -> None:
        pauses: list[float] = []
        monkeypatch.setattr(time, "sleep", pauses.append)
        assert opened.wait_for_write(3.5) is True
        assert pauses == [3.5]

    def test_a_log_that_sqlite_refuses_to_truncate_stays(
        self, opened: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def refuse(self: Connection, statements: str, *more: Any) -> Any:
            raise apsw.BusyError("database is locked")

        with monkeypatch.context() as patched:
            patched.setattr(Connection, "execute", refuse)
            assert opened.truncate_log(1) is False
        assert patience(opened) == WRITE_TIMEOUT_MS

    def test_truncating_the_log_waits_as_long_as_told(self, path: Path, waits: list[int]) -> None:
        database = Database(path)
        waits.clear()
        assert database.truncate_log(7)
        assert waits == [7, WRITE_TIMEOUT_MS]
        database.close()

    def test_truncating_the_log_of_a_busy_file_fails(self, opened: Database, path: Path) -> None:
        holder = apsw.Connection(str(path))
        holder.execute("BEGIN IMMEDIATE")
        assert opened.truncate_log(1) is False
        assert patience(opened) == WRITE_TIMEOUT_MS
        holder.close()
        assert opened.truncate_log(1) is True


def test_the_first_row_is_read_and_no_statement_is_left_open(opened: Database) -> None:
    for value in (1, 2):
        insert(opened, value)
    with opened.reading() as db:
        assert first(db.execute("SELECT x FROM t ORDER BY x")) == (1,)
        assert first(db.execute("SELECT x FROM t WHERE x > 2")) is None


def test_the_sequence_counts_by_one(opened: Database) -> None:
    with opened.writing() as db:
        db.execute("CREATE TABLE sequence (value)")
        db.execute("INSERT INTO sequence VALUES (4)")
        assert [next_seq(db), next_seq(db)] == [5, 6]


class Noting:
    """A lock that counts how often it was taken."""

    def __init__(self) -> None:
        self.taken = 0

    def __enter__(self) -> None:
        self.taken += 1

    def __exit__(self, *error: object) -> None:
        pass


def test_threads_take_turns(opened: Database) -> None:
    noting = Noting()
    opened._lock = noting  # type: ignore[assignment]
    for use in (opened.reading, opened.reading_once, opened.writing):
        with use():
            pass
    assert noting.taken == 3
    with opened.bulk():
        assert noting.taken == 4
    opened.truncate_log(1)
    opened.close()
    assert noting.taken == 7
    with pytest.raises(SatchelError):
        opened.truncate_log(1)


def test_a_lost_ledger_is_not_opened(opened: Database, path: Path) -> None:
    path.with_name("ledger.made").write_bytes(b"made")
    path.unlink()
    with pytest.raises(Corrupt) as lost:
        Database(path)
    assert lost.value.code == "ledger_lost"


@pytest.mark.parametrize("error", [apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError, apsw.IOError])
def test_a_file_that_cannot_be_opened_for_writing_is_read(
    opened: Database, path: Path, monkeypatch: pytest.MonkeyPatch, error: type[apsw.Error]
) -> None:
    class Failing(Connection):
        def __init__(self, name: str, **options: Any) -> None:
            if "mode=ro" not in name:
                raise error("failing disk")
            super().__init__(name, **options)

    with monkeypatch.context() as patched:
        patched.setattr(module, "Connection", Failing)
        late = Database(path)
        assert (late.read_only, rows(late)) == (True, [])
        with late.reading(), pytest.raises(Unavailable) as refused, late.writing():
            pass
        assert refused.value.code == "io_error"
        for _ in range(3):
            with pytest.raises(Unavailable):
                insert(late, 1)
    insert(late, 1)
    assert rows(late) == [1]
    late.close()


@pytest.mark.parametrize("error", [apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError])
def test_a_file_is_read_without_shared_memory_whatever_sqlite_calls_it(
    opened: Database, path: Path, monkeypatch: pytest.MonkeyPatch, error: type[apsw.Error]
) -> None:
    opened.close()

    class Failing(Connection):
        def __init__(self, name: str, **options: Any) -> None:
            if "immutable" not in name:
                raise error("no shared memory")
            super().__init__(name, **options)

    monkeypatch.setattr(module, "Connection", Failing)
    connection = connect_for_reading(path)
    assert connection.execute("SELECT count(*) FROM t").get == 0
    connection.close()
