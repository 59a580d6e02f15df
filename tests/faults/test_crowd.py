"""A crowd on one store: commands, MCP servers, an HTTP server and Python processes write while others maintain it."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.record import Memory
from tests.faults.children import Child, Start
from tests.faults.extent import extent
from tests.faults.model import text
from tests.interfaces.http.running import Server as HttpServer
from tests.interfaces.mcp.test_stdio import Server as McpServer

PYTHON = """
for number in map(int, sys.stdin.read().split()):
    say(memory.store(text(number)).result.id)
"""
# The command line in one process: a new interpreter for each command would only measure its start.
COMMANDS = """
import contextlib, io, json
from satchel.interfaces.cli.main import main
memory.close()
for number in map(int, sys.stdin.read().split()):
    answer = io.StringIO()
    with contextlib.redirect_stdout(answer):
        code = main(["store", text(number), "--home", home, "--json"])
    assert code == 0, answer.getvalue()
    say(json.loads(answer.getvalue())["result"]["id"])
"""
# Records with ids of their own, which two processes bring at the same time.
BRING = """
say(memory.transfer.import_(sys.argv[2]).result.imported)
for number in map(int, sys.stdin.read().split()):
    turn = {"text": text(number), "id": f"turn-{number}", "session": "standup"}
    say(memory.episodes.add([turn], scope="talk").result.ids[0])
"""
# Erases memories while it stores others.
EXCHANGE = """
numbers, ids = (line.split() for line in sys.stdin)
for number in numbers:
    if ids:
        memory.forget(ids.pop(), scope="old")
    say(memory.store(text(int(number)), scope="side").result.id)
"""
# Those that go on for ever pause now and then, as a person's tools do.
RESTORE = """
import time
while True:
    memory.tags.restore('start', scope='side')
    say('restored')
    time.sleep(0.1)
"""
OPTIMIZE = """
import time
while True:
    memory.maintenance.index_build()
    memory.maintenance.index_optimize()
    say('optimized')
    time.sleep(0.1)
"""
READ = """
import time
while True:
    memory.recall('noted', limit=20)
    memory.memories.list(limit=100)
    memory.maintenance.stats(all_scopes=True)
    say('read')
    time.sleep(0.02)
"""
WORDS = "from tests.faults.model import text\n"
ALLOWED_FILES = {"ledger.sqlite3", "ledger.sqlite3.made", "index", "spool"}
IMPORTED = 100
# Few: each waits up to three seconds for readers to let the files go.
FORGOTTEN = 10


class Crowd(NamedTuple):
    """How many of each kind there are, and how many records each of them writes."""

    python: int
    commands: int
    http: int
    mcp: int
    each: int
    shared: int
    """How many texts every writer stores as well."""
    readers: int


SHORT = Crowd(python=1, commands=1, http=2, mcp=1, each=5, shared=3, readers=0)
FULL = Crowd(python=5, commands=3, http=5, mcp=3, each=200, shared=20, readers=3)


@contextmanager
def opened(home: Path) -> Iterator[Satchel]:
    recall = {"catch_up_ms": 60_000, "index_from": 0}
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"}, recall=recall)) as memory:
        yield memory


def every(memory: Satchel, scope: str) -> list[Memory]:
    """Return every memory of a scope, whatever its state."""
    found, after = list[Memory](), None
    while True:
        page = memory.memories.list(scope=scope, limit=1_000, after=after).result
        found += page.memories
        if (after := page.next) is None:
            return found


def over_http(server: HttpServer, numbers: Sequence[int]) -> list[str]:
    ids = []
    for number in numbers:
        reply = server.ask("/v1/store", {"text": text(number)})
        assert reply.status == 200, reply.body
        ids.append(reply.json["result"]["id"])
    return ids


def over_mcp(server: McpServer, numbers: Sequence[int]) -> list[str]:
    with server.process:
        server.begin()
        ids = [server.call("memory_store", text=text(number))["id"] for number in numbers]
        server.stdin.close()
        assert server.process.wait(120) == 0
    return ids


def seeded(home: Path, file: Path, count: int) -> Sequence[str]:
    """Make the store with memories to forget and rows to import; return the ids of the former."""
    with opened(home) as memory:
        ids = [memory.store(text(number), scope="old").result.id for number in range(9_000, 9_000 + count)]
        memory.tags.create("start")
    rows = [
        {"id": f"row-{number}", "text": text(number), "scope": "imported"} for number in range(8_000, 8_000 + IMPORTED)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return ids


@pytest.mark.parametrize("crowd", extent([SHORT], [FULL]), ids=["crowd"])
def test_a_crowd_loses_and_doubles_nothing(home: Path, tmp_path: Path, start: Start, crowd: Crowd) -> None:
    old = seeded(home, rows := tmp_path / "rows.jsonl", min(FORGOTTEN, crowd.each))
    shared = list(range(7_000, 7_000 + crowd.shared))
    writers = crowd.python + crowd.commands + crowd.http + crowd.mcp
    own = [list(range(number * crowd.each, (number + 1) * crowd.each)) for number in range(writers)]
    # Each begins with the texts that all of them store, from another place in the list.
    tasks = [[*shared[place % 3 :], *shared[: place % 3], *numbers] for place, numbers in enumerate(own)]
    side = list(range(6_000, 6_000 + crowd.each))

    with ExitStack() as stack:
        server = HttpServer(home, SATCHEL_RECALL_INDEX_FROM="0")
        stack.callback(server.stop)
        rest = [
            start(script, *more) for script, more in ((OPTIMIZE, ()), (RESTORE, ()), *((READ, ()),) * crowd.readers)
        ]
        for child in rest:
            child.wait_for(1)
        children = _writers(start, crowd, tasks)
        side_words = " ".join(map(str, side))
        brought = [start(WORDS + BRING, rows, given=side_words) for _ in range(2)]
        exchanged = start(WORDS + EXCHANGE, given=f"{side_words}\n{' '.join(old)}")
        threads = stack.enter_context(ThreadPoolExecutor(crowd.http + crowd.mcp))
        here = tasks[crowd.python + crowd.commands :]
        calls: list[Callable[[], list[str]]] = [
            *(lambda numbers=numbers: over_http(server, numbers) for numbers in here[: crowd.http]),
            *(lambda numbers=numbers: over_mcp(McpServer(home), numbers) for numbers in here[crowd.http :]),
        ]
        waiting = [threads.submit(call) for call in calls]
        if crowd.readers:
            # In the midst of it, the one that maintains the index is killed, and another takes its place.
            assert rest[0].end()
            rest[0] = start(OPTIMIZE)
        acknowledged = [*(child.finish() for child in children), *(one.result() for one in waiting)]
        (first_import, *turns), (second_import, *same_turns) = [child.finish() for child in brought]
        aside = exchanged.finish()
        for child in rest:
            assert child.end()
        assert server.is_well()
        assert server.stop() == 0
        assert "locked" not in server.log.read_text(encoding="utf-8")

    with opened(home) as memory:
        by_id = {str(one.id): one for one in every(memory, "global")}
        for numbers, ids in zip(tasks, acknowledged, strict=True):
            assert [by_id[id].text for id in ids] == [text(number) for number in numbers]
        # A text of a person is no duplicate of the same text of an agent: one of each at most.
        kept = Counter((one.text, one.trust) for one in by_id.values())
        assert max(kept.values()) == 1
        assert {said for said, _ in kept} == {text(number) for numbers in tasks for number in numbers}
        assert {one.id for one in every(memory, "side")} == {*aside}
        assert every(memory, "old") == []
        assert int(first_import) + int(second_import) == len(every(memory, "imported")) == IMPORTED
        assert turns == same_turns
        assert len(memory.episodes.list(scope="talk", limit=5_000).result.episodes) == len(side)
        _assert_sound(memory)
    assert {path.name for path in home.iterdir()} <= ALLOWED_FILES


def _writers(start: Start, crowd: Crowd, tasks: Sequence[Sequence[int]]) -> list[Child]:
    scripts = [PYTHON] * crowd.python + [COMMANDS] * crowd.commands
    return [
        start(WORDS + script, given=" ".join(map(str, numbers)))
        for script, numbers in zip(scripts, tasks, strict=False)
    ]


def _assert_sound(memory: Satchel) -> None:
    assert memory.recall("noted", limit=50).result.hits
    check_up = memory.maintenance.doctor().result
    assert check_up.healthy, check_up.findings
    assert memory.maintenance.receipts_verify().result.broken_at is None
    assert memory.maintenance.index_build().result.behind == 0
    report = memory.maintenance.index_status().result
    assert (report.behind, report.problem) == (0, "")
