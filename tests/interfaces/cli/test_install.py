"""`satchel install` and `satchel uninstall` on the command line."""

import io
import json
import sys
from pathlib import Path

import pytest

from satchel.domain.hosts import HOOK_EVENTS, HOSTS
from satchel.interfaces.cli.present import Screen
from tests.interfaces.cli.cli_runner import CliRunner
from tests.tables import each_case


@pytest.fixture
def cursor(monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of Cursor in the person's home; no hook is run for it."""
    monkeypatch.setitem(HOOK_EVENTS, "cursor", ())
    # The commands that are tried must be these sources.
    monkeypatch.setenv("PYTHONPATH", ":".join(sys.path))
    folder = Path.home() / ".cursor"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str]) -> CliRunner:
    return CliRunner(home, capsys)


def test_installing_makes_a_store_and_a_working_server(run: CliRunner, home: Path, cursor: Path) -> None:
    (cursor / "mcp.json").write_text('{"mcpServers": {"other": {"command": "x"}}}', encoding="utf-8")
    said = run("install", "cursor", "--yes")
    assert '+{"mcpServers": {"other": {"command": "x"}, "satchel": {' in said
    assert "Satchel is installed in cursor (user)" in said
    assert "✓ the MCP server answers" in said

    server = json.loads((cursor / "mcp.json").read_text(encoding="utf-8"))["mcpServers"]["satchel"]
    assert server["args"][-5:] == ["mcp", "--scope", "auto", "--home", str(home)]
    assert (home / "ledger.sqlite3").exists()
    assert run.json("config", "show", "--changed")["result"]["settings"][-1]["key"] == "serve.on_demand"
    assert "already installed" in run("install", "cursor")
    assert run.json("install", "--list")["result"]["hosts"][3]["user"] == "yes"

    removed = run.json("uninstall", "cursor", "--yes")
    assert [one["action"] for one in removed["result"]["reports"]] == ["uninstalled"]
    assert (cursor / "mcp.json").read_text(encoding="utf-8") == '{"mcpServers": {"other": {"command": "x"}}}'
    assert "not installed" in run("uninstall", "cursor")


def test_a_dry_run_answers_in_json_too(run: CliRunner, home: Path, cursor: Path) -> None:
    answer = run.json("install", "cursor", "--dry-run")

    assert answer["result"]["action"] == "planned"
    assert answer["result"]["changes"][0]["action"] == "create"
    assert answer["receipt"]["body"]["decided"] == {"action": "planned"}
    assert not home.exists()
    assert list(cursor.iterdir()) == []


def test_the_list_names_every_host(run: CliRunner, cursor: Path) -> None:
    said = run("install", "--list")

    assert all(host in said for host in HOSTS)
    assert str(cursor / "mcp.json") in said


@each_case(
    "words, code",
    [
        (("install",), "missing_param"),
        (("install", "emacs"), "unknown_host"),
        (("install", "cursor", "--user", "--project"), "usage"),
        (("install", "cursor", "--list"), "usage"),
        (("install", "gemini"), "host_not_found"),
        (("install", "openclaw", "--project"), "no_project_level"),
        (("uninstall",), "usage"),
        (("uninstall", "emacs"), "unknown_host"),
    ],
)
def test_bad_input_gets_one_error(run: CliRunner, cursor: Path, words: tuple[str, ...], code: str) -> None:
    answer = run.json(*words, code=2 if code != "host_not_found" else 1)

    assert answer["error"]["code"] == code
    assert answer["error"]["hint"]


class Terminal(io.StringIO):
    """Text that a person types."""

    def isatty(self) -> bool:
        return True


@each_case("typed, agreed", [("y\n", True), ("YES\n", True), ("\n", False), ("n\n", False), ("", False)])
def test_a_person_at_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch, typed: str, agreed: bool) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert Screen(as_json=False).ask("Really?") is agreed


def test_nothing_is_written_where_nobody_can_be_asked(
    run: CliRunner, home: Path, cursor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    said = run("install", "cursor", code=2)
    assert '+  "mcpServers"' in said
    assert "nothing was changed" in said and "--yes applies it" in said
    assert run.json("install", "cursor", code=2)["error"]["code"] == "needs_yes"
    assert (list(cursor.iterdir()), (home / "ledger.sqlite3").exists()) == ([], False)

    run("install", "cursor", "--yes")
    before = (cursor / "mcp.json").read_bytes()
    assert "--yes applies it" in run("uninstall", "cursor", code=2)
    assert (cursor / "mcp.json").read_bytes() == before
