"""A name of a file leads nowhere but into the folder it was meant for, and no file is endless."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.agents import TOOLS, Bounds, perform
from satchel.interfaces.operations import OPERATIONS, Session
from tests.faults.extent import extent
from tests.security.cases import BY_NAME, as_operator
from tests.security.conftest import open_session
from tests.security.test_sinks import hang_detector
from tests.tables import each_case

SECRET = "zqoutside"
_TARGETS = ("outside/secret.jsonl", "etc/passwd", "home/ledger.sqlite3", "home/serve.token", "outside/new.jsonl")
_CLIMBS = (
    "../{}", "../../{}", "../../../../../../../../{}", "./../{}", "a/../../{}", "..//{}", "..\\{}", "..\\..\\{}", "....//{}", "%2e%2e/{}",
    "..%2f{}", "..%252f{}", "..%c0%af{}", "\u2024\u2024/{}", "．．/{}", "../\u200b{}", "{root}/{}", "//{root}/{}", "file://{root}/{}",
    "~/{}", "~root/{}", "~nobody-such/{}", "\\\\host\\share\\{}", "C:\\{}", "link/{}", "link/../{}", "loop/{}",
)  # fmt: skip
_ODD = (
    "", " ", ".", "..", "/", "//", "~", "-", "\0", "a\0b", "a\nb", "\udc80", "x" * 256, "x/" * 3_000, "a" * 70_000, "fifo", "link", "loop",
    "file-link", "dangling", "/dev/zero", "/dev/stdin", "/dev/fd/0", "/proc/self/environ", "/proc/self/mem", "~nobody-such/x", "con", "nul", "aux.jsonl", "$HOME/x",
)  # fmt: skip


def payloads(root: Path) -> list[str]:
    """Return names that a careless join would let out of the folder."""
    climbs = [climb.replace("{root}", str(root)).replace("{}", target) for climb in _CLIMBS for target in _TARGETS]
    return [*climbs, *_ODD]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder for files beside one with a secret, with links that lead from the one to the other."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    (tmp_path / "etc").mkdir()
    for secret in (outside / "secret.jsonl", tmp_path / "etc" / "passwd"):
        secret.write_text(json.dumps({"text": SECRET}) + "\n", encoding="utf-8")
    (inside / "link").symlink_to(outside)
    (inside / "file-link").symlink_to(outside / "secret.jsonl")
    (inside / "dangling").symlink_to(outside / "dangling")
    (inside / "loop").symlink_to(inside / "loop")
    os.mkfifo(inside / "fifo")
    return tmp_path


@pytest.fixture
def session(root: Path) -> Iterator[Session]:
    """A store beside both folders."""
    opened = open_session(root / "home")
    opened.memory.store("what is stored")
    with closing(opened):
        yield opened


def everything(root: Path) -> dict[str, bytes]:
    """Return each file outside the folder for files and the store, with its content."""
    own = {root / "inside", root / "home"}
    return {str(one): one.read_bytes() for one in root.rglob("*") if one.is_file() and own.isdisjoint(one.parents)}


def test_there_are_payloads_enough(root: Path) -> None:
    assert len(payloads(root)) >= 150


def test_the_operations_that_take_a_path_are_known() -> None:
    with_path = {
        one.name
        for one in OPERATIONS
        for two in one.parameters
        if two.file or two.metavar in ("FILE", "FOLDER", "PATH")
    }
    assert with_path == {
        "ingest", "drift", "docs ingest", "graph extract", "conversation list", "conversation show", "conversation expand",
        "conversation why", "export", "import", "backup", "backup restore", "model install", "eval", "writeback-lancedb",
        "rollout stage", "memory_export", "memory_import", "attention init",
    }  # fmt: skip


def test_no_name_leads_an_agent_out_of_its_folder(session: Session, root: Path) -> None:
    bounds, before = Bounds(folder=root / "inside"), everything(root)
    for name in payloads(root):
        for tool, parameter in (("memory_export", "out_path"), ("memory_import", "in_path")):
            with hang_detector():
                outcome = perform(session, TOOLS[tool], bounds, {parameter: name}, "tester")
            if isinstance(outcome, SatchelError):
                assert outcome.code != "internal_error", name
            elif tool == "memory_export":
                assert Path(outcome.result.details["path"]).is_relative_to(root / "inside"), name
    assert everything(root) == before
    assert SECRET not in str(session.memory.memories.list(all_scopes=True).result)


def test_no_path_an_operator_gives_hangs_or_breaks_a_command(
    session: Session, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator may read any file; none of these is one that has an end and memories in it."""
    monkeypatch.chdir(root / "inside")
    before = everything(root)
    odd = [name for name in _ODD if name.strip(" ./~-")]
    named = {
        "ingest": "file",
        "docs ingest": "place",
        "graph extract": "path",
        "conversation list": "lossless",
        "conversation why": "lossless",
        "attention init": "take_over",
    }
    for operation, parameter in named.items():
        more = {"question": "why?"} if operation == "conversation why" else {}
        for name in extent(odd[::3], odd):
            with hang_detector():
                answer = as_operator(session, BY_NAME[operation], {parameter: name, **more}, "global")
            assert "internal_error" not in answer, (operation, name, answer)
    assert everything(root) == before


@each_case(
    "glob",
    [
        "../**",
        "../../**/*",
        "/**",
        "**/../../**",
        "link/**",
        "loop/**",
        "*" * 200,
        "a/" * 600,
        "\0",
        "[",
        "**/" * 40 + "x",
    ],
)
def test_no_pattern_reads_outside_a_folder(session: Session, root: Path, glob: str) -> None:
    with hang_detector():
        as_operator(session, BY_NAME["docs ingest"], {"place": str(root / "inside"), "globs": [glob]}, "global")
    assert SECRET not in as_operator(session, BY_NAME["docs search"], {"query": SECRET.removeprefix("zq")}, "global")
    assert session.memory.documents.list().result.documents == ()


def test_special_and_huge_files_are_left_out(session: Session, root: Path) -> None:
    folder = root / "inside"
    (folder / "zero.md").symlink_to("/dev/zero")
    with (folder / "huge.md").open("wb") as huge:
        huge.truncate(1 << 33)
    (folder / "deep").mkdir()
    deep = folder / "deep"
    for _ in range(60):
        deep = deep / "d"
        deep.mkdir()
    (deep / "note.md").write_text("# deep\n\nfound", encoding="utf-8")
    (folder / "good.md").write_text("# good\n\nkept", encoding="utf-8")
    with hang_detector():
        for operation, parameter in (("docs ingest", "place"), ("graph extract", "path")):
            answer = as_operator(session, BY_NAME[operation], {parameter: str(folder)}, "global")
            assert '"ok": true' in answer, answer
    paths = {one.path for one in session.memory.documents.list().result.documents}

    assert "good.md" in paths and not paths & {"zero.md", "huge.md", "fifo", "file-link"}
    assert SECRET not in str(session.memory.documents.search(SECRET).result)


def test_a_folder_swapped_for_a_link_while_it_is_read_leads_nowhere(session: Session, root: Path) -> None:
    folder, stop = root / "inside", threading.Event()
    real, aside = folder / "sub", root / "aside"
    real.mkdir()
    (real / "secret.md").write_text("# plain\n\nharmless", encoding="utf-8")
    (root / "outside" / "secret.md").write_text(f"# {SECRET}\n\n{SECRET} words", encoding="utf-8")

    def swap() -> None:
        while not stop.is_set():
            real.rename(aside)
            real.symlink_to(root / "outside")
            real.unlink()
            aside.rename(real)

    swapper = threading.Thread(target=swap)
    swapper.start()
    try:
        for _ in range(extent((15,), (400,))[0]):
            as_operator(session, BY_NAME["docs ingest"], {"place": str(folder), "again": True}, "global")
    finally:
        stop.set()
        swapper.join()
    assert SECRET not in str(session.memory.documents.search(f"{SECRET} words").result.hits)


def test_an_import_is_bounded(memory: Satchel, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.jsonl"
    lines = [
        "[" * 500_000,
        '{"text": "' + "x" * 3_000_000 + '"}',
        '{"a":' * 100_000,
        json.dumps({"text": "x", "tags": ["t"] * 100_000}),
        json.dumps({f"k{number}": 1 for number in range(100_000)}),
        '{"text": "fine"}',
    ]
    bomb.write_text("\n".join(lines), encoding="utf-8")
    with hang_detector():
        done = memory.transfer.import_(str(bomb), format="jsonl")

    assert isinstance(done, Ok) and done.result.imported == 1
    assert [one.text for one in memory.memories.list().result.memories] == ["fine"]
