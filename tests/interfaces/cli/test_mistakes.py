"""Command lines that cannot be parsed: one line that says what was probably meant."""

from pathlib import Path

import pytest

from tests.interfaces.cli.cli_runner import CliRunner
from tests.tables import each_case

MISTAKES = [
    ("graph lst", "unknown command 'graph lst' (did you mean 'graph list'? 'satchel graph --help' lists all)"),
    ("graph --home x lst", "unknown command 'graph lst'"),
    ("nope", "unknown command 'nope' ('satchel --help' lists all)"),
    ("help nope", "unknown command 'nope' ('satchel --help' lists all)"),
    ("opne", "unknown command 'opne' (did you mean 'open'? 'satchel --help' lists all)"),
    ("tore x", "unknown command 'tore' (did you mean 'store'? 'satchel --help' lists all)"),
    ("graph xyzzy", "unknown command 'graph xyzzy' ('satchel graph --help' lists all)"),
    ("neighbors x", "unknown command 'neighbors' (did you mean 'graph neighbors'? 'satchel --help' lists all)"),
    ("recall x --limt 3", "unknown option '--limt' (did you mean '--limit'? 'satchel recall --help' lists all)"),
    ("recall --limt=3 x", "unknown option '--limt' (did you mean '--limit'?"),
    ("pack --qurey x", "unknown option '--qurey' (did you mean '--query'? 'satchel pack --help' lists all)"),
    (
        "route stats --limti 3",
        "unknown option '--limti' (did you mean '--limit'? 'satchel route stats --help' lists all)",
    ),
    ("store x --xyzzy", "unknown option '--xyzzy' ('satchel store --help' lists all)"),
    ("--hom x store y", "unknown option '--hom' (did you mean '--home'? 'satchel --help' lists all)"),
    ("graph --scope x list", "unknown option '--scope' ("),
    ("--db x attention list", "unknown option '--db' ("),
    ("undo --list", "unknown option '--list' (did you mean 'satchel undo list'? 'satchel undo --help' lists all)"),
    ("tag list --scope x", "unknown option '--scope' ('satchel tag list --help' lists all)"),
    ("fact assert a b c --since x", "unknown option '--since' ('satchel fact assert --help' lists all)"),
    (
        "store -x",
        "unknown option '-x' ('satchel store --help' lists all; put -- before a text that begins with a dash)",
    ),
    ("list -n 5", "unknown option '-n' ('satchel list --help' lists all; "),
    ("why-not question ID", "unrecognized arguments: question ID (it needs --query and --expect"),
    ("serve status", "unrecognized arguments: status (did you mean '--status'? 'satchel serve --help' lists all)"),
    ("install codex cursor", "unrecognized arguments: cursor (it takes one HOST: see 'satchel install --help')"),
    ("stats all", "unrecognized arguments: all (it takes only options: see 'satchel stats --help')"),
    ("recall when do we", 'unrecognized arguments: do we (put QUERY in quotes: satchel recall "…")'),
    ("store We ship", 'unrecognized arguments: ship (put TEXT in quotes: satchel store "…")'),
    ("forget a b", "unrecognized arguments: b (it takes one ID: see 'satchel forget --help')"),
    ("--nope", "unknown option '--nope' ('satchel --help' lists all)"),
    ("recall", 'recall needs QUERY (such as: satchel recall "when do we release?")'),
    ("fact assert payments", "fact assert needs PREDICATE, OBJECT (such as: satchel fact assert payments status live"),
    ("pack", 'pack needs --query (such as: satchel pack --query "prepare the release" --budget-tokens 800)'),
    ("completion tcsh", "unknown shell 'tcsh' (one of: bash, zsh, fish)"),
    ("completion", "completion needs SHELL (such as: satchel completion bash)"),
]


@each_case("command, message", MISTAKES, ids=[command for command, _ in MISTAKES])
def test_a_mistake_is_explained_in_one_line(
    command: str, message: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = command.split()
    shown = CliRunner(home, capsys)(*words, code=2)
    assert shown.startswith(f"satchel: {message}")
    assert len(shown.splitlines()) == 1


@each_case("word", ["", " ", "recall x", "a" * 10_000, "\udcff", "-"])
def test_a_strange_word_is_not_a_command(word: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = CliRunner(home, capsys)
    for arguments in ([word], ["graph", word], ["help", word]):
        assert run.json(*arguments, code=2)["error"]["code"] == "usage"


def test_a_group_that_lists_by_itself_takes_the_word_list(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = CliRunner(home, capsys)
    run("store", "We ship on Thursdays")
    assert run("scopes", "list") == run("scopes")


def test_texts_that_look_like_options_are_texts(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = CliRunner(home, capsys)
    assert run("store", "--limt is not an option").startswith("stored ")
    assert run("--home", str(home), "store", "--title", "-5", "minus five").startswith("stored ")
    assert "--limt" in run("recall", "--mode", "lexical", "limt option")


def test_an_id_that_no_scope_has_needs_no_other_scope(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = CliRunner(home, capsys)
    run("store", "We ship on Thursdays")
    for words in (("get",), ("edit", "--text", "x"), ("forget",), ("review",), ("uses",), ("episodes", "forget")):
        said = run(*words, "nobody", "--all-scopes", code=1)
        assert "in any scope" in said, words
        assert "use --all-scopes" not in said, words
    assert "or use --all-scopes" in run("get", "nobody", code=1)
