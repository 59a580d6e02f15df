"""Documents on the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.cli.main import main


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\n## Green\n\nGreen tea at four.\n", encoding="utf-8")
    (folder / "pour.py").write_text("def pour_tea():\n    return 1\n", encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _without_a_model(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    monkeypatch.setenv("SATCHEL_HOME", str(home))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    code, out, _ = run(capsys, *arguments, "--json")
    return json.loads(out) | {"code": code}


def test_ingest_search_list_and_forget_a_folder(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    code, out, _ = run(capsys, "docs", "ingest", str(root))
    assert (code, out.splitlines()[:2]) == (0, ["2 documents of handbook in scope global", "  2 added"])

    code, out, _ = run(capsys, "docs", "search", "green tea", "--mode", "search")
    assert (code, out.splitlines()[0]) == (0, " 1. tea.md:1 Tea › Green")
    assert "doc:handbook:tea.md#" in out

    code, out, _ = run(capsys, "docs", "list")
    assert (code, out.splitlines()[0]) == (0, "handbook (global): 2 documents in 2 pieces")

    code, out, _ = run(capsys, "docs", "forget", "tea.md", "--verify")
    assert (code, out.splitlines()[0]) == (0, "forgot 1 document of handbook, 1 piece")
    assert "in none now" in out

    code, out, _ = run(capsys, "docs", "search", "green", "--mode", "search")
    assert (code, out) == (0, "nothing found in the documents of scope global\n")


def test_json_answers_use_the_envelope(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    done = as_json(capsys, "docs", "ingest", str(root), "--no-embed", "--glob", "*.py")
    assert (done["code"], done["ok"], done["result"]["added"], done["result"]["embedded"]) == (0, True, 1, 0)

    found = as_json(capsys, "docs", "search", "pourTea", "--limit", "1")
    [hit] = found["result"]["hits"]
    assert (hit["path"], hit["heading"], hit["first_line"], hit["last_line"]) == ("pour.py", ["pour_tea"], 1, 2)

    wrong = as_json(capsys, "docs", "ingest", str(root / "nowhere"))
    assert (wrong["code"], wrong["error"]["code"]) == (1, "no_such_file")


def test_add_reads_texts_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO('[{"ref": "note", "text": "oolong at five"}]'))
    done = as_json(capsys, "docs", "add", "-", "--collection", "notes")

    assert (done["ok"], done["result"]["added"]) == (True, 1)


def test_the_tool_answers_in_its_specified_shape(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    run(capsys, "docs", "ingest", str(root))
    answer = as_json(capsys, "tool", "memory_docs_search", "--query", "green tea")

    assert answer["details"]["count"] >= 1
    assert answer["details"]["hits"][0]["recordRef"].startswith("doc:handbook:tea.md#")
    assert answer["content"][0]["type"] == "text"


def test_skipped_files_are_shown(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    (root / "bad.md").write_bytes(b"\xff\xff")
    _, out, _ = run(capsys, "docs", "ingest", str(root))

    assert out.splitlines()[-2:] == [
        "  skipped: bad.md (not_utf8)",
        "  not_utf8: save such a file as UTF-8, with iconv for example",
    ]


def test_watching_continues_until_interrupted(home: Path, root: Path) -> None:
    # A background job may have inherited an ignored SIGINT.
    listening = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    program = f"{listening}; from satchel.__main__ import run; run()"
    command = [sys.executable, "-c", program, "docs", "ingest", str(root), "--watch", "--no-embed"]
    watcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert watcher.stdout is not None
        first = watcher.stdout.readline()
        _wait_for(home, "tea.md")
        (root / "later.md").write_text("oolong\n", encoding="utf-8")
        _wait_for(home, "later.md")
        watcher.send_signal(signal.SIGINT)
        out, said = watcher.communicate(timeout=60)
    finally:
        watcher.kill()
        watcher.communicate()

    assert watcher.returncode == 130
    assert "finished work is kept" in said
    assert " added; " in first
    (later,) = out.splitlines()
    assert ": 1 added; " in later


def _wait_for(home: Path, name: str) -> None:
    deadline = time.monotonic() + 60
    environment = os.environ | {"SATCHEL_HOME": str(home)}
    while time.monotonic() < deadline:
        if (home / "ledger.sqlite3").exists():
            command = [sys.executable, "-m", "satchel", "docs", "list", "--json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
            if name in done.stdout:
                return
        time.sleep(0.2)
    raise AssertionError(f"{name} was not ingested")


def test_the_citation_of_a_piece_can_be_opened(capsys: pytest.CaptureFixture[str], root: Path) -> None:
    run(capsys, "docs", "ingest", str(root), "--collection", "notes")
    whole = run(capsys, "docs", "show", "doc:notes:tea.md", "--json")[1]
    piece = json.loads(whole)["result"]["pieces"][0]
    code, out, _ = run(capsys, "docs", "show", piece["citation"])
    assert (code, piece["text"] in out, out.count("doc:notes:")) == (0, True, 1)
    assert run(capsys, "docs", "show", "doc:notes:tea.md#0123456789")[0] == 1
    assert run(capsys, "docs", "show", "nothing.md")[0] == 1
