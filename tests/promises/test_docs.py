"""The docs say what the code does: reference pages are fresh, and examples run."""

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OBSERVATIONS = (ROOT / "docs" / "observations.md").read_text(encoding="utf-8")
PYTHON_PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")

# What differs from run to run, and what it is called when outputs are compared.
VARYING = {
    r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}": "ID",
    r"sha256:[0-9a-f]+": "DIGEST",
    r"\d{4}-\d{2}-\d{2}": "DATE",
}


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _blocks(kind: str, page: str = README) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)


def _steady(text: str) -> str:
    for pattern, name in VARYING.items():
        text = re.sub(pattern, name, text)
    return text.strip()


def test_the_reference_pages_are_fresh() -> None:
    assert _generator().stale_pages(write=False) == [], "run `make docs`"


def test_every_link_between_the_pages_leads_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_has_examples() -> None:
    assert len(_blocks("console")) == 1
    assert len(_blocks("python")) == 1


@pytest.mark.parametrize("block", [*_blocks("console"), *_blocks("console", OBSERVATIONS)])
def test_the_commands_of_a_page_print_what_it_says(block: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    for command, expected in re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
        done = subprocess.run(
            [sys.executable, "-m", "satchel", *shlex.split(command)], capture_output=True, text=True, check=True
        )
        assert _steady(done.stdout) == _steady(expected)


@pytest.mark.parametrize("block", _blocks("python"))
def test_the_readme_program_runs(block: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    done = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=True)

    assert "1 Answer in short sentences" in done.stdout


@pytest.mark.parametrize("block", _blocks("python", PYTHON_PAGE))
def test_the_programs_of_the_python_page_run(block: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    done = subprocess.run([sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_every_command_of_the_reference_examples_is_understood() -> None:
    from satchel.interfaces.cli.parser import build_parser
    from satchel.interfaces.operations import OPERATIONS

    for operation in OPERATIONS:
        for example in operation.examples:
            command = example.rpartition("| ")[2].removeprefix("satchel ")
            assert build_parser().parse_args(shlex.split(command))._operation is operation
