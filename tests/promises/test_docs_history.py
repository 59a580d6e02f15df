"""The page on history shows what the commands do, and its program runs."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "history.md").read_text(encoding="utf-8")


def _steady(text: str) -> str:
    return re.sub(r"\d{4}-\d{2}-\d{2}", "DATE", text).strip()


def test_its_commands_print_what_it_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    commands = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)

    assert len(commands) == 15
    for command, expected in commands:
        words = [sys.executable, "-m", "satchel", *shlex.split(command)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert _steady(done.stdout) == _steady(expected)


def test_its_program_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "()"
