"""Receipts: any change to one is found, and none repeats the text of a memory."""

import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from satchel.interfaces.cli.main import main
from tests.faults.extent import extent
from tests.security.canaries import MINE, STOCK
from tests.security.cases import BY_NAME, CASES, as_operator, filled_in
from tests.security.conftest import Stock, open_session

SEED = 20_261_116


@pytest.fixture(scope="module")
def used(stock: Stock, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the filled store, with the receipts of every operation."""
    copied = stock.copy(tmp_path_factory.mktemp("used") / "home")
    session = open_session(copied)
    with closing(session):
        for name, calls in CASES.items():
            for call in calls:
                as_operator(session, BY_NAME[name], filled_in(call, stock.mine.ids), MINE)
    return copied


@pytest.fixture
def home(used: Path, tmp_path: Path) -> Path:
    """A copy of it to tamper with."""
    return Path(shutil.copytree(used, tmp_path / "home"))


def tamperings(count: int) -> Iterator[str]:
    """Yield statements that change one receipt, remove some, or move them; `count` is how many there are."""
    pick = random.Random(SEED)
    for _ in range(extent((6,), (60,))[0]):
        seq, other = pick.sample(range(1, count + 1), 2)
        yield f"UPDATE receipts SET body = replace(body, '{pick.choice('aeio')}', 'x') WHERE seq = {seq}"
        yield f"UPDATE receipts SET at = at {pick.choice('+-')} {pick.randint(1, 10**9)} WHERE seq = {seq}"
        yield f"UPDATE receipts SET digest = (SELECT digest FROM receipts WHERE seq = {other}) WHERE seq = {seq}"
        yield f"UPDATE receipts SET link = upper(link) WHERE seq = {seq}"
        yield f"UPDATE receipts SET operation = 'nothing' WHERE seq = {seq}"
        yield f"DELETE FROM receipts WHERE seq = {seq}"
        yield f"DELETE FROM receipts WHERE seq >= {seq}"
        yield f"UPDATE receipts SET seq = CASE seq WHEN {seq} THEN -1 ELSE seq END WHERE seq = {seq}"
        yield (
            "INSERT INTO receipts (digest, operation, at, duration_ms, body, link)"
            f" SELECT digest, operation, at, duration_ms, body, link FROM receipts WHERE seq = {seq}"
        )


def test_every_tampering_is_found(home: Path) -> None:
    session = open_session(home)
    with closing(session), closing(apsw.Connection(str(home / "ledger.sqlite3"))) as connection:
        verify = session.memory.maintenance.receipts_verify
        assert verify().result.broken_at is None
        count = connection.execute("SELECT count(*) FROM receipts").get
        connection.execute("CREATE TEMP TABLE untouched AS SELECT * FROM receipts")
        missed = []
        for statement in tamperings(count):
            connection.execute(statement)
            if verify().result.broken_at is None:
                missed.append(statement)
            connection.execute("DELETE FROM receipts; INSERT INTO receipts SELECT * FROM untouched")
        assert verify().result.broken_at is None
    assert missed == []


def test_a_tampered_store_fails_the_command(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["receipts", "verify", "--home", str(home)]) == 0
    with closing(apsw.Connection(str(home / "ledger.sqlite3"))) as connection:
        connection.execute("UPDATE receipts SET at = at + 1 WHERE seq = 2")
    assert main(["receipts", "verify", "--home", str(home)]) == 1
    assert "receipt 2 is not intact" in capsys.readouterr().out


def test_no_receipt_repeats_a_memory(home: Path) -> None:
    with closing(apsw.Connection(str(home / "ledger.sqlite3"))) as connection:
        rows: list[Any] = connection.execute("SELECT operation, body FROM receipts").fetchall()

    assert len({operation for operation, _ in rows}) > 30
    assert [row for row in rows if STOCK in row[1] or "zqcanary" in row[1]] == []
