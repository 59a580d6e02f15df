"""Completion scripts: what bash itself completes, and that the scripts of all shells know every command and option."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from satchel.interfaces.cli.commands import SHELLS
from satchel.interfaces.cli.completion import completion_script
from satchel.interfaces.cli.completion.tree import FILES, FOLDERS, command_tree
from satchel.interfaces.cli.parser import build_parser
from satchel.interfaces.cli.table import command_name, commands_beginning, extending_commands
from tests.tables import each_case

COMPLETED = [
    (["sto"], {"store"}),
    (["st"], {"store", "stats"}),
    (["graph", "ex"], {"extract", "export"}),
    (["--home", "graph", "--json", "graph", "l"], {"list"}),
    (["recall", "x", "--ki"], {"--kind"}),
    (["recall", "x", "--kind", "de"], {"decision"}),
    (["recall", "x", "--kind", "=", "de"], {"decision"}),
    (["recall", "x", "--mode", "="], {"hybrid", "lexical", "vector"}),
    (["recall", "x", "--kind=de"], {"--kind=decision"}),
    (["recall", "--kind", "fact", ""], set()),
    (["docs", "search", "x", "--mode", ""], {"search", "vsearch", "query"}),
    (["graph", "export", "x", "--format", ""], {"markdown", "mermaid"}),
    (["route", ""], {"list", "stats"}),
    (["route", "question", "s"], set()),
    (["route", "stats", "--l"], {"--limit"}),
    (["attention", "list", "--d"], {"--db"}),
    (["attention", "--db", "a", "li"], {"list"}),
    (["backends", "probe", "q"], {"qmd"}),
    (["completion", ""], {"bash", "zsh", "fish"}),
    (["help", "tim"], {"timeline"}),
    (["help", "graph", "pa"], {"path"}),
    (["help", "graph", "--"], set()),
    (["import", ""], {"a folder", "my memories.jsonl"}),
    (["import", "my"], {"my memories.jsonl"}),
    (["docs", "ingest", "a"], {"a folder"}),
    (["import", "x", "--limit", ""], set()),
    (["mcp", "--files", ""], {"a folder"}),
    (["--home", ""], {"a folder"}),
    (["store", ""], set()),
    (["get", ""], set()),
    (["store", "--", "--k"], set()),
    (["nonsense", ""], set()),
    (["$(touch harm)", "`touch harm`"], set()),
]
_ASK = """source "$1"; shift
complete -p satchel >/dev/null || exit 1
COMP_WORDS=(satchel "$@"); COMP_CWORD=$#
_satchel
for found in "${COMPREPLY[@]}"; do printf '%s\\n' "$found"; done"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the script, and with files to complete in a folder below."""
    (tmp_path / "satchel.bash").write_text(completion_script("bash"), encoding="utf-8")
    (tmp_path / "here" / "a folder").mkdir(parents=True)
    (tmp_path / "here" / "my memories.jsonl").touch()
    return tmp_path


@each_case("words, expected", COMPLETED, ids=[" ".join(words) for words, _ in COMPLETED])
def test_bash_completes(words: list[str], expected: set[str], folder: Path) -> None:
    done = subprocess.run(
        ["bash", "--norc", "-c", _ASK, "bash", str(folder / "satchel.bash"), *words],
        cwd=folder / "here",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert set(done.stdout.splitlines()) == expected
    assert {path.name for path in (folder / "here").iterdir()} == {"a folder", "my memories.jsonl"}


def test_the_tree_has_the_options_of_the_parser() -> None:
    nodes = {node.words: node for node in command_tree()}
    for command in commands_beginning():
        name = command_name(command)
        helped = _help_of(name)
        assert {option.name for option in nodes[name].options} == set(re.findall(r"(?<![\w-])--[a-zA-Z-]+", helped)), (
            name
        )


def _help_of(name: str) -> str:
    parser = build_parser(name.split()[0])
    for word in [name] if name in extending_commands(commands_beginning()) else name.split():
        (commands,) = (action.choices for action in parser._actions if isinstance(action.choices, dict))
        parser = commands[word]
    return parser.format_usage() + " --help"


@pytest.mark.parametrize("shell", SHELLS)
def test_every_script_knows_every_command_option_and_value(shell: str) -> None:
    script = completion_script(shell)
    for node in command_tree():
        assert f"'{node.words}'" in script
        for option in node.options:
            assert option.name in script
        for _, values in node.values():
            assert all(value in script for value in values)


@each_case("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_the_shells_of_this_machine_can_read_their_script(shell: str, tmp_path: Path) -> None:
    (tmp_path / "script").write_text(completion_script(shell), encoding="utf-8")
    done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_names_need_no_quotes_in_any_shell() -> None:
    safe = re.compile(r"[\w.-]+")
    for node in command_tree():
        names = [*(name for name, _ in node.commands), *(option.name for option in node.options)]
        values = [value for _, values in node.values() for value in values if value not in (FILES, FOLDERS)]
        assert all(safe.fullmatch(one) for one in [*names, *values, *node.words.split()])
