"""The page on routing shows what really happens: its commands print what it says, its program runs."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.routing.roster import parse_roster
from satchel.routing.rules import STANDARD

PAGE = (Path(__file__).parents[2] / "docs" / "routing.md").read_text(encoding="utf-8")
_STEADY = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}"), "ID"),
    (re.compile(r"msg:[0-9a-f]+"), "MSG"),
    (re.compile(r"dec_[0-9a-f]+"), "DEC"),
    (re.compile(r"src_[0-9a-f]+"), "SRC"),
    (re.compile(r"ent_[0-9a-f]+"), "ENT"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "DATE"),
    (re.compile(r"\d+ ms"), "N ms"),
)


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def _steady(text: str) -> str:
    for pattern, word in _STEADY:
        text = pattern.sub(word, text)
    return text.strip()


@pytest.mark.parametrize("block", _blocks("console"))
def test_the_commands_print_what_it_says(block: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    commands = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)

    assert len(commands) == 6
    for command, expected in commands:
        done = subprocess.run(
            [sys.executable, "-m", "satchel", *shlex.split(command)], capture_output=True, text=True, check=True
        )
        assert _steady(done.stdout) == expected.strip()


@pytest.mark.parametrize("block", _blocks("python"))
def test_the_program_runs(block: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[0] == "success qmd search 0"


@pytest.mark.parametrize("block", _blocks("json"))
def test_the_file_is_one_that_is_understood(block: str) -> None:
    assert [one.name for one in parse_roster(json.loads(block)).entries] == ["qmd", "totalrecall", "lossless"]


def test_every_rule_is_on_the_page() -> None:
    rows = re.findall(r"^\| (\d) \| `(\w+)` \|", PAGE, re.MULTILINE)

    assert [(str(rule.number), rule.id) for rule in STANDARD.rules] == rows
