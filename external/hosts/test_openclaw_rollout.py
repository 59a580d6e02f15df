"""A rollout into OpenClaw itself, whose gateway runs all the while and follows each switch of its memory slot."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.writeback.foreign import TABLE, make_table, read_table, row

from external.hosts.openclaw_host import OpenClaw, OpenClawModel
from external.hosts.scratch import SATCHEL, Scratch, eventually

BEFORE = "memory-core"
TEXT = "The canteen closes at three."


@pytest.fixture
def openclaw(tmp_path: Path) -> Iterator[OpenClaw]:
    """A running gateway with its own plugin in the memory slot."""
    scratch = Scratch(tmp_path / "home")
    scratch.home.mkdir()
    with OpenClawModel() as model:
        openclaw = OpenClaw(scratch, model)
        openclaw.configure(BEFORE)
        try:
            openclaw.start()
            yield openclaw
        finally:
            openclaw.kill()
            scratch.clean_up()


@pytest.fixture
def table(openclaw: OpenClaw) -> Path:
    """A table of the plugin before, whose memories are in the store too."""
    folder = openclaw.scratch.home / "lancedb"
    make_table(folder, [row("00000000-0000-4000-8000-000000000001", TEXT)])
    openclaw.scratch.satchel("import", str(folder), "--yes")
    openclaw.scratch.satchel("grade", "--all-scopes")
    return folder


def _rollout(openclaw: OpenClaw, *arguments: str) -> tuple[int, Any]:
    """Run `satchel rollout` as the person does who runs this OpenClaw; return the exit code and the answer."""
    done = subprocess.run(
        [str(SATCHEL), "--json", "rollout", *arguments],
        env=openclaw.variables,
        cwd=openclaw.scratch.home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def _serves(openclaw: OpenClaw) -> bool:
    """Return whether the gateway performs Satchel's tools; its own plugin has no tool to store."""
    try:
        return openclaw.invoke("memory_store", {"text": "The kettle is new."})[0] == 200
    except OSError:  # it restarts
        return False


def test_a_rollout_follows_its_stages_in_a_running_gateway(openclaw: OpenClaw, table: Path) -> None:
    before = openclaw.configuration.read_bytes()
    assert not _serves(openclaw)

    assert _rollout(openclaw, "stage", "a", "--lancedb", str(table), "--table", TABLE)[0] == 0
    assert _rollout(openclaw, "run")[0] == 0
    (written,) = read_table(table).values()
    assert written["importance_label"] and written["text"] == TEXT

    code, canary = _rollout(openclaw, "stage", "b", "--force")
    assert code == 0 and canary["result"]["canary"]["problems"] == [], canary
    assert openclaw.configuration.read_bytes() == before

    assert _rollout(openclaw, "stage", "c", "--force")[0] == 0
    assert eventually(lambda: _serves(openclaw)), openclaw.log.read_text(encoding="utf-8")[-4_000:]
    assert _rollout(openclaw, "run")[0] == 0

    assert _rollout(openclaw, "back")[0] == 0
    assert openclaw.configuration.read_bytes() == before
    assert eventually(lambda: not _serves(openclaw))


def test_a_live_rollout_whose_recalls_fail_gives_the_slot_back(openclaw: OpenClaw) -> None:
    before = openclaw.configuration.read_bytes()
    assert _rollout(openclaw, "stage", "c", "--force")[0] == 0
    assert eventually(lambda: _serves(openclaw))
    # Port 9 discards; nobody listens there, so that every recall is by words alone.
    for name, value in {"provider": "openai", "url": "http://127.0.0.1:9/v1"}.items():
        openclaw.scratch.satchel("config", "set", f"embedding.{name}", value)

    code, run = _rollout(openclaw, "run")

    assert code == 1 and "fail" in run["result"]["problems"][0], run
    assert openclaw.configuration.read_bytes() == before
    assert eventually(lambda: not _serves(openclaw))
    status = _rollout(openclaw, "status")[1]["result"]
    assert (status["slot"], status["stepped_down"] != "") == (BEFORE, True)
