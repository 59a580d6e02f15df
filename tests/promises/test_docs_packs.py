"""The page about packs shows what `satchel pack` prints."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "packs.md").read_text(encoding="utf-8")
COMMANDS = [
    found
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for found in re.findall(r"^\$ (satchel .*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


def test_its_commands_print_what_it_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    assert len(COMMANDS) == 4
    for command, expected in COMMANDS:
        words = [sys.executable, "-m", *shlex.split(command)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        if expected:
            # The page leaves out what differs from store to store.
            wanted = "".join(".+" if part == "…" else re.escape(part) for part in re.split("(…)", expected))
            assert re.fullmatch(wanted, done.stdout), done.stdout
