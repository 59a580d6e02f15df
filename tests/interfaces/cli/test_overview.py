"""The help of the whole program: complete, in one screen's width, and without loading the features."""

import subprocess
import sys
from pathlib import Path

import pytest

from satchel.interfaces.cli.main import main
from satchel.interfaces.cli.overview import SECTIONS, SUMMARIES, overview
from satchel.interfaces.cli.table import command_name, commands_beginning
from tests.interfaces.cli.cli_runner import CliRunner


def test_every_command_is_in_exactly_one_section() -> None:
    declared = [word for section in SECTIONS.values() for word in section]
    words = {command_name(one).split()[0] for one in commands_beginning()}

    assert words == set(declared), "declare the first word of every command in one section of SECTIONS"
    assert len(declared) == len(set(declared))


def test_it_fits_a_terminal_of_100_columns() -> None:
    assert max(map(len, overview().splitlines())) <= 100
    assert overview().isascii(), "it is written before the streams are set up"


def test_help_lines_are_alike() -> None:
    lines = [*SUMMARIES.values(), *(one.help for one in commands_beginning())]
    parameters = [one.help for command in commands_beginning() for one in command.parameters]

    assert [line for line in [*lines, *parameters] if line.endswith(".") or not line.strip()] == []
    assert [line for line in lines if line[0].isupper() or ". " in line] == []


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["help"], ["--json", "--help"]])
def test_every_way_to_ask_shows_it(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert (end.value.code, capsys.readouterr().out) == (0, overview())


def test_it_loads_no_feature() -> None:
    loaded = (
        "import runpy, sys\ntry:\n runpy.run_module('satchel', run_name='__main__')\nfinally:\n print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", loaded, "--help"], capture_output=True, text=True, check=True)

    assert done.stdout.startswith(overview())
    modules = done.stdout.removeprefix(overview()).split()
    assert not {"satchel.app", "satchel.interfaces.operations", "msgspec", "argparse"} & set(modules)


class TestGroups:
    def test_a_group_without_a_command_shows_its_help(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        for group in ("graph", "config", "turn", "tool"):
            shown = []
            for arguments in ([group], [group, "--help"], ["help", group]):
                with pytest.raises(SystemExit) as end:
                    main([*arguments, "--home", str(home)])
                shown.append((end.value.code, capsys.readouterr().out))
            assert shown[0][1].startswith(f"usage: satchel {group} ")
            assert shown == [(0, shown[0][1])] * 3
        assert not home.exists()

    def test_a_program_gets_json(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        answer = CliRunner(home, capsys).json("index", code=2)
        assert answer["error"] == {
            "code": "usage",
            "message": "index needs COMMAND",
            "hint": "see 'satchel index --help'",
        }

    def test_a_command_that_is_a_group_too_names_its_subcommands(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            main(["route", "--help"])
        assert "see also: satchel route stats" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["recall"], ["graph", "path"], ["route", "stats"], ["capture"], ["turn", "before"]])
def test_help_is_the_same_as_the_option(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for arguments in (["help", *words], [*words, "--help"]):
        with pytest.raises(SystemExit):
            main(arguments)
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert shown[0].startswith(f"usage: satchel {' '.join(words)} ")
    assert "\nexample" in shown[0]


def test_help_of_an_unknown_command_is_an_error(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = CliRunner(home, capsys)
    assert "did you mean 'recall'?" in run("help", "recal", code=2)
    assert "did you mean 'graph path'?" in run("help", "graph", "pth", code=2)
