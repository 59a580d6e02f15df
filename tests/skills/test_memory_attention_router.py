"""The skill as it is installed: its folder copied into a workspace, its script run by a Python of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import satchel

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
    router = script(workspace / "skills" / "memory-attention-router")
    database = workspace / ".openclaw-memory-router.sqlite3"

    assert run(router, "init") == {"ok": True, "initialized": True, "db_path": str(database)}
    rule = {"memory_type": "preference", "title": "Bullets", "summary": "At most three bullets"}
    old = run(router, "add", "--input-json", json.dumps(rule))["memory_id"]
    new = run(router, "add", "--input-json", json.dumps(rule | {"summary": "Five", "replaces_memory_id": old}))
    packet = run(router, "route", "--input-json", '{"goal": "write bullets", "step_role": "responder"}')["packet"]
    assert packet["hard_constraints"] == ["Five"]
    reflected = run(router, "reflect", "--input-json", '{"lessons": ["count first"], "create_procedure": true}')
    stale = json.dumps({"stale_memory_ids": [reflected["procedure_memory_id"]]})
    assert run(router, "refresh", "--input-json", stale)["deactivated"] == [reflected["procedure_memory_id"]]
    assert len(run(router, "list", "--limit", "20")["items"]) == 4
    assert run(router, "inspect", "--memory-id", old)["memory"]["replaced_by_memory_id"] == new["memory_id"]
    assert len(run(router, "packets", "--limit", "10")["items"]) == 1
    assert database.stat().st_mode & 0o077 == 0


def test_where_its_database_is(workspace: Path, tmp_path: Path) -> None:
    installed = script(workspace / "skills" / "memory-attention-router")
    elsewhere = Path(shutil.copytree(SKILL, tmp_path / "router"))

    assert run(script(elsewhere), "init")["db_path"] == str(elsewhere / ".openclaw-memory-router.sqlite3")
    named = str(tmp_path / "named.sqlite3")
    assert run(installed, "init", MAR_DB_PATH=named)["db_path"] == named
    assert run(installed, "--db", f"{named}2", "init", MAR_DB_PATH=named)["db_path"] == f"{named}2"
    assert run(installed, "init", f"--db={named}3")["db_path"] == f"{named}3"


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


def test_the_instructions_name_every_cue_role_and_command() -> None:
    text = (SKILL / "SKILL.md").read_text(encoding="utf-8")

    cues = ["from now on", "remember this", "always", "prefer", "avoid", "my rule is", "replace my previous rule"]
    commands = ["init", "add", "route", "reflect", "refresh", "list", "inspect", "packets"]
    for word in (*cues, "going forward", "planner", "executor", "critic", "responder"):
        assert word in text
    for command in commands:
        assert f"scripts/memory_router.py {command}" in text
    assert text.startswith("---\nname: memory-attention-router\ndescription: ")
