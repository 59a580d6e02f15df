"""The examples of the documentation run, print what the pages show, and their tables are complete."""

import io
import json
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from tests.corpus.replay import run_satchel
from tests.interfaces.http.running import Server
from tests.tables import each_case
from tests.writeback.foreign import make_table, row

import satchel
from satchel.app import Satchel
from satchel.explaining.remedies import BY_WORDS
from satchel.interfaces.http.control import stop
from satchel.routing.roster import parse_roster
from satchel.routing.rules import STANDARD

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

# The number of commands on each page.
COMMANDS = {
    "../README.md": 5,
    "attention.md": 4,
    "backup.md": 4,
    "conversations.md": 8,
    "documents.md": 6,
    "episodes.md": 3,
    "evaluation.md": 3,
    "explaining.md": 10,
    "exporting.md": 5,
    "facts.md": 12,
    "graph.md": 9,
    "history.md": 28,
    "importing.md": 7,
    "media.md": 2,
    "observations.md": 12,
    "packs.md": 4,
    "rollout.md": 10,
    "routing.md": 6,
    "serve.md": 3,
    "team.md": 8,
    "trust.md": 9,
}
# Values that differ from run to run, and what replaces them.
VARYING = {
    r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}": "ID",
    r"\b(mem|pkt|dec|src|ent)_[0-9a-f]{8,}": r"\1_ID",
    r"\bmsg:[0-9a-f]+": "msg:ID",
    r"\bep-[0-9a-f]{24}": "ID",
    r"sha256:[0-9a-f]+": "DIGEST",
    r"\bsatchel_[\w-]{43}(?![\w-])": "TOKEN",
    r"\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d(:\d\d)?)?": "DATE",
    r" *\b\d+(\.\d)? ms": " MS",
    r"[\d,]+ bytes": "N bytes",
    r"searched \d+ files?": "searched N files",
}
# The first line that a page's program prints.
PROGRAMS = {
    "../README.md": r"(.*\n)*.*1 Answer in short sentences(.*\n)*",
    "attention.md": r"\('Reports have at most three bullets',\)\n(.*\n)*",
    "documents.md": r"doc:notes:note-1#[0-9a-f]{10} 1 \((|'Tea',)\)\n",
    "graph.md": r"Checkout depends on Ledger\ndependents 1\.0 \['Checkout'\]\n",
    "history.md": r"\(\)\n",
    "routing.md": r"success qmd search 0\n(.*\n)*",
    "serve.md": r"None\n",
}


def read(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", read(page), re.DOTALL)


def steady(text: str) -> str:
    for pattern, name in VARYING.items():
        text = re.sub(pattern, name, text)
    return text.strip()


def commands(page: str) -> list[tuple[str, str]]:
    """Return the commands of a page, each with the output that the page shows."""
    console = "".join(blocks(page, "console"))
    found = re.findall(r"^\$ satchel (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)
    # It fails where no server runs, and has a test of its own.
    return [one for one in found if one[0] != "serve --status"]


def write_files(page: str, folder: Path) -> None:
    """Write the files that a page shows."""
    text = read(page)
    files = dict(re.findall(r"```\w+ file=(\S+)\n(.*?)```", text, re.DOTALL))
    if page == "evaluation.md":
        files = dict(zip(re.findall(r"This is `([a-z]+\.jsonl)`", text), blocks(page, "jsonl"), strict=True))
        assert set(files) == {"mine.jsonl", "own.jsonl"}
    if page == "documents.md":
        (decisions,), (tokens,) = blocks(page, "markdown"), blocks(page, "typescript")
        files = {"handbook/decisions.md": decisions, "handbook/src/tokens.ts": tokens}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")


@pytest.fixture(autouse=True)
def _own_store(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.chdir(tmp_path)


def _printed(arguments: list[str], *, in_process: bool) -> str:
    """Run a command and return what it prints. Starting a process for each takes longer than most commands."""
    if not in_process:
        words = [sys.executable, "-m", "satchel", *arguments]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out):
        assert run_satchel(arguments) == 0
    out.seek(0)
    return out.read()


def _set_openclaw_up(folder: Path) -> None:
    """Make the table and the configuration that the page about rollouts speaks of."""
    with Satchel.open() as memory:
        texts = {"We ship on Thursdays": "decision", "Answer in short sentences": "preference"}
        rows = [row(memory.store(text, kind=kind, importance=0.9).result.id, text) for text, kind in texts.items()]
        memory.store("The office is in Oslo")
    make_table(folder / "lancedb", rows)
    config = Path.home() / ".openclaw" / "openclaw.json"
    config.parent.mkdir(parents=True)
    config.write_text('{"plugins": {"slots": {"memory": "memory-lancedb"}}}', encoding="utf-8")


@pytest.mark.parametrize("page", COMMANDS)
def test_commands_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    write_files(page, tmp_path)
    if page == "rollout.md":
        _set_openclaw_up(tmp_path)
    found = commands(page)
    assert len(found) == COMMANDS[page]
    for command, expected in found:
        printed = _printed(shlex.split(command), in_process=page != "../README.md")
        if page in ("packs.md", "rollout.md"):
            # These pages elide what differs from store to store.
            wanted = "".join(".+" if part == "…" else re.escape(part) for part in re.split("(…)", expected))
            assert not expected or re.fullmatch(wanted, printed), printed
        elif page == "episodes.md":
            assert steady(printed.partition("\nreceipt")[0]) == steady(expected)
        else:
            assert steady(printed) == steady(expected), command


@pytest.mark.parametrize("page", PROGRAMS)
def test_programs_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(page, tmp_path)
    if page == "documents.md":
        monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    (program,) = blocks(page, "python")
    if page == "serve.md":
        program += "print(answer)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert re.fullmatch(PROGRAMS[page], done.stdout), done.stdout


@each_case("program", blocks("python.md", "python"))
def test_programs_of_the_python_page_run_without_warnings(program: str, home: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    stop(home)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_program_about_episodes_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    (program,) = blocks("episodes.md", "python")
    names: dict[str, object] = {}
    exec(program, names)

    assert names["answer"] == ["b1", "b2"]
    with Satchel.open() as memory:
        assert memory.episodes.list().result.episodes == ()


def test_the_status_of_a_server_is_shown(home: Path) -> None:
    (expected,) = re.findall(r"```console\n\$ satchel serve --status\n(.*?)```", read("serve.md"), re.DOTALL)
    command = [sys.executable, "-m", "satchel", "serve", "--status", "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout.replace(str(home), "HOME")) == (1, expected)


def test_the_routes_about_a_server_answer_as_the_page_shows(home: Path) -> None:
    page, server = read("serve.md"), Server(home)
    try:
        health = server.ask("/health", b"", method="GET", headers={"Authorization": None})
        counted = server.ask("/metrics", b"", method="GET").body.decode()
    finally:
        server.stop()
    shown = json.loads(next(block for block in blocks("serve.md", "json") if "uptime_s" in block))

    assert "curl http://127.0.0.1:7711/health\n" in page
    assert health.json | {"uptime_s": 42} == shown
    families = set(re.findall(r"^# TYPE (\w+)", counted, re.MULTILINE))
    assert set(re.findall(r"`((?:satchel|process)_\w+)`", page.partition("| metric |")[2])) == families


def test_the_backends_file_is_valid() -> None:
    (block,) = blocks("routing.md", "json")

    assert [one.name for one in parse_roster(json.loads(block)).entries] == ["qmd", "totalrecall", "lossless"]


def test_every_routing_rule_is_listed() -> None:
    rows = re.findall(r"^\| (\d) \| `(\w+)` \|", read("routing.md"), re.MULTILINE)

    assert [(str(rule.number), rule.id) for rule in STANDARD.rules] == rows


def test_every_rule_of_an_explanation_is_listed() -> None:
    listed = "\n".join(re.findall(r"^\| (`.*?) \|", read("explaining.md"), re.MULTILINE))
    rules = set(re.findall(r"`([a-z_]+)`", listed))
    modules = ("explaining/stops.py", "explaining/missing.py", "recall/trace.py")
    code = "\n".join((Path(satchel.__file__).parent / name).read_text(encoding="utf-8") for name in modules)

    assert rules >= BY_WORDS
    # These rules are named by the record itself.
    standings = {"quarantined", "archived", "retired", "superseded", "expired", "not_yet_valid", "kind"}
    assert {rule for rule in rules if f'"{rule}"' not in code} <= standings
