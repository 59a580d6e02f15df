"""Attention on the command line: specified JSON shapes, errors as JSON, and text."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.cli.main import main
from satchel.interfaces.operations import OPERATIONS

NAMES = [one.name.split()[1] for one in OPERATIONS if one.name.startswith("attention ")]
PACKET = [
    "goal", "step_role", "hard_constraints", "relevant_facts", "procedures_to_follow", "pitfalls_to_avoid",
    "open_questions", "selected_memory_ids",
]  # fmt: skip
PREFERENCE = {"memory_type": "preference", "title": "Downtime", "summary": "No downtime at all"}


@pytest.fixture(autouse=True)
def _own_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "none")
    monkeypatch.delenv("MAR_DB_PATH", raising=False)


@pytest.fixture
def attention(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run `satchel attention` in this process; return the exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(["attention", *arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def asked(attention: Any, name: str, fields: dict[str, Any], *options: str) -> Any:
    """Run a command with its fields as JSON, and return the one JSON object it answers with."""
    code, out, err = attention(name, "--input-json", json.dumps(fields), *options)
    answer = json.loads(out)
    assert (err, len(out.splitlines()), code) == ("", 1, 0 if answer["ok"] else 1)
    return answer


class TestShapes:
    def test_init_add_route_and_packets_have_exactly_their_fields(self, attention: Any, home: Path) -> None:
        code, out, _ = attention("init", "--json")
        assert (code, json.loads(out)) == (
            0, {"ok": True, "initialized": True, "db_path": str(home / "ledger.sqlite3")}
        )  # fmt: skip
        added = asked(attention, "add", PREFERENCE)
        assert added == {
            "ok": True, "memory_id": added["memory_id"], "replaces_memory_id": None, "retired_memory_ids": [],
            "edge_ids": [],
        }  # fmt: skip
        assert added["memory_id"].startswith("mem_")
        assert len(added["memory_id"]) == 16

        routed = asked(attention, "route", {"goal": "ship", "session_id": "s"})
        assert list(routed) == ["ok", "packet_id", "packet", "debug"]
        assert list(routed["packet"]) == PACKET
        assert routed["packet_id"].startswith("pkt_")
        assert {"selected_blocks", "selected_memories", "omitted"} <= set(routed["debug"])
        block = ["block", "selected", "score", "candidate_count", "reasons", "top_memory_ids"]
        assert [list(one)[:6] for one in routed["debug"]["selected_blocks"]] == [block] * 4
        row = ["id", "memory_type", "block", "score", "title", "reasons"]
        assert [list(one)[:6] for one in routed["debug"]["selected_memories"]] == [row]

        packets = json.loads(attention("packets", "--json")[1])
        assert list(packets) == ["ok", "items"]
        assert list(packets["items"][0]) == [
            "id", "session_id", "task_id", "step_role", "goal", "packet", "created_at"
        ]  # fmt: skip
        assert packets["items"][0]["packet"] == routed["packet"]

    def test_reflect_refresh_list_and_inspect_have_exactly_their_fields(self, attention: Any) -> None:
        bare = asked(attention, "reflect", {"lessons": ["ask first"]})
        assert list(bare) == ["ok", "reflection_memory_id"]
        full = asked(attention, "reflect", {"lessons": "ask first", "create_procedure": True})
        assert list(full) == ["ok", "reflection_memory_id", "procedure_memory_id"]

        old, new = (full["procedure_memory_id"], asked(attention, "add", PREFERENCE)["memory_id"])
        refreshed = asked(attention, "refresh", {"stale_memory_ids": old, "replacement_memory_id": new})
        assert list(refreshed) == [
            "ok", "deactivated", "replacement_memory_id", "refresh_reason", "edge_ids", "not_found"
        ]  # fmt: skip
        listed = json.loads(attention("list", "--json", "--limit", "1")[1])
        assert listed["items"] == [
            {
                "id": old, "memory_type": "procedure", "role_scope": "planner", "task_id": None, "session_id": None,
                "title": "Procedure: unnamed work", "importance": 0.82, "confidence": 0.78, "success_score": 0.85,
                "is_active": 0, "replaced_by_memory_id": new, "retired_reason": "retired by refresh",
                "updated_at": listed["items"][0]["updated_at"],
            }
        ]  # fmt: skip
        inspected = json.loads(attention("inspect", "--json", "--memory-id", old)[1])
        assert list(inspected) == ["ok", "memory", "edges"]
        assert list(inspected["edges"][0]) == [
            "id", "from_memory_id", "to_memory_id", "edge_type", "weight", "created_at"
        ]  # fmt: skip
        assert {edge["edge_type"] for edge in inspected["edges"]} == {"contradicts", "derived_from"}

    def test_a_packet_follows_the_goal_and_not_the_loudest(self, attention: Any) -> None:
        rule = asked(attention, "add", PREFERENCE)["memory_id"]
        loud = {"memory_type": "preference", "title": "Wages", "summary": "Wages are paid late", "importance": 1.0}
        asked(attention, "add", loud)
        agent = {**loud, "title": "ship", "summary": "Ship with downtime", "source_kind": "tool"}
        asked(attention, "add", agent)

        routed = asked(attention, "route", {"goal": "ship without downtime", "step_role": "executor", "meaning": True})
        assert routed["packet"]["hard_constraints"] == ["No downtime at all", "[untrusted] Ship with downtime"]
        assert routed["packet"]["selected_memory_ids"][-1] == rule
        assert [one.split(":")[0] for one in routed["debug"]["warnings"]] == ["embedder_none"]
        empty = asked(attention, "route", {"goal": "tune the piano"})
        assert [empty["packet"][name] for name in PACKET[2:]] == [[]] * 6
        assert empty["debug"]["warnings"] == []

    def test_the_same_memory_again_answers_with_the_first(self, attention: Any) -> None:
        first = asked(attention, "add", PREFERENCE)

        assert asked(attention, "add", PREFERENCE) == {**first, "duplicate": True}
        again = attention("add", "--type", "preference", "--title", "Downtime", "--summary", "No downtime at all")[1]
        assert again == f"already stored as {first['memory_id']}; nothing was added\n"
        assert len(json.loads(attention("list", "--json")[1])["items"]) == 1

    def test_input_json_reads_standard_input(self, attention: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(PREFERENCE) + "\n"))
        assert json.loads(attention("add", "--input-json", "-")[1])["ok"] is True

    @pytest.mark.usefixtures("empty_store")
    def test_null_means_omitted(self, attention: Any) -> None:
        assert asked(attention, "route", {"goal": "x", "step_role": None, "task_id": None})["ok"] is True

    def test_options_and_input_json_combine(self, attention: Any) -> None:
        answer = asked(attention, "add", PREFERENCE, "--scope", "team/a", "--importance", "0.9")

        shown = json.loads(attention("inspect", "--memory-id", answer["memory_id"], "--scope", "team/a", "--json")[1])
        assert shown["memory"]["importance"] == 0.9


@pytest.mark.usefixtures("empty_store")
class TestErrors:
    @pytest.mark.parametrize(
        ("arguments", "named"),
        [
            (["--json"], "COMMAND"),
            (["nonsense", "--json"], "nonsense"),
            (["route", "--json"], "goal"),
            (["route", "--json", "--goal", "x", "--role", "poet"], "--role"),
            (["route", "--json", "--goal", "x", "--nonsense"], "--nonsense"),
            (["route", "--input-json", "{"], "--input-json"),
            (["route", "--input-json=[]"], "--input-json"),
            (["route", "--input-json", '"text"'], "--input-json"),
            (["route", "--input-json", '{"goal": NaN}'], "--input-json"),
            (["route", "--input-json", "[" * 100_000], "--input-json"),
            (["route", "--input-json", '{"goal": "x", "step_role": "poet"}'], "step_role"),
            (["route", "--input-json", '{"goal": "x", "user_constraints": [1]}'], "user_constraints"),
            (["route", "--input-json", '{"goal": "x", "colour": 1}'], "colour"),
            (["route", "--input-json", '{"goal": "x"}', "--goal", "y"], "goal"),
            (["route", "--input-json", '{"goal": "\\ud800"}'], "goal"),
            (["add", "--input-json", "{}"], "memory_type"),
            (["add", "--input-json", '{"memory_type": "summary", "title": 5, "summary": "x"}'], "title"),
            (["add", "--json", "--type", "summary", "--title", "t", "--summary", "s", "--details", "{"], "--details"),
            (["add", "--json", "--type", "summary", "--title", "t", "--summary", "s", "--level", "x"], "--level"),
            (["refresh", "--json"], "--stale"),
            (["refresh", "--input-json", '{"stale_memory_ids": []}'], "stale_memory_ids"),
            (["inspect", "--json"], "--memory-id"),
            (["inspect", "--json", "--memory-id", "nobody"], "nobody"),
            (["list", "--json", "--limit", "-1"], "limit"),
            (["list", "--json", "--limit", "x"], "--limit"),
            (["list", "--json", "--db", ""], "--db"),
            (["list", "--json", "--scope", "Not A Scope"], "scope"),
        ],
    )
    def test_each_error_is_one_json_object_with_exit_code_one(
        self, attention: Any, arguments: list[str], named: str
    ) -> None:
        code, out, err = attention(*arguments)

        answer = json.loads(out)
        assert (code, err) == (1, "")
        assert list(answer) == ["ok", "error"]
        assert answer["ok"] is False
        assert named in answer["error"]

    @pytest.mark.parametrize("name", NAMES)
    def test_store_errors_have_the_same_shape(self, attention: Any, name: str, tmp_path: Path) -> None:
        (tmp_path / "theirs").write_bytes(b"not a database " * 400)
        fields = {
            "add": PREFERENCE, "route": {"goal": "x"}, "reflect": {"goal": "x"}, "refresh": {"stale_memory_ids": "x"}
        }  # fmt: skip
        given = ["--input-json", json.dumps(fields[name])] if name in fields else ["--json"]
        given += ["--memory-id", "x"] if name == "inspect" else []

        code, out, _ = attention(name, *given, "--db", str(tmp_path / "theirs"))
        assert (code, json.loads(out)["ok"]) == (1, False)
        assert "damaged" in json.loads(out)["error"]

    def test_internal_errors_have_the_same_shape(self, attention: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("satchel.wiring.adapters.SqliteLedger", lambda path: 1 / 0)

        code, out, _ = attention("list", "--json")
        assert (code, json.loads(out)["ok"]) == (1, False)

    def test_text_errors_are_one_line_with_the_usual_exit_codes(self, attention: Any) -> None:
        attention("list")
        code, out, err = attention("route", "--goal", " ")
        assert (code, out) == (2, "")
        assert err.startswith("satchel: goal is empty")
        assert attention("inspect", "--memory-id", "nobody")[0] == 1


class TestDatabase:
    def test_the_option_overrides_the_variable_which_overrides_the_store(
        self, attention: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
    ) -> None:
        def place(*options: str) -> str:
            return str(json.loads(attention("init", "--json", *options)[1])["db_path"])

        assert place() == str(home / "ledger.sqlite3")
        monkeypatch.setenv("MAR_DB_PATH", str(tmp_path / "mar.sqlite3"))
        assert place() == str(tmp_path / "mar.sqlite3")
        assert place("--db", str(tmp_path / "named.sqlite3")) == str(tmp_path / "named.sqlite3")
        assert place("--home", str(tmp_path / "other")) == str(tmp_path / "other" / "ledger.sqlite3")
        assert json.loads(attention("--db", str(tmp_path / "x.db"), "init", "--json")[1])["db_path"].endswith("x.db")

    def test_other_commands_ignore_the_variable(
        self, attention: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("MAR_DB_PATH", str(tmp_path / "mar.sqlite3"))
        main(["store", "x", "--json"])

        capsys.readouterr()
        assert not (tmp_path / "mar.sqlite3").exists()

    def test_forget_and_doctor_leave_files_beside_a_database_alone(
        self, attention: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        text = "The vault opens with forty-two seventeen"
        workspace = tmp_path / "workspace"
        workspace.mkdir()
        (workspace / "notes.txt").write_text(text, encoding="utf-8")
        database = str(workspace / "mar.sqlite3")
        id = asked(attention, "add", PREFERENCE | {"summary": text}, "--db", database)["memory_id"]

        monkeypatch.setenv("SATCHEL_LEDGER", database)
        assert main(["forget", id, "--verify", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["result"]["check"]["found_after"] == []
        assert main(["doctor", "--fix", "--json"]) == 0
        assert (workspace / "notes.txt").stat().st_mode & 0o044


class TestText:
    def test_every_command_prints_text(self, attention: Any) -> None:
        code, out, err = attention(
            "add", "--type", "preference", "--title", "Downtime", "--summary", "No downtime", "--tag", "ops",
            "--details", '{"must": "tell the users first"}',
        )  # fmt: skip
        assert (code, err.count("\n")) == (0, 1)
        id = out.split()[1]
        assert out == f"added {id}\n"
        edge = json.dumps({"to_memory_id": id, "edge_type": "supports"})
        added = attention("add", "--type", "episode", "--title", "t", "--summary", "s", "--edge", edge)[1]
        assert "1 edge\n" in added

        routed = attention("route", "--goal", "ship without downtime", "--role", "executor", "--question", "who?")[1]
        assert "executor: ship without downtime\nmust:\n  - No downtime\n  - tell the users first\n" in routed
        assert "still open:\n  - who?\n" in routed
        assert "✓ 0.4" in routed
        reflected = attention("reflect", "--goal", "ship", "--worked", "tests", "--create-procedure")[1]
        assert "and procedure mem_" in reflected
        refreshed = attention("refresh", "--stale", id, "--stale", "nobody", "--reason", "changed")[1]
        assert refreshed == f"retired {id}: changed\nnot found: nobody\n"
        assert f"{id}  Downtime\n  preference · global · importance 0.5 · retired" in attention("list")[1]
        inspected = attention("inspect", "--memory-id", id)[1]
        assert inspected.startswith("No downtime\n")
        assert "supports (from mem_" in inspected
        assert "ship without downtime" in attention("packets")[1]
        assert attention("init")[1].startswith("ready: ")

    @pytest.mark.usefixtures("empty_store")
    def test_empty_answers_print_text(self, attention: Any) -> None:
        assert attention("list")[1] == "no memories\n"
        assert attention("packets")[1] == "no packets yet\n"
        assert "the packet is empty" in attention("route", "--goal", "x")[1]
