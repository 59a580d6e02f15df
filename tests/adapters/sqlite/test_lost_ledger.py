"""A ledger that was lost is damage, and never an empty store."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from satchel.adapters.sqlite.lost_ledger import check_not_lost, mark_made
from satchel.app import Satchel
from satchel.config import load
from satchel.errors import Corrupt
from satchel.wiring.store_path import store_exists
from tests.tables import each_case


@pytest.fixture
def used(home: Path) -> Path:
    """A store with one memory that is still in the write-ahead log, and the ledger's file lost later."""
    with Satchel.open(home) as memory:
        memory.store("We ship on Thursdays")
        # As a kill leaves it: closing would have moved the log into the ledger.
        log = (home / "ledger.sqlite3-wal").read_bytes()
    (home / "ledger.sqlite3-wal").write_bytes(log)
    return home


def contents(home: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file()}


@each_case(
    ("lose", "read_only", "also_lost", "tells_of_log"),
    [
        (lambda ledger: ledger.unlink(), False, None, True),
        (lambda ledger: ledger.unlink(), True, None, True),
        (lambda ledger: ledger.write_bytes(b""), False, None, True),
        (lambda ledger: ledger.write_bytes(b""), True, None, True),
        (lambda ledger: ledger.unlink(), False, "ledger.sqlite3-wal", False),
        (lambda ledger: ledger.write_bytes(b""), False, "ledger.sqlite3-wal", False),
        (lambda ledger: ledger.unlink(), False, "ledger.sqlite3.made", True),
        (lambda ledger: ledger.write_bytes(b""), True, "ledger.sqlite3.made", True),
        # SQLite takes one byte for an empty file too, and would remove the log.
        (lambda ledger: ledger.write_bytes(b"\0"), False, None, True),
        (lambda ledger: ledger.write_bytes(b"x"), False, "ledger.sqlite3-wal", False),
    ],
)
def test_a_lost_ledger_is_damage_and_nothing_is_written(
    used: Path, lose: Callable[[Path], object], read_only: bool, also_lost: str | None, tells_of_log: bool
) -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder) / "lost"
        shutil.copytree(used, home)
        lose(home / "ledger.sqlite3")
        if also_lost:
            (home / also_lost).unlink()
        before = contents(home)
        with pytest.raises(Corrupt, match="used before") as error:
            Satchel.open(settings=load(home=str(home), read_only=read_only))
        assert (error.value.code, "newest changes" in error.value.hint) == ("ledger_lost", tells_of_log)
        assert contents(home) == before


@each_case("sign", ["index/memories.lance", "spool/archive"])
def test_a_folder_that_shows_signs_of_use_has_lost_its_ledger(sign: str) -> None:
    """Also when every file named for the ledger is gone."""
    with TemporaryDirectory() as folder:
        (Path(folder) / sign).mkdir(parents=True)
        with pytest.raises(Corrupt) as error:
            Satchel.open(Path(folder))
        assert (error.value.code, error.value.hint) == (
            "ledger_lost",
            f"restore it from a backup; to begin an empty store, remove {sign} as well",
        )
        assert contents(Path(folder)) == {}
        check_not_lost(Path(folder) / "other.sqlite3")


def test_a_ledger_whose_creation_was_interrupted_is_created(home: Path) -> None:
    home.mkdir()
    (home / "ledger.sqlite3").touch()
    with Satchel.open(home) as memory:
        assert memory.store("a").result.action == "created"


def test_an_older_store_is_marked_when_it_is_opened(home: Path) -> None:
    Satchel.open(home).close()
    (home / "ledger.sqlite3.made").unlink()
    Satchel.open(settings=load(home=str(home), read_only=True)).close()
    assert not (home / "ledger.sqlite3.made").exists()
    Satchel.open(home).close()
    assert (home / "ledger.sqlite3.made").stat().st_mode & 0o777 == 0o600


def test_removing_the_marker_too_begins_an_empty_store(used: Path) -> None:
    for path in used.iterdir():
        path.unlink()
    with Satchel.open(used) as memory:
        assert memory.maintenance.stats().result.tally.memories == 0


def test_the_marker_explains_itself_and_is_not_written_twice(tmp_path: Path) -> None:
    ledger, marker = tmp_path / "ledger", tmp_path / "ledger.made"
    mark_made(ledger)
    assert b"restore the ledger from a backup" in marker.read_bytes()
    assert marker.stat().st_mode & 0o777 == 0o600
    marker.write_bytes(b"mine")
    mark_made(ledger)
    assert marker.read_bytes() == b"mine"
    # A disk that is full or read-only must not keep a ledger from being used.
    mark_made(tmp_path / "missing" / "ledger")


def test_marking_leaves_no_file_open(tmp_path: Path) -> None:
    before = len(list(Path("/dev/fd").iterdir()))
    mark_made(tmp_path / "ledger")
    assert len(list(Path("/dev/fd").iterdir())) == before


@each_case(
    ("files", "is_lost"),
    [
        ({}, False),
        ({"ledger": b""}, False),
        ({"ledger": b"xy", "ledger.made": b"x", "ledger-wal": b"x"}, False),
        ({"ledger": b"x"}, False),
        ({"ledger": b"x", "ledger-wal": b"x"}, True),
        ({"ledger.made": b""}, False),
        ({"ledger-wal": b""}, False),
        ({"ledger.made": b"x"}, True),
        ({"ledger": b"", "ledger.made": b"x"}, True),
        ({"ledger-wal": b"x"}, True),
        ({"ledger": b"", "ledger-wal": b"x"}, True),
        ({"ledger": b"", "ledger-wal": b"", "ledger.made": b"x"}, True),
    ],
)
def test_a_ledger_is_lost_if_something_says_that_it_was_there(files: dict[str, bytes], is_lost: bool) -> None:
    with TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        if not is_lost:
            check_not_lost(Path(folder) / "ledger")
            return
        with pytest.raises(Corrupt) as lost:
            check_not_lost(Path(folder) / "ledger")
        assert lost.value.code == "ledger_lost"
        assert ("missing" in lost.value.message) == ("ledger" not in files)
        assert ("newest changes" in lost.value.hint) == bool(files.get("ledger-wal"))


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_not_a_file_is_not_opened(tmp_path: Path, make: Callable[[Path], object]) -> None:
    """Opening a pipe would wait for ever."""
    make(tmp_path / "ledger.sqlite3")
    with pytest.raises(Corrupt, match="not a file") as error:
        Satchel.open(tmp_path)
    assert error.value.code == "ledger_lost"
    assert [path.name for path in tmp_path.iterdir()] == ["ledger.sqlite3"]


@each_case("content", [b"", b"x"])
def test_a_store_with_an_empty_ledger_does_not_count_as_one(content: bytes) -> None:
    """'satchel open' would start a server for it, which then cannot say why it did not start."""
    with TemporaryDirectory() as folder:
        ledger = Path(folder) / "ledger.sqlite3"
        mark_made(ledger)
        ledger.write_bytes(content)
        with pytest.raises(Corrupt) as error:
            store_exists(load(home=folder))
        assert error.value.code == "ledger_lost"
