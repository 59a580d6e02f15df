"""Unusual environments: no home folder, odd and long paths, links, an open umask, few descriptors, no temporary folder."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.faults.extent import extent
from tests.interfaces.http.running import Server

PATIENCE = 120
# Runs commands one after the other as the program does, and reports the exit code and the answer of each, with the
# files that others could read.
RUN = """
import contextlib, io, json, os, stat, sys
from satchel.__main__ import run

def open_to_others(home):
    found = []
    for folder, _, names in os.walk(home):
        for path in (folder, *(os.path.join(folder, name) for name in names)):
            if not os.path.islink(path) and os.path.lexists(path) and os.lstat(path).st_mode & 0o077:
                found.append(os.path.relpath(path, home))
    return sorted({*found})

home, *_ = arguments = sys.argv[1:]
for line in sys.stdin:
    os.umask(0)
    sys.argv = ["satchel", *json.loads(line)]
    out, code = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), None
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        try:
            run()
        except SystemExit as end:
            code = end.code
    out.flush()
    said = out.buffer.getvalue().decode("utf-8", "replace")
    os.write(1, json.dumps([code, said, open_to_others(home)]).encode() + b"\\n")
"""
# What a process has to do without.
FEW_DESCRIPTORS = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
NO_TEMPORARY_FOLDER = "import tempfile\ntempfile._candidate_tempdir_list = lambda: []\n"
NO_LOCKS = (
    "import errno, fcntl\n"
    "def refuse(*_): raise OSError(errno.ENOLCK, 'No locks available')\n"
    "fcntl.flock = fcntl.lockf = refuse\n"
)
WITHOUT = {"temporary folder": NO_TEMPORARY_FOLDER, "locks": NO_LOCKS}


class Said(NamedTuple):
    """How a command ended."""

    words: tuple[str, ...]
    code: int
    output: str
    open_files: tuple[str, ...]

    @property
    def answer(self) -> Any:
        return json.loads(self.output)


def commands(folder: Path) -> list[tuple[str, ...]]:
    """Return commands of every kind that writes files."""
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes" / "plan.md").write_text("# Plan\n\nShip on Thursdays.\n", encoding="utf-8")
    (folder / "rows.jsonl").write_text('{"text": "an imported walrus"}\n', encoding="utf-8")
    every = [
        ("store", "the first walrus", "--json"),
        ("recall", "walrus", "--json"),
        ("index", "build", "--json"),
        ("capture", '{"text": "a walrus event"}', "--json"),
        ("ingest", "--json"),
        ("docs", "ingest", str(folder / "notes"), "--json"),
        ("episodes", "add", "We ship on Fridays.", "--session", "standup", "--json"),
        ("conversation", "add", "We decided to ship on Fridays", "--json"),
        ("graph", "add", "Shop", "DEPENDS_ON", "Ledger", "--tail-type", "Project", "--head-type", "Project", "--json"),
        ("import", str(folder / "rows.jsonl"), "--yes", "--json"),
        ("export", str(folder / "out.jsonl"), "--force", "--json"),
        ("tag", "create", "first", "--json"),
        ("tag", "restore", "first", "--json"),
        ("config", "set", "recall.limit", "7", "--json"),
        ("lifecycle", "run", "--json"),
        ("index", "optimize", "--json"),
        ("attention", "route", "--goal", "walrus", "--json"),
        ("list", "--json"),
        ("stats", "--json"),
        ("doctor", "--json"),
    ]
    return [*extent([*every[:4], *every[10:11], every[-1]], every)]


def said(
    home: Path,
    work: Path,
    *,
    without: str = "",
    environment: Mapping[str, str | None] | None = None,
    only: tuple[str, ...] = (),
) -> list[Said]:
    """Run commands on a store in one process of its own, with or without parts of its environment."""
    changed = {"SATCHEL_HOME": str(home), "SATCHEL_EMBEDDER": "hashing", "SATCHEL_RECALL_INDEX_FROM": "0"}
    merged: dict[str, str | None] = {**os.environ, **changed, **(environment or {})}
    todo = [one for one in commands(work) if not only or one[0] in only]
    done = subprocess.run(
        [sys.executable, "-c", without + RUN, str(home)],
        input="".join(json.dumps(words) + "\n" for words in todo),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={name: value for name, value in merged.items() if value is not None},
        cwd=work,
    )
    assert "Traceback" not in done.stderr, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(todo), done.stderr
    return [
        Said(words, code, output, tuple(open_files))
        for words, (code, output, open_files) in zip(todo, answers, strict=True)
    ]


def all_worked(answers: list[Said]) -> None:
    assert [(one.words, one.output) for one in answers if one.code not in (0, None)] == []


HOMES = {
    "spaces": "my   home/ satchel ",
    "Unicode": "données 会议 \U0001f9ad/ünïcödé",
    "quotes and shell signs": 'it\'s "here"; $(no) `no` %20 *?',
    "a leading dash": "-rf",
    "300 characters": "/".join(["long" * 20] * 4),
}


@pytest.mark.parametrize("name", extent(["300 characters"], [*HOMES]))
def test_a_store_works_wherever_it_is(tmp_path: Path, name: str) -> None:
    home = tmp_path / HOMES[name]
    answers = said(home, tmp_path)
    all_worked(answers)
    assert (home / "ledger.sqlite3").exists()
    # Whatever the umask is: it lets everybody read and write.
    assert {one.words[0]: one.open_files for one in answers if one.open_files} == {}
    assert stat.S_IMODE((tmp_path / "out.jsonl").stat().st_mode) == 0o600


@pytest.mark.parametrize("name", ["two\nlines", "\udcff\udcfe"], ids=["line break", "not UTF-8"])
def test_a_name_that_cannot_be_written_in_a_message_is_refused(tmp_path: Path, name: str) -> None:
    for one in said(tmp_path / name, tmp_path, only=("store", "list")):
        assert (one.code, one.answer["error"]["code"]) == (2, "invalid_setting")


@pytest.mark.whole
def test_a_linked_home_is_used_and_nothing_around_its_target_is_changed(tmp_path: Path) -> None:
    link, target = tmp_path / "home", tmp_path / "elsewhere" / "data"
    target.mkdir(parents=True, mode=0o755)
    (target.parent / "of somebody else").touch(mode=0o644)
    link.symlink_to(target)
    all_worked(said(link, tmp_path))
    assert (target / "ledger.sqlite3").is_file()
    assert link.is_symlink()
    assert stat.S_IMODE((target.parent / "of somebody else").stat().st_mode) == 0o644


def test_without_a_home_folder_the_named_store_works(home: Path, tmp_path: Path) -> None:
    nowhere = {"HOME": None, "XDG_DATA_HOME": None, "XDG_CONFIG_HOME": None, "USERPROFILE": None}
    all_worked(said(home, tmp_path, environment=nowhere))


@pytest.mark.parametrize("place", extent(["/proc/nothing"], ["/proc/nothing", "/dev/null", "/dev/null/home"]))
def test_a_home_that_cannot_be_made_is_one_clear_error(tmp_path: Path, place: str) -> None:
    for one in said(Path(place), tmp_path, only=("store", "recall", "list", "doctor", "export")):
        assert one.code in (1, 2, 3), one
        assert one.answer["error"]["code"]
        assert one.answer["error"]["hint"]


def test_few_descriptors_are_enough_or_named_as_the_reason(home: Path, tmp_path: Path) -> None:
    for one in said(home, tmp_path, without=FEW_DESCRIPTORS):
        assert one.code == 0 or one.answer["error"]["code"] != "internal", one


def test_a_server_with_few_descriptors_refuses_some_and_serves_on(home: Path) -> None:
    server = Server(home, script=FEW_DESCRIPTORS)
    try:
        crowd = []
        for _ in range(80):
            try:
                crowd.append(server.connect())
            except OSError:
                break
        for one in crowd:
            one.close()
        assert server.is_well()
        assert server.ask("/v1/store", {"text": "after the crowd"}).status == 200
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("missing", extent(["temporary folder"], ["temporary folder", "locks"]))
def test_what_a_system_does_not_have_is_not_needed_or_named(home: Path, tmp_path: Path, missing: str) -> None:
    for one in said(home, tmp_path, without=WITHOUT[missing]):
        assert one.code == 0 or one.answer["error"]["code"] != "internal", one
