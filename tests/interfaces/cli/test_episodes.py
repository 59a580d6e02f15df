"""Episodes on the command line: every command reports what it did, and rejects only the bad lines."""

import io
from pathlib import Path

import pytest

from tests.interfaces.cli.cli_runner import CliRunner


@pytest.fixture
def satchel(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    return CliRunner(home, capsys)


def test_each_command_reports_what_it_did(satchel: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    satchel("episodes", "add", "Where is the ladder?", "--session", "s1", "--speaker", "Ann", "--at", "2023-05-08")
    lines = '{"text": "In the shed.", "session": "s1", "speaker": "Ben", "at": "2023-05-08"}\nnot a turn\n'
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    added = satchel("episodes", "add", "--lines", "-")
    assert "1 turn added" in added
    assert "turn 2 was rejected" in added

    found = satchel("episodes", "search", "where is the ladder, Ben?", "--explain", "--neighbours", "1")
    assert "Ben: In the shed." in found
    assert "speaker +0.300" in found
    assert "Ann: Where is the ladder?" in satchel("episodes", "list")
    assert "s1 · 2 turns · 2023-05-08" in satchel("episodes", "sessions")
    assert "vectors made" in satchel("episodes", "embed")
    assert "evidence: 2 rows" in satchel("index", "status")
    assert "0 turns would be dropped" in satchel("episodes", "prune", "--dry-run")
    id = satchel("episodes", "list", "--limit", "1").split(" · ")[-1].split()[0]
    assert "s1 · trusted · global" in satchel("episodes", "show", id)
    assert "found in 1 before, in none now" in satchel("episodes", "forget", "--session", "s1", "--verify")
    assert "no episodes" in satchel("episodes", "list")


def test_an_invalid_request_is_one_error(satchel: CliRunner) -> None:
    assert satchel.json("episodes", "add", code=2)["ok"] is False
    assert satchel.json("episodes", "search", " ", code=2)["ok"] is False
    assert satchel.json("episodes", "show", "ep-nothing", code=1)["ok"] is False
    assert satchel.json("episodes", "add", "--lines", "rubbish", code=1)["ok"] is True


def test_json_hits_have_named_contributions(satchel: CliRunner) -> None:
    satchel("episodes", "add", "The tide is high.", "--id", "t1")

    result = satchel.json("episodes", "search", "tide", "--mode", "lexical")["result"]

    assert isinstance(result, dict)
    assert [hit["ref"] for hit in result["hits"]] == ["t1"]
    assert [part["name"] for part in result["hits"][0]["contributions"]] == ["lexical", "session"]
