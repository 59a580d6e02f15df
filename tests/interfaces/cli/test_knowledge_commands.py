"""Facts and conversations at the command line: what is printed, as JSON and for people, and how it exits."""

import io
import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from satchel.interfaces.cli.main import main


class Said:
    """Runs commands on one home and returns what they print."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._home, self._capsys = home, capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        assert main([*arguments, "--home", str(self._home)]) == code
        printed = self._capsys.readouterr()
        return printed.out + printed.err

    def json(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        assert main([*arguments, "--home", str(self._home), "--json"]) == code
        answer = json.loads(self._capsys.readouterr().out)
        assert isinstance(answer, dict)
        return answer


@pytest.fixture
def said(home: Path, capsys: pytest.CaptureFixture[str]) -> Said:
    return Said(home, capsys)


def test_a_fact_from_assertion_to_its_end(said: Said) -> None:
    message = said.json("conversation", "add", "The gateway went live")["result"]["refs"][0]
    made = said.json("fact", "assert", "gateway", "state", "live", "--source", message, "--from", "2026-01-01")
    fact = made["result"]["fact"]

    assert made["receipt"]["kept"] and fact["predicate"] == "status"
    assert list(fact)[:4] == ["id", "subject", "predicate", "object"]
    current = said.json("fact", "current", "gateway")["result"]
    assert [one["id"] for one in current["facts"]] == [fact["id"]]
    assert said.json("fact", "pack", "gateway")["result"]["pack"]["schema"] == "openclaw-mem.context-pack.v1"
    assert said.json("fact", "propose", message)["result"]["writes_performed"] is False
    assert "no fact is stale" in said("fact", "stale")
    assert "gateway status live" in said("fact", "search", "gateway")
    assert "invalidated" in said("fact", "invalidate", fact["id"], "--at", "2026-02-01")
    assert "nothing is known to be true" in said("fact", "current", "gateway")
    assert len(said.json("fact", "registry")["result"]["predicates"]) == 9


def test_a_refused_fact_exits_with_a_code_and_one_line(said: Said) -> None:
    failed = said.json("fact", "assert", "gateway", "status", "live", "--source", "nowhere", code=1)
    assert (failed["ok"], failed["error"]["code"]) == (False, "dangling_source_ref")
    assert "unknown predicate" in said("fact", "assert", "x", "likes", "y", "--source", "z", code=2)


def test_lint_fails_where_there_is_something_to_mend(said: Said, home: Path) -> None:
    message = said.json("conversation", "add", "The gateway went live")["result"]["refs"][0]
    said("fact", "assert", "gateway", "status", "live", "--source", message)
    assert "0 errors" in said("fact", "lint")
    with apsw.Connection(str(home / "ledger.sqlite3")) as db:
        db.execute("UPDATE facts SET valid_to = valid_from - 1")

    assert "interval_invalid" in said("fact", "lint", code=1)
    assert "1 rows were different" in said("fact", "rebuild")
    assert "0 errors" in said("fact", "lint")


def test_a_conversation_from_lines_of_json(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"role": "user", "content": f"Note {place} on the harbour."} for place in range(8)]
    lines.append({"role": "user", "content": "We decided to use Postgres because it is solid."})
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, lines))))

    added = said.json("conversation", "add", "-", "--jsonl")["result"]
    assert (added["added"], added["summaries"], len(added["decisions"])) == (9, 1, 1)
    shown = said("conversation", "show")
    summary = shown.split("]")[0].removeprefix("[")
    assert "decided: Postgres" in shown
    assert shown.count("Note") == 5
    assert said("conversation", "expand", summary).split("made of")[1].count("Note") == 8
    why = said.json("conversation", "why", "why did we choose Postgres?")["result"]
    assert (why["recorded"], why["decision"]["choice"]) == (True, "Postgres")
    assert "not recorded" in said("conversation", "why", "why did we choose Oracle?")
    assert "decision" in said("conversation", "search", "Postgres")
    assert "main · 9 messages" in said("conversation", "list")
    assert "no file" in said("conversation", "list", "--lossless", "/nowhere/lcm.db", code=1)


def test_the_doctor_mends_the_full_text_of_facts_and_messages(said: Said, home: Path) -> None:
    message = said.json("conversation", "add", "The gateway went live")["result"]["refs"][0]
    said("fact", "assert", "gateway", "status", "live", "--source", message)
    with apsw.Connection(str(home / "ledger.sqlite3")) as db:
        db.execute("INSERT INTO facts_text (facts_text) VALUES ('delete-all')")
        db.execute("INSERT INTO messages_fts (messages_fts) VALUES ('delete-all')")
    assert "nothing found" in said("fact", "search", "gateway")

    said("doctor", "--fix")
    assert "gateway status live" in said("fact", "search", "gateway")
    assert "message" in said("conversation", "search", "gateway")
