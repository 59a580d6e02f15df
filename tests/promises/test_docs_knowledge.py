"""The pages about facts and conversations show what the commands do."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def _steady(text: str) -> str:
    return re.sub(r"\d{4}-\d{2}-\d{2}", "DATE", text).strip()


@pytest.mark.parametrize(("page", "commands"), [("facts.md", 12), ("conversations.md", 8)])
def test_its_commands_print_what_it_says(page: str, commands: int, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    (block,) = re.findall(r"```console\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)
    found = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)

    assert len(found) == commands
    for command, expected in found:
        words = [sys.executable, "-m", "satchel", *shlex.split(command)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert _steady(done.stdout) == _steady(expected)
