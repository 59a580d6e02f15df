"""The dispatch router's skill as it is installed: its folder copied, its script run by a Python of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import satchel
from satchel.app import Satchel
from satchel.routing.overrides import Rulebook, parse_rulebook

SKILL = Path(__file__).parents[2] / "skills" / "memory-router"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SKILL, tmp_path / "skills" / "memory-router"))


def run(skill: Path, *arguments: str, code: int = 0, **environment: str) -> Any:
    """Run the script and return the one JSON object it prints."""
    own = {**os.environ, "PYTHONPATH": str(Path(satchel.__file__).parents[1]), **environment}
    done = subprocess.run(
        [sys.executable, str(skill / "scripts" / "memory_router.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=own,
    )
    assert (done.returncode, done.stderr) == (code, "")
    return json.loads(done.stdout)


def test_it_routes_as_its_documentation_writes_it(skill: Path, home: Path) -> None:
    with Satchel.open(home) as memory:
        memory.store("parseAuthToken reads the bearer token")
    envelope = run(skill, "find the function parseAuthToken", "--trace", SATCHEL_HOME=str(home))

    assert (envelope["status"], envelope["routed_to"], envelope["trace"]["rule"]["id"]) == (
        "success",
        "qmd",
        "exact_symbol",
    )
    listed = run(skill, "backends", "list", SATCHEL_HOME=str(home))["result"]
    assert {"qmd", "totalrecall"} <= {one["name"] for one in listed["backends"]}


def test_its_first_question_needs_no_store(skill: Path, home: Path) -> None:
    envelope = run(skill, "billing", SATCHEL_HOME=str(home))

    assert (envelope["status"], envelope["results"]) == ("empty", [])
    assert envelope["trace"]["advice"][0].startswith("the store is empty; add something first: ")
    assert not home.exists()


def test_its_answers_are_for_an_agent(skill: Path, home: Path) -> None:
    with Satchel.open(home) as memory:
        memory.graph.add("Anna Lindqvist", "OWNS", "Checkout", tail_type="Person", head_type="Project")
        memory.graph.add("Checkout", "USES", "/home/anna/secret/config.toml", head_type="Tool")
    envelope = run(skill, "who is connected with Checkout relationship", SATCHEL_HOME=str(home))

    assert {one["content"] for one in envelope["results"]} == {
        "Checkout <-OWNS- a person",
        "Checkout -USES-> ~/secret/config.toml",
    }


@pytest.mark.usefixtures("empty_store")
def test_its_rules_are_read_from_beside_it(skill: Path, home: Path) -> None:
    rules = json.loads((skill / "router-config.json").read_bytes())
    rules["rules"][-1]["chain"] = ["totalrecall"]
    (skill / "router-config.json").write_text(json.dumps(rules), encoding="utf-8")
    envelope = run(skill, "auth", SATCHEL_HOME=str(home))

    assert envelope["fallback_chain"] == ["totalrecall"]


def test_its_rules_are_the_standard_ones() -> None:
    said = json.loads((SKILL / "router-config.json").read_bytes())

    assert parse_rulebook(said, Rulebook()) == Rulebook()


@pytest.mark.usefixtures("empty_store")
def test_a_wrong_request_is_one_object_too(skill: Path, home: Path) -> None:
    assert run(skill, "auth", "--hint", "nonsense", code=2, SATCHEL_HOME=str(home))["ok"] is False


def test_without_satchel_it_says_what_is_missing(skill: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-E", str(skill / "scripts" / "memory_router.py"), "auth"],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/nonexistent"},
    )
    assert done.returncode == 1
    assert "satchel is not installed" in json.loads(done.stdout)["error"]["message"]
