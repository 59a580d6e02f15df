"""Facts and conversations on the command line: output as JSON and as text, and exit codes."""

import io
import json
from pathlib import Path

import apsw
import pytest

from tests.interfaces.cli.cli_runner import CliRunner


@pytest.fixture
def satchel(home: Path, capsys: pytest.CaptureFixture[str]) -> CliRunner:
    return CliRunner(home, capsys)


def test_a_fact_from_assertion_to_invalidation(satchel: CliRunner) -> None:
    message = satchel.json("conversation", "add", "The gateway went live")["result"]["refs"][0]
    made = satchel.json("fact", "assert", "gateway", "state", "live", "--source", message, "--from", "2026-01-01")
    fact = made["result"]["fact"]

    assert made["receipt"]["kept"] and fact["predicate"] == "status"
    assert list(fact)[:4] == ["id", "subject", "predicate", "object"]
    current = satchel.json("fact", "current", "gateway")["result"]
    assert [one["id"] for one in current["facts"]] == [fact["id"]]
    assert satchel.json("fact", "pack", "gateway")["result"]["pack"]["schema"] == "openclaw-mem.context-pack.v1"
    assert satchel.json("fact", "propose", message)["result"]["writes_performed"] is False
    assert "no stale facts" in satchel("fact", "stale")
    assert "gateway status live" in satchel("fact", "search", "gateway")
    assert "invalidated" in satchel("fact", "invalidate", fact["id"], "--at", "2026-02-01")
    assert "no current facts about" in satchel("fact", "current", "gateway")
    assert len(satchel.json("fact", "registry")["result"]["predicates"]) == 9


def test_a_rejected_fact_has_an_error_code_and_one_line(satchel: CliRunner) -> None:
    failed = satchel.json("fact", "assert", "gateway", "status", "live", "--source", "nowhere", code=1)
    assert (failed["ok"], failed["error"]["code"]) == (False, "dangling_source_ref")
    assert "unknown predicate" in satchel("fact", "assert", "x", "likes", "y", "--source", "z", code=2)


PRESENT = [
    ("why do we use Postgres?", "why do we use Postgres now?"),
    ("why are we on Postgres?", "why are we on Postgres now?"),
    ("why is Postgres used?", "why is Postgres used these days?"),
    ("what do we use for the database?", "what do we use now for the database?"),
    ("为什么我们用 Postgres？", "为什么我们现在用 Postgres？"),
]


def test_a_question_about_the_present_is_answered_like_the_same_question_without_now(satchel: CliRunner) -> None:
    satchel("conversation", "add", "We decided to use MySQL for the database because it was there.")
    satchel("conversation", "add", "We decided to use Postgres for the database because MySQL lost writes.")

    for plain, present in PRESENT:
        answers = [satchel.json("conversation", "why", question)["result"] for question in (plain, present)]
        assert [one["decision"]["choice"] for one in answers] == ["Postgres", "Postgres"], present
        assert [one["relevance"] for one in answers] == [answers[0]["relevance"]] * 2, present


def test_lint_fails_until_the_facts_are_rebuilt(satchel: CliRunner, home: Path) -> None:
    message = satchel.json("conversation", "add", "The gateway went live")["result"]["refs"][0]
    satchel("fact", "assert", "gateway", "status", "live", "--source", message)
    assert "0 errors" in satchel("fact", "lint")
    with apsw.Connection(str(home / "ledger.sqlite3")) as db:
        db.execute("UPDATE facts SET valid_to = valid_from - 1")

    assert "interval_invalid" in satchel("fact", "lint", code=1)
    assert "1 row differed" in satchel("fact", "rebuild")
    assert "0 errors" in satchel("fact", "lint")


def test_a_conversation_from_json_lines(satchel: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"role": "user", "content": f"Note {place} on the harbour."} for place in range(8)]
    lines.append({"role": "user", "content": "We decided to use Postgres because it is solid."})
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(map(json.dumps, lines))))

    added = satchel.json("conversation", "add", "-", "--jsonl")["result"]
    assert (added["added"], added["summaries"], len(added["decisions"])) == (9, 1, 1)
    shown = satchel("conversation", "show")
    summary = shown.split("]")[0].removeprefix("[")
    assert "decided: Postgres" in shown
    assert shown.count("Note") == 5
    assert satchel("conversation", "expand", summary).split("summarizes")[1].count("Note") == 8
    why = satchel.json("conversation", "why", "why did we choose Postgres?")["result"]
    assert (why["recorded"], why["decision"]["choice"]) == (True, "Postgres")
    assert "not recorded" in satchel("conversation", "why", "why did we choose Oracle?")
    assert "decision" in satchel("conversation", "search", "Postgres")
    assert "main · 9 messages" in satchel("conversation", "list")
    assert "no such file" in satchel("conversation", "list", "--lossless", "/nowhere/lcm.db", code=1)


def test_doctor_repairs_the_full_text_of_facts_and_messages(satchel: CliRunner, home: Path) -> None:
    message = satchel.json("conversation", "add", "The gateway went live")["result"]["refs"][0]
    satchel("fact", "assert", "gateway", "status", "live", "--source", message)
    with apsw.Connection(str(home / "ledger.sqlite3")) as db:
        db.execute("INSERT INTO facts_text (facts_text) VALUES ('delete-all')")
        db.execute("INSERT INTO conversations_text (conversations_text) VALUES ('delete-all')")
    assert "nothing found" in satchel("fact", "search", "gateway")

    satchel("doctor", "--fix")
    assert "gateway status live" in satchel("fact", "search", "gateway")
    assert "message" in satchel("conversation", "search", "gateway")
