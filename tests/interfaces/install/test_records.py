"""Records of installations: kept in the store's folder, and locked against others meanwhile."""

import stat
import threading
from pathlib import Path

from satchel.interfaces.install.records import FileRecord, InstallRecord, Records, RecordsFolder, SwitchRecord

COPY = "0123456789ab-config.toml"
RECORD = InstallRecord("codex", "user", "/home/me/.codex", (FileRecord(0, "/home/me/.codex/config.toml", "d", COPY),))


def test_records_are_private_and_read_back(home: Path) -> None:
    kept = RecordsFolder(home)
    records = Records((RECORD,), SwitchRecord(False))
    with kept.locked():
        kept.save(records)
        name = kept.back_up("config.toml", b"before")

    assert kept.load() == records
    assert kept.backup(name) == b"before"
    assert kept.backup("../config.toml") is None
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept.folder.iterdir()} == {0o600}
    assert stat.S_IMODE(kept.folder.stat().st_mode) == 0o700


def test_copies_that_nobody_needs_are_removed(home: Path) -> None:
    kept = RecordsFolder(home)
    kept.save(Records((RECORD,)))
    (kept.folder / COPY).write_bytes(b"")
    kept.back_up("other", b"x")

    kept.clean(kept.load())
    assert sorted(path.name for path in kept.folder.iterdir()) == [COPY, "installs.json"]
    kept.clean(Records())
    assert not kept.folder.exists()


def test_files_of_others_stay(home: Path) -> None:
    """A store may be made in a folder that has a folder of this name."""
    kept = RecordsFolder(home)
    kept.save(Records((RECORD,)))
    (kept.folder / "setup.sh").touch()
    (kept.folder / "programs").mkdir()

    kept.clean(Records())
    assert sorted(path.name for path in kept.folder.iterdir()) == ["programs", "setup.sh"]


def test_a_folder_that_is_removed_while_one_waits_for_it_is_made_again(home: Path) -> None:
    kept = RecordsFolder(home)
    waiting, done = threading.Event(), threading.Event()

    def wait_for_the_lock() -> None:
        waiting.set()
        with kept.locked():
            kept.save(Records((RECORD,)))
        done.set()

    with kept.locked():
        other = threading.Thread(target=wait_for_the_lock)
        other.start()
        waiting.wait()
        assert not done.is_set()
        kept.clean(Records())
    other.join()
    assert kept.load() == Records((RECORD,))
