"""Observations on the command line: capture, ingest, search, grading and lifecycle."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.interfaces.cli.cli_runner import CliRunner


@pytest.fixture
def satchel(home: Path, capsys: pytest.CaptureFixture[str]) -> CliRunner:
    return CliRunner(home, capsys)


def test_each_command_reports_what_it_did(satchel: CliRunner, tmp_path: Path) -> None:
    event = json.dumps({"tool_name": "bash", "text": "We decided: never deploy on Fridays", "detail": {"n": 1}})
    assert "captured 1" in satchel("capture", event)
    satchel("capture", json.dumps({"text": "ok " * 5000}))
    assert "ingested 2 of 2 events" in satchel("ingest")
    found = satchel("search", "deploy")
    id = found.split()[-1]
    assert "must_remember · untrusted" in found
    assert "bash: We decided" in satchel("timeline", id)
    assert "policy +0.40, decision +0.30" in satchel("get", id)
    long = satchel("search", "ok").split()[-1]
    assert "bytes stored as sha256:" in satchel("get", long)
    assert "bytes, tail" in satchel("artifacts", "show", long, "--part", "tail", "--max-chars", "50")
    assert "RAW BUFFER (2 of 2)" in satchel("observations", "show")
    satchel("store", "Mara prefers tea")
    assert "1 memory would be graded by heuristic-v1; nothing was written" in satchel("grade", "--dry-run")
    assert "nice_to_have 0.70: policy +0.40" in satchel("grade")
    assert "P1 90, P2 30" in satchel("lifecycle", "status")
    assert "0 of 3 records would be archived" in satchel("lifecycle", "run", "--dry-run")
    assert "0 of 3 records archived" in satchel("lifecycle", "run")
    assert "chart written to" in satchel("drift", "--svg", str(tmp_path / "drift.svg"))
    satchel("lifecycle", "revive", id, code=1)
    assert "erased from: ledger, spool" in satchel("forget", id, "--verify")
    assert "nothing found" in satchel("search", "deploy")


def test_a_trusted_memory_is_graded_at_least_nice_to_have(satchel: CliRunner) -> None:
    said = satchel.json("store", "Lunch at noon in the blue room")["result"]["id"]
    fetched = satchel.json("store", "Lunch at noon in the red room", "--source-kind", "web")["result"]["id"]
    secret = satchel.json("store", "the password is hunter2x9")["result"]["id"]

    examples = satchel.json("grade")["result"]["examples"]
    graded = {one["id"]: (one["score"], one["label"], one["signals"]) for one in examples}

    assert graded == {
        said: (0.5, "nice_to_have", ["calendar -0.15", "trusted +0.35"]),
        fetched: (0.15, "ignore", ["calendar -0.15"]),
        secret: (0.0, "ignore", ["secret -0.40"]),
    }
    satchel("edit", said, "--importance", "0.2")
    assert satchel.json("grade")["result"]["memories"] == 0


def test_json_answers_are_complete(satchel: CliRunner) -> None:
    satchel("capture", '{"text": "walrus"}\nbad', code=1)
    ingested = satchel.json("ingest")["result"]
    assert (ingested["inserted"], ingested["label_counts"]) == (
        1,
        {"must_remember": 0, "nice_to_have": 0, "ignore": 1, "unknown": 0},
    )
    assert [*satchel.json("search", "walrus")["result"]] == ["hits", "scope"]


@pytest.mark.usefixtures("empty_store")
def test_archiving_ages_are_settings(satchel: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_LIFECYCLE_P2_DAYS", "7")
    assert "P2 7" in satchel("lifecycle", "status")


def test_following_ingests_new_events_until_interrupted(home: Path) -> None:
    command = [sys.executable, "-m", "satchel", "--home", str(home)]
    subprocess.run([*command, "store", "A seal sleeps"], check=True)
    # A background job may have inherited an ignored SIGINT.
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
