"""The page on explanations shows what really happens, and names every rule there is."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import satchel
from satchel.explaining.remedies import BY_WORDS

PAGE = (Path(__file__).parents[2] / "docs" / "explaining.md").read_text(encoding="utf-8")
SOURCE = Path(satchel.__file__).parent
MODULES = ("explaining/stops.py", "explaining/missing.py", "recall/trace.py")
# What differs from run to run.
VARYING = {r"\d{4}-\d\d-\d\d(T[\d:.]+Z)?": "DATE", r"\d+\.\d ms": "MS", r"sha256:[0-9a-f]{64}": "DIGEST"}


def _steady(text: str) -> str:
    for pattern, name in VARYING.items():
        text = re.sub(pattern, name, text)
    return text.strip()


def test_its_commands_print_what_it_says(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    (block,) = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    commands = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)

    assert len(commands) == 6
    for command, expected in commands:
        words = [sys.executable, "-m", "satchel", *shlex.split(command)]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        assert _steady(done.stdout) == _steady(expected)


def test_it_names_every_rule() -> None:
    table = set(re.findall(r"`([a-z_]+)`", "\n".join(re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE))))
    code = "\n".join((SOURCE / name).read_text(encoding="utf-8") for name in MODULES)
    said = {rule for rule in table if f'"{rule}"' in code}

    assert table >= BY_WORDS
    # A standing is named by the record itself.
    assert table - said <= {"quarantined", "archived", "retired", "superseded", "expired", "not_yet_valid", "kind"}
