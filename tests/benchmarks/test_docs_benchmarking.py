"""The page about benchmarking shows what the command does."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from bench.governance.checks import CHECKS
from bench.run import PARTS
from bench.speed.run import MEASUREMENTS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "benchmarking.md").read_text(encoding="utf-8")
(DATA,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = [
    found
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for found in re.findall(r"^\$ python (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def _steady(text: str) -> str:
    text = re.sub(r"(?m)^.* ms a question .*$", "TIMES", text)
    return re.sub(r"(?m)^.* cores, .*$", "MACHINE", text)


def test_its_command_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.json").write_text(DATA, encoding="utf-8")
    # The page runs it in the root of the repository, where Python finds the package.
    monkeypatch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)

    assert len(COMMANDS) == 1
    for command, expected in COMMANDS:
        words = [sys.executable, *shlex.split(command)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
        assert _steady(done.stdout) == _steady(expected)
    assert len((tmp_path / "rankings.jsonl").read_text(encoding="utf-8").splitlines()) == 3


def test_it_names_every_check_of_governance() -> None:
    for check in CHECKS:
        assert f"| {check.__name__.replace('_', ' ')} |" in PAGE


def test_it_names_every_part_and_every_measurement_of_speed() -> None:
    for name in (*PARTS, *MEASUREMENTS):
        assert f"`{name}`" in PAGE
