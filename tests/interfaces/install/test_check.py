"""The commands that a host will run are tried before anything is written for it."""

import stat
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.domain.hosts import CLAUDE_CODE, CURSOR, HOOK_EVENTS, OPENCLAW
from satchel.errors import Unavailable
from satchel.interfaces.install.answers import InstallCheck, Level
from satchel.interfaces.install.check import check_commands, check_configuration
from satchel.interfaces.install.machine import Machine, program
from tests.interfaces.install.installing import machine_in
from tests.tables import each_case

SERVER = """import json, sys
if sys.argv[1] == "mcp":
    for line in sys.stdin:
        number = json.loads(line).get("id")
        if number:
            print(json.dumps({"jsonrpc": "2.0", "id": number, "result": {"tools": [{}, {}]}}), flush=True)
else:
    print("{}")
"""


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return machine_in(tmp_path)


def script(folder: Path, text: str) -> str:
    path = folder / "program"
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o700)
    return str(path)


def test_the_real_program_answers(machine: Machine, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Satchel.open(home=str(home)):
        pass
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    from satchel.config.environment import variables

    real = replace(machine, program=program("pytest"), store=home, variables=variables())
    monkeypatch.setitem(HOOK_EVENTS, CURSOR, ())
    (check,) = check_commands(real, CURSOR, Level.USER, home)

    assert check.passed
    assert "tools" in check.message


def test_mcp_server_and_hook_are_both_tried(machine: Machine, tmp_path: Path) -> None:
    working = replace(machine, program=(script(tmp_path, SERVER),))

    assert check_commands(working, CLAUDE_CODE, Level.USER, tmp_path) == (
        InstallCheck("mcp", True, "the MCP server answers and offers 2 tools"),
        InstallCheck("hook", True, "the hook SessionStart runs"),
    )


def test_the_attempt_is_not_listed_among_the_turns(machine: Machine, tmp_path: Path) -> None:
    quiet = 'import os; raise SystemExit(os.environ.get("SATCHEL_RECEIPTS_ENABLED") != "false")'
    working = replace(machine, program=(script(tmp_path, SERVER.replace('print("{}")', quiet)),))

    assert check_commands(working, CLAUDE_CODE, Level.USER, tmp_path)[-1].passed


@each_case(
    "text, problem",
    [
        ("raise SystemExit(1)", "did not answer"),
        ("print('hello')", "did not answer"),
        (SERVER.replace("[{}, {}]", "[]"), "did not answer"),
        (SERVER.replace('print("{}")', "raise SystemExit(2)"), "exit code 2"),
        (SERVER.replace('print("{}")', 'print("oops")'), "JSON"),
    ],
)
def test_a_command_that_does_not_work_is_an_error(machine: Machine, tmp_path: Path, text: str, problem: str) -> None:
    broken = replace(machine, program=(script(tmp_path, text),))

    with pytest.raises(Unavailable, match=problem) as caught:
        check_commands(broken, CLAUDE_CODE, Level.USER, tmp_path)
    assert caught.value.code == "install_check"


def test_a_missing_program_is_an_error(machine: Machine, tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="cannot be run"):
        check_commands(machine, CLAUDE_CODE, Level.USER, tmp_path)


@each_case("code, passed", [(0, True), (1, False)])
def test_openclaw_validates_its_own_configuration(machine: Machine, tmp_path: Path, code: int, passed: bool) -> None:
    folder = tmp_path / f"bin{code}"
    folder.mkdir()
    (folder / "openclaw").write_text(f"#!{sys.executable}\nprint('no such plugin')\nraise SystemExit({code})\n")
    (folder / "openclaw").chmod(stat.S_IRWXU)
    here = replace(machine, variables={"PATH": str(folder)})

    (check,) = check_configuration(here, OPENCLAW)
    assert check.passed is passed
    assert passed or "no such plugin" in check.message
    assert check_configuration(here, CLAUDE_CODE) == ()
    assert check_configuration(machine, OPENCLAW) == ()
