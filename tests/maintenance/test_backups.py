"""A backup has everything that a store cannot derive, is verified, and becomes a store again."""

import json
import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.backup import BackedUp, BackupRestored, BackupSchedule
from satchel.errors import Conflict, Corrupt, InvalidRequest, NewerStore, SatchelError
from satchel.maintenance.doctor import backup_finding
from satchel.os_calls import lock_folder
from satchel.wiring.backup import restore_backup
from tests.faults.extent import extent
from tests.tables import each_case, fresh_folder

DAY_MS = 86_400_000


def make(memory: Satchel, path: Path, **options: Any) -> BackedUp:
    made = memory.backups.make(str(path), **options).result
    assert isinstance(made, BackedUp)
    return made


def restore(path: Path, home: Path, *, replace: bool = False, passphrase_file: str | None = None) -> BackupRestored:
    settings = Settings(home=str(home))
    done = restore_backup(
        settings,
        str(path),
        actor="test",
        passphrase_file=passphrase_file,
        replace=replace,
        stamp="now",
        progress=lambda done, total, what: None,
    )
    assert done.receipt.kept
    return done.result


def capture(memory: Satchel, text: str) -> None:
    memory.observations.capture(json.dumps({"id": text[:12], "tool_name": "Bash", "text": text}))


class TestMaking:
    def test_the_restored_store_has_memories_events_and_artifacts(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        capture(memory, "walrus " * 5_000)
        memory.observations.ingest()
        capture(memory, "the build passed")

        made = make(memory, tmp_path / "all.backup")
        restored = restore(tmp_path / "all.backup", tmp_path / "other")

        assert (made.encrypted, made.contents.memories) == (False, 1)
        assert restored.contents == made.contents
        with Satchel.open(tmp_path / "other") as other:
            assert [one.text for one in other.memories.list().result.memories] == ["We ship on Thursdays"]
            assert other.observations.ingest().result.inserted == 1
            found = other.observations.search("walrus").result.hits[0].id
            assert "walrus walrus" in str(other.observations.artifacts_show(found).result)
            assert other.maintenance.doctor().result.healthy

    def test_the_key_of_signed_exports_is_part_of_it(self, memory: Satchel, tmp_path: Path) -> None:
        memory.transfer.export(str(tmp_path / "all.jsonl"), redact=False, sign=True)
        make(memory, tmp_path / "all.backup")
        restore(tmp_path / "all.backup", tmp_path / "other")

        keys = [Path(home, "export-key").read_bytes() for home in (memory.parts.files.folder, tmp_path / "other")]
        assert keys[0] == keys[1]

    def test_the_file_is_private_one_and_kept_in_the_receipts(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        folder = fresh_folder(tmp_path)

        made = memory.backups.make(str(folder / "all.backup"))

        assert [(one.name, one.stat().st_mode & 0o777) for one in folder.iterdir()] == [("all.backup", 0o600)]
        assert made.receipt.kept
        assert list((tmp_path / "home").glob(".backup.*")) == []

    def test_writers_go_on_meanwhile_and_the_copy_is_one_state(self, memory: Satchel, tmp_path: Path) -> None:
        for number in range(20):
            memory.store(f"walrus number {number} of the herd")
        other = Satchel.open(settings=Settings(home=str(tmp_path / "home")))
        stored: list[str] = []

        def write(done: int, total: int, what: str) -> None:
            # Called between the steps of the copy.
            if what == "copying" and not stored:
                thread = threading.Thread(target=lambda: stored.append(other.store("in between").result.id))
                thread.start()
                thread.join()

        made = make(memory, tmp_path / "all.backup", progress=write)
        other.close()

        assert (len(stored), made.contents.memories, made.contents.seq) == (1, 20, 20)

    def test_an_existing_file_is_replaced_only_with_force(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        target = tmp_path / "all.backup"
        target.write_text("mine")

        with pytest.raises(Conflict):
            make(memory, target)
        assert target.read_text() == "mine"
        assert make(memory, target, force=True).bytes == target.stat().st_size

    @each_case("path", ["-", "home/x.backup", "nowhere/x.backup", "", "\0"])
    def test_a_bad_path_is_refused(self, memory: Satchel, tmp_path: Path, path: str) -> None:
        with pytest.raises(SatchelError):
            memory.backups.make(path if path in ("-", "", "\0") else str(tmp_path / path))

    def test_every_prints_lines_and_makes_nothing(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")

        planned = memory.backups.make(str(tmp_path / "50% of all.backup"), every="day").result

        assert isinstance(planned, BackupSchedule)
        assert planned.cron.startswith("17 3 * * * ")
        assert "50\\% of all.backup' --force" in planned.cron
        assert "50%% of all.backup" in planned.systemd_service
        assert "OnCalendar=daily" in planned.systemd_timer
        assert not list(tmp_path.glob("*.backup"))


class TestRestoring:
    def test_a_store_is_replaced_only_if_wanted_and_kept_aside(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        make(memory, tmp_path / "all.backup")
        with Satchel.open(tmp_path / "other") as other:
            other.store("Ann likes tea")
            capture(other, "an event of the other store")

        with pytest.raises(Conflict) as refused:
            restore(tmp_path / "all.backup", tmp_path / "other")
        restored = restore(tmp_path / "all.backup", tmp_path / "other", replace=True)

        assert refused.value.code == "store_exists"
        assert texts(tmp_path / "other") == ["We ship on Thursdays"]
        assert restored.replaced is not None
        assert texts(Path(restored.replaced)) == ["Ann likes tea"]
        assert list(Path(restored.replaced).glob("spool/*.jsonl"))

    def test_a_damaged_ledger_is_replaced_and_kept_aside(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        make(memory, tmp_path / "all.backup")
        ledger = tmp_path / "other" / "ledger.sqlite3"
        ledger.parent.mkdir()
        ledger.write_bytes(b"no database any more")

        restored = restore(tmp_path / "all.backup", tmp_path / "other", replace=True)

        assert texts(tmp_path / "other") == ["We ship on Thursdays"]
        assert (Path(restored.replaced or "") / ledger.name).read_bytes() == b"no database any more"

    def test_a_log_without_its_ledger_is_not_applied_to_the_restored_one(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        make(memory, tmp_path / "all.backup")
        log = tmp_path / "other" / "ledger.sqlite3-wal"
        log.parent.mkdir()
        log.write_bytes((tmp_path / "home" / "ledger.sqlite3-wal").read_bytes())

        with pytest.raises(Conflict):
            restore(tmp_path / "all.backup", tmp_path / "other")
        restored = restore(tmp_path / "all.backup", tmp_path / "other", replace=True)

        assert texts(tmp_path / "other") == ["We ship on Thursdays"]
        assert (Path(restored.replaced or "") / log.name).exists()

    def test_an_abandoned_work_folder_is_removed_and_one_in_use_is_not(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        used, abandoned = tmp_path / "home" / ".backup.used", tmp_path / "home" / ".backup.left"
        for folder in (used, abandoned):
            folder.mkdir()
            (folder / "ledger.sqlite3").write_text("half a copy")
        handle = lock_folder(used)

        memory.maintenance.doctor(fix=True)
        os.close(handle)

        assert (used.exists(), abandoned.exists()) == (True, False)

    def test_a_store_in_use_is_not_replaced(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        make(memory, tmp_path / "all.backup")

        with pytest.raises(Conflict) as refused:
            restore(tmp_path / "all.backup", tmp_path / "home", replace=True)

        assert (refused.value.code, "satchel serve --stop" in refused.value.hint) == ("busy", True)
        assert memory.memories.count() == 1

    def test_settings_stay_where_they_are(self, memory: Satchel, tmp_path: Path) -> None:
        memory.store("We ship on Thursdays")
        (tmp_path / "home" / "config.toml").write_text("[recall]\nlimit = 9\n")
        make(memory, tmp_path / "all.backup")
        other = tmp_path / "other"
        other.mkdir()
        (other / "config.toml").write_text("[recall]\nlimit = 7\n")

        restore(tmp_path / "all.backup", other)

        assert (other / "config.toml").read_text() == "[recall]\nlimit = 7\n"

    @each_case(
        "damage, error",
        [
            (lambda data: b"", InvalidRequest),
            (lambda data: b"not a backup at all", InvalidRequest),
            (lambda data: data[: len(data) // 2], Corrupt),
            (lambda data: data[:100], Corrupt),
            (lambda data: data[:5_000] + bytes(4_096) + data[9_096:], Corrupt),
            (lambda data: data[:68] + b"\0\0\0\1" + data[72:], InvalidRequest),
            (lambda data: data[:60] + b"\0\0\xff\xff" + data[64:], NewerStore),
        ],
    )
    def test_a_damaged_file_changes_nothing(
        self, memory: Satchel, tmp_path: Path, damage: Callable[[bytes], bytes], error: type[SatchelError]
    ) -> None:
        folder = fresh_folder(tmp_path)
        memory.store("We ship on Thursdays")
        make(memory, folder / "all.backup")
        (folder / "bad.backup").write_bytes(damage((folder / "all.backup").read_bytes()))

        with pytest.raises(error):
            restore(folder / "bad.backup", folder / "other")

        assert not (folder / "other").exists() or list((folder / "other").iterdir()) == []

    @each_case(
        "name", ["../out.jsonl", "/tmp/x", "config.toml", "spool/../../x.jsonl", "artifacts/zz/x", "spool/a\0.jsonl"]
    )
    def test_a_hostile_file_name_is_refused(self, memory: Satchel, tmp_path: Path, name: str) -> None:
        folder = fresh_folder(tmp_path)
        memory.store("We ship on Thursdays")
        make(memory, folder / "all.backup")
        with sqlite3.connect(folder / "all.backup") as db:
            digest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
            db.execute("INSERT INTO backup_files VALUES (?, ?, ?)", (name, digest, b""))
        db.close()

        with pytest.raises(InvalidRequest) as refused:
            restore(folder / "all.backup", folder / "other")

        assert refused.value.code == "not_a_backup"
        assert list((folder / "other").iterdir()) == []


class TestEncryption:
    def test_it_needs_its_extra(self, memory: Satchel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        from satchel.adapters import extras

        monkeypatch.setattr(extras, "BACKUP", replace(extras.BACKUP, modules=("no_such_module",)))
        (tmp_path / "key").write_text("correct horse battery")

        with pytest.raises(SatchelError) as refused:
            make(memory, tmp_path / "all.age", passphrase_file=str(tmp_path / "key"))

        assert (refused.value.code, "[backup]" in refused.value.hint) == ("missing_extra", True)
        assert not (tmp_path / "all.age").exists()

    def test_only_the_passphrase_opens_it(self, memory: Satchel, tmp_path: Path) -> None:
        pytest.importorskip("pyrage")
        memory.store("We ship on Thursdays")
        (tmp_path / "key").write_text("correct horse battery\r\nsecond line")
        (tmp_path / "wrong").write_text("correct horse staple")

        made = make(memory, tmp_path / "all.age", passphrase_file=str(tmp_path / "key"))

        assert made.encrypted
        assert b"Thursdays" not in (tmp_path / "all.age").read_bytes()
        # Deriving a key takes a second on purpose.
        refusals = [(None, "missing_param"), (str(tmp_path / "wrong"), "cannot_decrypt")]
        for wrong, code in extent(refusals[:1], refusals):
            with pytest.raises(InvalidRequest) as refused:
                restore(tmp_path / "all.age", tmp_path / "other", passphrase_file=wrong)
            assert refused.value.code == code
        restore(tmp_path / "all.age", tmp_path / "other", passphrase_file=str(tmp_path / "key"))
        assert texts(tmp_path / "other") == ["We ship on Thursdays"]

    def test_a_short_passphrase_is_refused(self, memory: Satchel, tmp_path: Path) -> None:
        pytest.importorskip("pyrage")
        (tmp_path / "key").write_text("short")
        with pytest.raises(InvalidRequest) as refused:
            make(memory, tmp_path / "all.age", passphrase_file=str(tmp_path / "key"))
        assert refused.value.code == "weak_passphrase"


def texts(home: Path) -> list[str]:
    with Satchel.open(home) as opened:
        return [one.text for one in opened.memories.list().result.memories]


@each_case(
    "last, status",
    [(None, "ok"), (100 * DAY_MS, "ok"), (71 * DAY_MS, "ok"), (60 * DAY_MS, "warning"), (200 * DAY_MS, "ok")],
)
def test_the_doctor_says_how_old_the_last_one_is(last: int | None, status: str) -> None:
    assert backup_finding(last, 101 * DAY_MS).status == status
