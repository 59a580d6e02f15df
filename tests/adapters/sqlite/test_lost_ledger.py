"""A ledger that was lost is damage, and never an empty store."""

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.errors import Corrupt
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
