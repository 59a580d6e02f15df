"""A connection to a ledger file: how it waits for the lock of another."""

import time
from pathlib import Path

import apsw
import pytest

from satchel.adapters.sqlite.connection import LOOK_SECONDS, Connection


def test_it_looks_for_the_lock_every_few_milliseconds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    holder, waiting = Connection(path), Connection(path)
    holder.execute("BEGIN IMMEDIATE")
    waiting.set_busy_timeout(60_000)
    slept = list[float]()

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 40:
            holder.execute("COMMIT")

    monkeypatch.setattr(time, "sleep", sleep)
    waiting.execute("BEGIN IMMEDIATE")

    assert slept == [LOOK_SECONDS] * 40
    waiting.close()
    holder.close()


def test_its_patience_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    holder, waiting = Connection(path), Connection(path)
    holder.execute("BEGIN IMMEDIATE")
    waiting.set_busy_timeout(100)
    now = [7.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", sleep)
    # Each wait starts again.
    for _ in range(2):
        began = now[0]
        with pytest.raises(apsw.BusyError):
            waiting.execute("BEGIN IMMEDIATE")
        assert now[0] - began == pytest.approx(0.1, abs=2 * LOOK_SECONDS)
    waiting.close()
    holder.close()
