"""`satchel worker` over a store in a file: it embeds what waits, one worker at a time, until it is stopped."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from satchel.adapters.sqlite.embedding_lock import embedding_lock
from satchel.app import Satchel
from satchel.config import load
from satchel.interfaces.cli.main import main
from satchel.locations import LEDGER

# How often something is looked for that happens soon. A failure takes this many waits of a twentieth of a second.
PATIENCE = 1_200


@pytest.fixture
def opened(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Satchel]:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"})) as memory:
        yield memory


def waiting(opened: Satchel) -> int:
    return opened.maintenance.stats(all_scopes=True).result.embeddings_waiting


@contextmanager
def worker() -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "satchel", "worker"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ.copy()) as process:
        try:
            yield process
        finally:
            process.kill()


def test_once_embeds_what_waits_and_keeps_a_receipt(opened: Satchel) -> None:
    opened.store("We ship on Thursdays")
    opened.episodes.add(text="The walrus lives in the harbour", session="one")
    assert main(["worker", "--once"]) == 0
    assert waiting(opened) == 0
    assert opened.parts.ledger.passages.vectors.backlog(None) == (0, 0)
    (kept,) = opened.parts.ledger.receipts.recent(10, "worker")
    assert kept.body["decided"] == {"made": 2, "skipped": {}}
    assert main(["worker", "--once"]) == 0
    assert len(opened.parts.ledger.receipts.recent(10, "worker")) == 1


def test_what_another_process_embeds_is_left_to_it(opened: Satchel, home: Path) -> None:
    opened.store("We ship on Thursdays")
    with embedding_lock(home / LEDGER) as locked:
        assert locked
        assert main(["worker", "--once"]) == 0
        assert waiting(opened) == 1
    assert main(["worker", "--once"]) == 0
    assert waiting(opened) == 0


def test_it_embeds_what_is_stored_later_and_ends_when_told(opened: Satchel) -> None:
    with worker() as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("satchel worker: working for ")
        opened.store("We ship on Thursdays")
        for _ in range(PATIENCE):
            if not waiting(opened):
                break
            threading.Event().wait(0.05)
        assert waiting(opened) == 0
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_it_ends_when_the_store_was_replaced(opened: Satchel, home: Path) -> None:
    with worker() as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("satchel worker: working for ")
        copy = home / "copy"
        copy.write_bytes((home / LEDGER).read_bytes())
        copy.replace(home / LEDGER)
        assert process.wait(60) == 1
        assert process.stderr.readline() == "satchel worker: the store is gone or was replaced\n"


def test_a_read_only_store_has_no_worker(
    opened: Satchel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SATCHEL_READ_ONLY", "true")
    assert main(["worker", "--once"]) != 0
    assert "read_only is set" in capsys.readouterr().err


def test_it_works_on_this_machine_only(
    opened: Satchel, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SATCHEL_URL", "https://memory.example.com")
    assert main(["worker"]) != 0
    assert "worker works on this machine only" in capsys.readouterr().err
