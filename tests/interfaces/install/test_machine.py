"""How Satchel is started from anywhere, and where its parts are."""

import sys
from pathlib import Path

import pytest

from satchel.config import load
from satchel.interfaces.install.entries import runs_satchel
from satchel.interfaces.install.machine import plugin_folder, program, this_machine
from tests.tables import each_case


def test_the_script_is_named_by_its_path_and_links_stay(tmp_path: Path) -> None:
    script = tmp_path / "real" / "satchel"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n")
    link = tmp_path / "satchel"
    link.symlink_to(script)
    assert program(str(link)) == (sys.executable, "-P", "-m", "satchel"), "it cannot be executed"

    script.chmod(0o755)
    assert program(str(link)) == (str(link),)


@each_case("name", ["-c", "", "/usr/bin/pytest", "satchel", "/nowhere/satchel", "/"])
def test_without_a_script_python_runs_the_package(name: str) -> None:
    assert program(name) == (sys.executable, "-P", "-m", "satchel")


def test_only_another_store_is_named(home: Path, tmp_path: Path) -> None:
    assert this_machine(load(), str(tmp_path)).store is None
    assert this_machine(load(home=str(home)), str(tmp_path)).store == home.resolve()
    assert this_machine(load(), str(tmp_path)).home == Path.home()


def test_an_unknown_plugin_has_no_folder() -> None:
    assert plugin_folder("nobody") is None


@each_case(
    "command, ours",
    [
        ("/opt/bin/satchel hook codex Stop", True),
        ("'/my programs/satchel' hook codex Stop --home x", True),
        ("/usr/bin/python3 -P -m satchel hook codex Stop", True),
        ("cd /src/satchel && satchel hook codex Stop", True),
        ("satchel hook cursor stop", False),
        ("satchel turn after", False),
        ("echo hook codex", False),
        ("satchelry hook codex Stop", False),
        ("satchel 'hook codex", False),
        (None, False),
        (["satchel", "hook", "codex"], False),
    ],
)
def test_our_commands_are_recognized(command: object, ours: bool) -> None:
    assert runs_satchel(command, ("hook", "codex")) is ours


@pytest.mark.parametrize("variable", ["~/x", "/abs/x"])
def test_a_variable_may_name_the_home_folder(tmp_path: Path, variable: str) -> None:
    machine = this_machine(load(), str(tmp_path))

    assert type(machine)(machine.home, machine.project, machine.program, "", True, {"CODEX_HOME": variable}).folder(
        "CODEX_HOME", ".codex"
    ) == (machine.home / "x" if variable.startswith("~") else Path("/abs/x"))
