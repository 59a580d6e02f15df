"""The page about documents shows what the commands do."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "documents.md").read_text(encoding="utf-8")


def _block(kind: str) -> str:
    (found,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


@pytest.fixture
def _handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    (tmp_path / "handbook" / "src").mkdir(parents=True)
    (tmp_path / "handbook" / "decisions.md").write_text(_block("markdown"), encoding="utf-8")
    (tmp_path / "handbook" / "src" / "tokens.ts").write_text(_block("typescript"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")


@pytest.mark.usefixtures("_handbook")
def test_its_commands_print_what_it_says() -> None:
    steps = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", _block("console"), re.MULTILINE)
    assert len(steps) == 5
    for command, expected in steps:
        done = subprocess.run(
            [sys.executable, "-m", "satchel", *shlex.split(command)], capture_output=True, text=True, check=True
        )
        assert _steady(done.stdout) == _steady(expected), command


def _steady(text: str) -> str:
    """Leave out how many files an index happens to have."""
    return re.sub(r"no trace in \d+ files", "no trace in N files", text)


@pytest.mark.usefixtures("_handbook")
def test_its_program_runs() -> None:
    done = subprocess.run([sys.executable, "-c", _block("python")], capture_output=True, text=True, check=True)

    assert re.fullmatch(
        r"doc:notes:note-1#[0-9a-f]{10} 1 \(\)\n|doc:notes:note-1#[0-9a-f]{10} 1 \('Tea',\)\n", done.stdout
    )
