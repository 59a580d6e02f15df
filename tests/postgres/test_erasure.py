"""A forget is proven by every table of the store, and says what no search can see."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.postgres.database import PostgresDatabase
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.erasure import ErasureCheck
from satchel.interfaces.cli.main import main

TEXT = "The walrus Wilhelmina lives behind the third warehouse"


@pytest.fixture
def memory(address: str, tmp_path: Path) -> Iterator[Satchel]:
    settings = load(home=str(tmp_path), ledger=address, embedding={"provider": "hashing"})
    with Satchel.open(settings=settings) as opened:
        yield opened


def forget(memory: Satchel) -> ErasureCheck:
    check = memory.forget(memory.store(TEXT).result.id, verify=True).result.check
    assert check is not None
    return check


def database_of(memory: Satchel) -> PostgresDatabase:
    found = memory.parts.ledger.database  # type: ignore[attr-defined]
    assert isinstance(found, PostgresDatabase)
    return found


def test_a_forgotten_text_is_in_no_table(memory: Satchel) -> None:
    check = forget(memory)
    assert check.proves
    assert (check.found_before > 0, check.found_after) == (True, ())
    with database_of(memory).reading() as db:
        assert check.tables == db.execute("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").get
    assert "write-ahead log" in str(check.unseen)


@pytest.mark.parametrize(
    ("kind", "value"),
    [("TEXT", TEXT), ("BLOB", TEXT.encode()), ("TEXT", f"so: {TEXT[:32]}")],
    ids=["text", "bytes", "part"],
)
def test_a_text_that_is_left_anywhere_is_found(memory: Satchel, kind: str, value: object) -> None:
    with database_of(memory).writing() as db:
        db.execute(f"CREATE TABLE leftover (number INTEGER, value {kind})")
        db.execute("INSERT INTO leftover VALUES (1, ?)", (value,))
    check = forget(memory)
    assert (check.proves, check.found_after) == (False, ("table leftover",))


def test_the_command_succeeds_and_says_what_it_cannot_see(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(tmp_path))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    monkeypatch.setenv("SATCHEL_STORE", address)
    assert main(["store", TEXT]) == 0
    id = capsys.readouterr().out.split()[1]
    assert main(["forget", id, "--verify"]) == 0
    said = capsys.readouterr().out
    assert " tables (" in said and "in none now" in said
    assert "not searched: rows that the server has deleted" in said


def test_doctor_does_not_advise_a_backup_of_files(memory: Satchel) -> None:
    (finding,) = [one for one in memory.maintenance.doctor().result.findings if one.check == "backup"]
    assert (finding.status, "satchel backup" in finding.fix, "pg_dump" in finding.fix) == ("ok", False, True)
