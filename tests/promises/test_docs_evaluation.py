"""The page about evaluation shows what the command does."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "evaluation.md").read_text(encoding="utf-8")
SETS = dict(
    zip(re.findall(r"This is `([a-z]+\.jsonl)`", PAGE), re.findall(r"```jsonl\n(.*?)```", PAGE, re.DOTALL), strict=True)
)
COMMANDS = [
    found
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for found in re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def _steady(text: str) -> str:
    text = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "ID", text)
    return re.sub(r" +\d+\.\d ms", " MS", text)


def test_its_commands_print_what_it_says(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    for name, rows in SETS.items():
        (tmp_path / name).write_text(rows, encoding="utf-8")

    assert set(SETS) == {"mine.jsonl", "own.jsonl"}
    assert len(COMMANDS) == 3
    for command, expected in COMMANDS:
        words = [sys.executable, "-m", "satchel", *shlex.split(command)]
        done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
        assert _steady(done.stdout) == _steady(expected)
