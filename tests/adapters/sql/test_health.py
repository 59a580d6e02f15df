"""What doctor says of a ledger that can only be read."""

from pathlib import Path

import pytest

from satchel.adapters.sql.health import check_records
from satchel.adapters.sqlite.database import Database
from satchel.adapters.sqlite.disk_errors import disk_full
from satchel.adapters.sqlite.ledger import SqliteLedger


def full_text_finding(ledger: SqliteLedger) -> tuple[str, str, str]:
    (found,) = [one for one in check_records(ledger.database, fix=False) if one.check == "full text"]
    return found.status, found.message, found.fix


def test_a_full_disk_is_named_where_the_full_text_cannot_be_examined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = SqliteLedger(tmp_path / "ledger.sqlite3")
    # As on a full disk, where the store can only be opened for reading.
    monkeypatch.setattr(ledger.database, "read_only", True)

    def full(self: Database) -> None:
        raise disk_full(self.path)

    monkeypatch.setattr(Database, "_open_for_writing", full)
    status, message, fix = full_text_finding(ledger)
    assert (status, message.startswith("not examined: the disk is full"), fix) == ("warning", True, "free some space")
    ledger.close()


def test_a_store_that_is_to_be_read_only_needs_no_repair(tmp_path: Path) -> None:
    SqliteLedger(tmp_path / "ledger.sqlite3").close()
    ledger = SqliteLedger(tmp_path / "ledger.sqlite3", read_only=True)
    assert full_text_finding(ledger) == ("warning", "not examined: the store is read-only", "")
    ledger.close()
