"""The page about episodes shows what the commands and the program do."""

import re
import shlex
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.interfaces.cli.main import main

PAGE = (Path(__file__).parents[2] / "docs" / "episodes.md").read_text(encoding="utf-8")


def test_its_commands_print_what_it_says(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (session,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for part in session.split("$ satchel ")[1:]:
        command, _, expected = part.partition("\n")
        assert main([*shlex.split(command), "--home", str(home)]) == 0
        printed = re.sub(r"ep-[0-9a-f]{24}", "ID", capsys.readouterr().out)
        assert printed.partition("\nreceipt")[0].rstrip() == expected.rstrip()


def test_its_program_runs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    told: dict[str, object] = {}
    exec(program, told)

    assert told["answer"] == ["b1", "b2"]
    with Satchel.open() as memory:
        assert memory.episodes.list().result.episodes == ()
