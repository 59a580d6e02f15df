"""Episodes at the command line: each command says what it did, and a bad line costs nothing but itself."""

import io
from pathlib import Path

import pytest

from tests.interfaces.cli.said import Said


@pytest.fixture
def said(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Said:
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    return Said(home, capsys)


def test_a_day_with_episodes(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    said("episodes", "add", "Where is the ladder?", "--session", "s1", "--speaker", "Ann", "--at", "2023-05-08")
    lines = '{"text": "In the shed.", "session": "s1", "speaker": "Ben", "at": "2023-05-08"}\nnot a turn\n'
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    added = said("episodes", "add", "--lines", "-")
    assert "1 turns kept" in added
    assert "turn 2 was not kept" in added

    found = said("episodes", "search", "where is the ladder, Ben?", "--explain", "--neighbours", "1")
    assert "Ben: In the shed." in found
    assert "speaker +0.300" in found
    assert "Ann: Where is the ladder?" in said("episodes", "list")
    assert "s1 · 2 turns · 2023-05-08" in said("episodes", "sessions")
    assert "vectors made" in said("episodes", "embed")
    assert "evidence: 2 rows" in said("index", "status")
    assert "0 turns would be dropped" in said("episodes", "prune", "--dry-run")
    id = said("episodes", "list", "--limit", "1").split(" · ")[-1].split()[0]
    assert "s1 · trusted · global" in said("episodes", "show", id)
    assert "found in 1 before, in none now" in said("episodes", "forget", "--session", "s1", "--verify")
    assert "no episodes" in said("episodes", "list")


def test_a_wrong_request_is_one_clear_error(said: Said) -> None:
    assert said.json("episodes", "add", code=2)["ok"] is False
    assert said.json("episodes", "search", " ", code=2)["ok"] is False
    assert said.json("episodes", "show", "ep-nothing", code=1)["ok"] is False
    assert said.json("episodes", "add", "--lines", "rubbish", code=1)["ok"] is True


def test_the_json_answer_has_hits_with_named_contributions(said: Said) -> None:
    said("episodes", "add", "The tide is high.", "--id", "t1")

    result = said.json("episodes", "search", "tide", "--mode", "lexical")["result"]

    assert isinstance(result, dict)
    assert [hit["ref"] for hit in result["hits"]] == ["t1"]
    assert [part["name"] for part in result["hits"][0]["contributions"]] == ["lexical", "session"]
