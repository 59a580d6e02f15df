"""The page on the graph shows what really happens: its files are read, its commands print what it says."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "graph.md").read_text(encoding="utf-8")
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def _steady(text: str) -> str:
    return _ID.sub("ID", text).strip()


def test_its_commands_print_what_it_says(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    for name, text in re.findall(r"```\w+ file=(\S+)\n(.*?)```", PAGE, re.DOTALL):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    commands = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)

    assert len(commands) == 9
    for command, expected in commands:
        done = subprocess.run(
            [sys.executable, "-m", "satchel", *shlex.split(command)],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert _steady(done.stdout) == _steady(expected)


def test_its_program_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "Checkout depends on Ledger\ndependents 1.0 ['Checkout']\n"
