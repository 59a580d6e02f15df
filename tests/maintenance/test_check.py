"""The quick check of a real store."""

from pathlib import Path

from satchel.app import Satchel


def test_a_new_store_is_healthy(memory: Satchel) -> None:
    memory.store("the walrus sleeps")
    found = memory.maintenance.check().result

    assert found.healthy
    by_check = {one.check: one for one in found.findings}
    assert by_check["embeddings"].message.startswith("1 text without a vector yet")
    assert by_check["forgotten memories"].status == "ok"


def test_files_that_others_can_read_are_reported(memory: Satchel, home: Path) -> None:
    (home / "ledger.sqlite3").chmod(0o644)

    found = memory.maintenance.check().result

    assert {one.check: one.status for one in found.findings}["permissions"] == "warning"


def test_nothing_is_written(memory: Satchel) -> None:
    assert not memory.maintenance.check().receipt.kept
