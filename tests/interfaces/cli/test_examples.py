"""Every command has examples, which parse, and which run on a store that holds what they name."""

import io
import json
import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.cli.main import main
from satchel.interfaces.cli.overview import EXAMPLES
from satchel.interfaces.cli.parser import parse_command_line
from satchel.interfaces.cli.table import command_name, commands_beginning
from tests.tables import each_case, fresh_folder

COMMANDS = commands_beginning()
OUTSIDE = re.compile(
    r"satchel (mcp|serve|worker|demo|eval)"  # they do not end, or take long and have tests of their own
    r"|--(follow|watch)"  # the same
    r"|satchel capture"  # only the whole program reads its standard input
    r"|postgresql://"  # needs a server: tests/postgres
    r"|satchel (un)?install"  # they change the files of hosts
    r"|satchel (writeback-lancedb|rollout)"  # the same, and tables of other programs
    r"|--adapter qmd-cli|model install minilm"  # another program, a downloaded model
)
"""Examples that are only parsed, because they need something from outside or do not end."""


@each_case("command", COMMANDS, ids=command_name)
def test_every_command_has_an_example_of_itself(command: Any) -> None:
    assert command.examples, "give it one: examples=(…) of @operation or of Command"
    for example in command.examples:
        assert parse_command_line(_arguments(example))._operation is command


def test_no_example_is_wider_than_a_screen() -> None:
    assert [one for one in _all_examples() if len(one) > 120] == []


class Scratch:
    """A store, and a folder with the files that the examples name, both in one folder."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._root, self._monkeypatch, self._capsys = root, monkeypatch, capsys
        self._work = root / "work"
        self._work.mkdir(parents=True, exist_ok=True)
        monkeypatch.setenv("HOME", str(self._work))
        monkeypatch.chdir(self._work)

    def copy_to(self, root: Path) -> "Scratch":
        """Return a copy in another folder, which is used from now on."""
        shutil.copytree(self._root, root, dirs_exist_ok=True)
        return Scratch(root, self._monkeypatch, self._capsys)

    def write_files(self) -> None:
        """Write the files."""
        for name, text in _FILES.items():
            path = self._work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def fill_store(self) -> Mapping[str, tuple[str, ...]]:
        """Store what the examples name. Return the ids that `ID` stands for, by the first words of a command."""
        run = self._result
        run("config", "set", "embedding.provider", "hashing")
        run("config", "set", "docs_cold_lane.source_roots", str(self._work / "notes"))
        stored = tuple(run("store", text)["id"] for text in ("We ship on Thursdays", "We drink tea"))
        found = tuple(run("store", text, "--source-kind", "tool")["id"] for text in ("It is full", "The log is long"))
        run("tag", "create", "before-refactor")
        archived = run("store", "We shipped on Mondays")["id"]
        run("tag", "restore", "before-refactor")
        run("capture", json.dumps({"tool_name": "bash", "text": "timeout " + "of the build " * 2_000}))
        run("ingest")
        turn = run("episodes", "add", "We ship on Fridays.", "--session", "standup", "--speaker", "Ann")
        run("docs", "ingest", str(self._work / "work" / "api"))
        run("graph", "extract", str(self._work / "work" / "shop"))
        fact = run("fact", "assert", "payments", "status", "live", "--source", stored[0], "--from", "2026-01-01")
        for number in range(8):
            run("conversation", "add", f"Message {number} of the eight that get a summary", "--conversation", "api")
        summary = run("conversation", "show", "api")["summaries"][0]["id"]
        run("store", "We use Postgres", "--kind", "decision", "--scope", "repo/api")
        run("store", "We use Vite", "--kind", "decision", "--scope", "repo/web")
        run("backends", "install", "--tier", "pro")
        run("backends", "install", "totalrecall", "--options", json.dumps({"folder": str(self._work / "tiers")}))
        run("token", "create", "phone")
        run("user", "add", "anna")
        run("user", "add", "ben")
        run("backup", str(self._work / "monday.backup"))
        run("recall", "when do we ship?")
        return {
            "": stored,
            "review": found,
            "confirm": found,
            "lifecycle revive": (archived,),
            "timeline": (observed := run("search", "timeout")["hits"][0]["id"],),
            "artifacts": (observed,),
            "episodes": (turn["ids"][0],),
            "conversation expand": (summary,),
            "fact invalidate": (fact["fact"]["id"],),
            "sha256:3f0c": (run("receipts", "list")[0]["digest"],),
        }

    def _result(self, *arguments: str) -> Any:
        code, out, _ = self.run([*arguments, "--json"])
        assert code == 0, (arguments, out)
        return json.loads(out)["result"]

    def run(self, arguments: Sequence[str]) -> tuple[int, str, str]:
        """Return the exit code and the output of a command."""
        try:
            code = main([*arguments, "--home", str(self._root / "store")])
        except SystemExit as end:
            code = int(end.code or 0)
        return code, *self._capsys.readouterr()


_FILES = {
    "CLAUDE.md": "We ship on Thursdays.\n",
    "memories.jsonl": '{"text": "We ship on Thursdays"}\n',
    "turns.jsonl": '{"text": "We ship on Fridays.", "session": "standup"}\n',
    "key.txt": "an-example\n",
    "notes/plan.md": "# Plan\n\nTokens are renewed by a refresh.\n",
    "work/shop/shop.py": "class AuthMiddleware(SessionStore): ...\n\n\nclass SessionStore: ...\n",
    "work/api/notes/plan.md": "# Plan\n\nShip on Fridays.\n",
    "work/api/app.py": "def parse_token(): ...\n",
}


def test_every_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    filled = Scratch(tmp_path / "filled", monkeypatch, capsys)
    filled.write_files()
    ids = filled.fill_store()
    failed = []
    for example in (one for one in _all_examples() if not OUTSIDE.search(one)):
        # Each on a copy of its own: an earlier one may have erased what it is about.
        scratch = filled.copy_to(fresh_folder(tmp_path))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(_piped(example).encode()), encoding="utf-8"))
        code, out, err = scratch.run(_filled_in(_arguments(example), ids))
        if code != 0 or not out.strip() or "internal_error" in out:
            failed.append((example, code, err))
    assert failed == [], "\n".join(map(str, failed))


def _filled_in(arguments: Sequence[str], ids: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Replace the ids of an example by those of the store."""
    words = " ".join(arguments)
    known = iter(next((ids[start] for start in ids if start and words.startswith(start)), ids[""]))
    # An id, and a sequence number that the store has not reached.
    receipt = ids["sha256:3f0c"][0]
    standing_for = {"6f1c2d34": ids[""][0], "sha256:3f0c": receipt, "sha256:81aa": receipt, "120": "2"}
    return [next(known) if word == "ID" else standing_for.get(word, word) for word in arguments]


def _piped(example: str) -> str:
    """Return what the program before a pipe prints."""
    producer = shlex.split(example.rpartition(" | ")[0])
    if not producer:
        return ""
    return {"echo": producer[-1], "git": "Fix the login", "cat": _FILES.get(producer[-1], "")}[producer[0]]


def _arguments(example: str) -> list[str]:
    return shlex.split(example.rpartition(" | ")[2].removeprefix("satchel "))


def _all_examples() -> list[str]:
    return [*EXAMPLES, *(example for command in COMMANDS for example in command.examples)]
