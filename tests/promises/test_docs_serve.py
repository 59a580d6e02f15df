"""The page about the server shows what the command does."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "serve.md").read_text(encoding="utf-8")


def test_its_command_prints_what_it_says(home: Path) -> None:
    (expected,) = re.findall(r"```console\n\$ satchel serve --status\n(.*?)```", PAGE, re.DOTALL)
    command = [sys.executable, "-m", "satchel", "serve", "--status", "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.replace(str(home), "HOME")) == (1, expected)


def test_its_program_runs(tmp_path: Path) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    told = subprocess.run(
        [sys.executable, "-c", program + "print(answer)"],
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout == "None\n"
