"""The page on attention shows what really happens: its commands print what it says, its program runs."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "attention.md").read_text(encoding="utf-8")
_ID = re.compile(r"(mem|pkt)_[0-9a-f]{12}")


def _blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)


def _steady(text: str) -> str:
    return _ID.sub(r"\1_ID", text).strip()


@pytest.mark.parametrize("block", _blocks("console"))
def test_the_commands_print_what_it_says(block: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    commands = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)

    assert len(commands) == 4
    for command, expected in commands:
        done = subprocess.run(
            [sys.executable, "-m", "satchel", *shlex.split(command)], capture_output=True, text=True, check=True
        )
        assert _steady(done.stdout) == _steady(expected)


@pytest.mark.parametrize("block", _blocks("python"))
def test_the_program_runs(block: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("('Reports have at most three bullets',)\n")
