"""The skill as it is installed: its folder copied into a workspace, its script run by a Python of its own."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import satchel
from satchel.importing.taking_over import NEXT_STEP

SKILL = Path(__file__).parents[2] / "skills" / "memory-attention-router"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    shutil.copytree(SKILL, tmp_path / "workspace" / "skills" / "memory-attention-router")
    return tmp_path / "workspace"


def run(script: Path, *arguments: str, code: int = 0, isolated: bool = False, **environment: str) -> Any:
    """Run the script and return the one JSON object it prints."""
    own = {name: value for name, value in os.environ.items() if name != "MAR_DB_PATH"}
    own["PYTHONPATH"] = str(Path(satchel.__file__).parents[1])
    if isolated:
        own = {"PATH": "/nonexistent"}
    python = [sys.executable, *(["-S", "-E"] if isolated else [])]
    done = subprocess.run(
        [*python, str(script), *arguments], capture_output=True, text=True, check=False, env=own | environment
    )
    assert (done.returncode, done.stderr) == (code, "")
    return json.loads(done.stdout)


def script(folder: Path) -> Path:
    return folder / "scripts" / "memory_router.py"


def test_it_runs_as_its_documentation_writes_it(workspace: Path) -> None:
    router = partial(
        run, script(workspace / "skills" / "memory-attention-router"), SATCHEL_HOME=str(workspace / "home")
    )
    database = workspace / "home" / "ledger.sqlite3"

    assert router("init") == {"ok": True, "initialized": True, "db_path": str(database)}
    rule = {"memory_type": "preference", "title": "Bullets", "summary": "At most three bullets"}
    old = router("add", "--input-json", json.dumps(rule))["memory_id"]
    new = router("add", "--input-json", json.dumps(rule | {"summary": "Five", "replaces_memory_id": old}))
    packet = router("route", "--input-json", '{"goal": "write bullets", "step_role": "responder"}')["packet"]
    assert packet["hard_constraints"] == ["Five"]
    reflected = router("reflect", "--input-json", '{"lessons": ["count first"], "create_procedure": true}')
    stale = json.dumps({"stale_memory_ids": [reflected["procedure_memory_id"]]})
    assert router("refresh", "--input-json", stale)["deactivated"] == [reflected["procedure_memory_id"]]
    assert len(router("list", "--limit", "20")["items"]) == 4
    assert router("inspect", "--memory-id", old)["memory"]["replaced_by_memory_id"] == new["memory_id"]
    assert len(router("packets", "--limit", "10")["items"]) == 1
    assert database.stat().st_mode & 0o077 == 0


def test_its_first_questions_need_no_store(workspace: Path) -> None:
    router = partial(
        run, script(workspace / "skills" / "memory-attention-router"), SATCHEL_HOME=str(workspace / "home")
    )

    assert router("list") == {"ok": True, "items": []}
    assert router("packets") == {"ok": True, "items": []}
    assert router("route", "--input-json", '{"goal": "ship"}')["packet"]["selected_memory_ids"] == []
    assert "no memory 'mem_1'" in router("inspect", "--memory-id", "mem_1", code=1)["error"]
    assert not (workspace / "home").exists()


def test_where_its_database_is(workspace: Path, tmp_path: Path) -> None:
    installed = script(workspace / "skills" / "memory-attention-router")
    named = str(tmp_path / "named.sqlite3")
    assert run(installed, "init", MAR_DB_PATH=named)["db_path"] == named
    assert run(installed, "--db", f"{named}2", "init", MAR_DB_PATH=named)["db_path"] == f"{named}2"
    assert run(installed, "init", f"--db={named}3")["db_path"] == f"{named}3"


ORIGINAL = """
CREATE TABLE memories (
    id TEXT PRIMARY KEY, memory_type TEXT, abstraction_level INTEGER, role_scope TEXT, session_id TEXT, task_id TEXT,
    title TEXT, summary TEXT, details_json TEXT, keywords_json TEXT, tags_json TEXT, source_refs_json TEXT, importance REAL,
    confidence REAL, success_score REAL, recency_ts TEXT, valid_from_ts TEXT, valid_to_ts TEXT, is_active INTEGER,
    replaced_by_memory_id TEXT, retired_reason TEXT, created_at TEXT, updated_at TEXT);
CREATE TABLE memory_edges (
    id TEXT PRIMARY KEY, from_memory_id TEXT, to_memory_id TEXT, edge_type TEXT, weight REAL, created_at TEXT);
CREATE TABLE working_memory_packets (id TEXT PRIMARY KEY, packet_json TEXT);
INSERT INTO memories VALUES
    ('mem_a', 'preference', 3, 'global', NULL, NULL, 'Bullets', 'At most three bullets', '{"must": "three bullets"}',
     '["bullets"]', '["style"]', '[]', 0.9, 0.8, 0.5, '2026-01-01T00:00:00Z', NULL, NULL, 1, NULL, NULL, '2026-01-01', '2026-01-01'),
    ('mem_b', 'procedure', 2, 'executor', 's1', 't1', 'Count', 'Count the bullets first', '{}', '[]', '[]', '[]', 0.5, 0.5, 0.5,
     NULL, NULL, NULL, 1, NULL, NULL, '2026-01-02', '2026-01-02'),
    ('mem_c', 'preference', 3, 'global', NULL, NULL, 'Old', 'At most nine bullets', '{}', '[]', '[]', '[]', 0.5, 0.5, 0.5,
     NULL, NULL, NULL, 0, 'mem_a', 'replaced', '2026-01-01', '2026-01-01');
INSERT INTO memory_edges VALUES ('e1', 'mem_a', 'mem_b', 'supports', 0.7, '2026-01-02');
"""


def test_a_database_of_the_original_skill_is_taken_over_once(workspace: Path) -> None:
    router = partial(
        run, script(workspace / "skills" / "memory-attention-router"), SATCHEL_HOME=str(workspace / "home")
    )
    original = workspace / ".openclaw-memory-router.sqlite3"
    with closing(sqlite3.connect(original)) as database:
        database.executescript(ORIGINAL)
    before = original.read_bytes()

    done = {
        "from": str(original), "memories": 2, "known": 0, "edges": 1, "untrusted": 2, "quarantined": 0, "retired": 1,
        "refused": [], "refused_unlisted": 0, "next": NEXT_STEP,
    }  # fmt: skip
    again = {"memories": 0, "known": 2, "edges": 0, "untrusted": 0, "next": None}
    assert router("init")["imported"] == done
    assert router("init")["imported"] == done | again
    assert original.read_bytes() == before
    kept = router("inspect", "--memory-id", "mem_a")
    assert (kept["memory"]["title"], kept["memory"]["details"]) == ("Bullets", {"must": "three bullets"})
    assert [(one["to_memory_id"], one["edge_type"]) for one in kept["edges"]] == [("mem_b", "supports")]
    assert len(router("list", "--limit", "20")["items"]) == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_answer_that_cannot_be_written_is_one_line(workspace: Path) -> None:
    with closing(sqlite3.connect(workspace / ".openclaw-memory-router.sqlite3")) as database:
        database.executescript(ORIGINAL)
    environment = os.environ | {
        "PYTHONPATH": str(Path(satchel.__file__).parents[1]),
        "SATCHEL_HOME": str(workspace / "home"),
    }
    command = [sys.executable, str(script(workspace / "skills" / "memory-attention-router")), "init"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment)

    assert done.returncode == 1
    assert [line for line in done.stderr.splitlines() if "Traceback" in line or "Error" in line] == []
    assert done.stderr.startswith("satchel: ")


@pytest.mark.parametrize("content", [b"not a database at all", b""])
def test_a_file_that_cannot_be_taken_over_is_reported(workspace: Path, content: bytes) -> None:
    original = workspace / ".openclaw-memory-router.sqlite3"
    original.write_bytes(content)
    answer = run(script(workspace / "skills" / "memory-attention-router"), "init", SATCHEL_HOME=str(workspace / "home"))

    assert answer["not_imported"]["from"] == str(original)
    assert "imported" not in answer
    assert original.read_bytes() == content


def test_what_it_stores_is_found_by_the_memory_router_skill(workspace: Path) -> None:
    other = shutil.copytree(SKILL.parent / "memory-router", workspace / "skills" / "memory-router")
    home = str(workspace / "home")
    rule = {"memory_type": "preference", "title": "Bullets", "summary": "At most three bullets in a release note"}
    run(
        script(workspace / "skills" / "memory-attention-router"),
        "add",
        "--input-json",
        json.dumps(rule),
        SATCHEL_HOME=home,
    )
    found = run(script(Path(other)), "bullets in a release note", SATCHEL_HOME=home)

    assert found["status"] == "success"
    assert "At most three bullets in a release note" in found["results"][0]["content"]


@pytest.mark.parametrize(
    "arguments", [[], ["nonsense"], ["route"], ["route", "--input-json", "{"], ["list", "--limit", "-1"]]
)
def test_every_failure_is_json_with_exit_code_one(workspace: Path, arguments: list[str]) -> None:
    answer = run(script(workspace / "skills" / "memory-attention-router"), *arguments, code=1)

    assert list(answer) == ["ok", "error"]
    assert answer["ok"] is False


def test_without_satchel_it_says_what_is_missing(workspace: Path) -> None:
    answer = run(script(workspace / "skills" / "memory-attention-router"), "list", code=1, isolated=True)

    assert "satchel is not installed" in answer["error"]


@pytest.mark.parametrize("name", ["memory-attention-router", "memory-router"])
def test_the_front_matter_names_the_programs_it_needs(name: str) -> None:
    head = (SKILL.parent / name / "SKILL.md").read_text(encoding="utf-8").split("---\n")[1]
    metadata = next(line.removeprefix("metadata: ") for line in head.splitlines() if line.startswith("metadata: "))

    assert json.loads(metadata)["openclaw"]["requires"]["bins"] == ["python3", "satchel"]


def test_the_instructions_name_every_cue_role_and_command() -> None:
    text = (SKILL / "SKILL.md").read_text(encoding="utf-8")

    cues = ["from now on", "remember this", "always", "prefer", "avoid", "my rule is", "replace my previous rule"]
    commands = ["init", "add", "route", "reflect", "refresh", "list", "inspect", "packets"]
    for word in (*cues, "going forward", "planner", "executor", "critic", "responder"):
        assert word in text
    for command in commands:
        assert f"scripts/memory_router.py {command}" in text
    assert text.startswith("---\nname: memory-attention-router\ndescription: ")
