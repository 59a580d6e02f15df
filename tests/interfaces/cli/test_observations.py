"""The sidecar at the command line: each command says what it did, and following goes on until it is stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.interfaces.cli.said import Said


@pytest.fixture
def said(home: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(home, capsys)


def test_a_day_with_the_sidecar(said: Said, tmp_path: Path) -> None:
    event = json.dumps({"tool_name": "bash", "text": "We decided: never deploy on Fridays", "detail": {"n": 1}})
    assert "captured 1" in said("capture", event)
    said("capture", json.dumps({"text": "ok " * 5000}))
    assert "2 of 2 events taken in" in said("ingest")
    found = said("search", "deploy")
    id = found.split()[-1]
    assert "must_remember · untrusted" in found
    assert "bash: We decided" in said("timeline", id)
    assert "policy +0.40, decision +0.30" in said("get", id)
    long = said("search", "ok").split()[-1]
    assert "put aside as sha256:" in said("get", long)
    assert "bytes, tail" in said("artifacts", "show", long, "--part", "tail", "--max-chars", "50")
    assert "RAW BUFFER (2 of 2)" in said("observations", "show")
    said("store", "Mara prefers tea")
    assert "1 memories would be graded by heuristic-v1; nothing was written" in said("grade", "--dry-run")
    assert "nice_to_have 0.70: policy +0.40" in said("grade")
    assert "P1 after 90 days, P2 after 30 days" in said("lifecycle", "status")
    assert "0 of 3 records would be archived" in said("lifecycle", "run", "--dry-run")
    assert "0 of 3 records archived" in said("lifecycle", "run")
    assert "drawn to" in said("drift", "--svg", str(tmp_path / "drift.svg"))
    said("lifecycle", "revive", id, code=1)
    assert "erased from: ledger, spool" in said("forget", id, "--verify")
    assert "nothing found" in said("search", "deploy")


def test_json_gives_every_answer_whole(said: Said) -> None:
    said("capture", '{"text": "walrus"}\nbad', code=1)
    ingested = said.json("ingest")["result"]
    assert (ingested["inserted"], ingested["label_counts"]) == (
        1,
        {"must_remember": 0, "nice_to_have": 0, "ignore": 1, "unknown": 0},
    )
    assert [*said.json("search", "walrus")["result"]] == ["hits", "scope"]


def test_the_horizons_are_settings(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_LIFECYCLE_P2_DAYS", "7")
    assert "P2 after 7 days" in said("lifecycle", "status")


def test_following_takes_in_what_comes_until_it_is_stopped(home: Path) -> None:
    command = [sys.executable, "-m", "satchel", "--home", str(home)]
    # Whoever runs the tests in the background may have let them ignore the signal.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    follower = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"{listening}; from satchel.__main__ import run; run()",
            *command[3:],
            "ingest",
            "--follow",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        for number in range(3):
            subprocess.run([*command, "capture", json.dumps({"text": f"walrus {number}"})], check=True)
            end = time.monotonic() + 60
            while f"walrus {number}" not in _found(command):
                assert time.monotonic() < end and follower.poll() is None
    finally:
        os.kill(follower.pid, signal.SIGINT)
        _, errors = follower.communicate(timeout=60)
    assert (follower.returncode, b"stopped" in errors) == (130, True)


def _found(command: list[str]) -> str:
    return subprocess.run([*command, "search", "walrus"], capture_output=True, text=True, check=True).stdout
