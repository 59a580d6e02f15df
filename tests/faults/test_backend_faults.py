"""Backends of the router that hang, spin, flood and lie: the next one answers, and nothing of them is left."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.domain.routing import RouterEnvelope
from tests.adapters.servers import Bare, answering, bare
from tests.adapters.test_remote_json import drip_body, drip_head, hang
from tests.faults.extent import extent
from tests.faults.test_cycles import ends
from tests.routing.conftest import State

READY = {"status": "ready"}
QUESTION = "release train"
# Enough for a slow machine to start a program, and little enough to wait for twice.
TIMEOUT_MS = 900
DEAF = "import signal\nfor one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(one, signal.SIG_IGN)\n"
PROGRAMS = {
    "hangs": ("import time; time.sleep(600)", "timeout"),
    "ignores signals": (DEAF + "import time; time.sleep(600)", "timeout"),
    "spins": ("while True: pass", "timeout"),
    "spins in C": ("sum(range(10 ** 15))", "timeout"),
    "drips": (
        "import time\nwhile True:\n    sys.stdout.write(' '); sys.stdout.flush(); time.sleep(0.05)",
        "timeout",
    ),
    "closes its output and stays": ("import time; os.close(1); os.close(2); time.sleep(600)", "timeout"),
    "leaves a child": (
        "import subprocess, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); time.sleep(600)",
        "timeout",
    ),
    "floods": ("while True: sys.stdout.write('x' * 100_000)", "error"),
    "lies": ("print('{\"results\": 7}')", "error"),
    "is cut off": ('print(\'[{"file": "qmd://c/a.md", "snip\')', "error"),
    "crashes": ("os.abort()", "error"),
}


@pytest.fixture
def filled(memory: Satchel) -> Satchel:
    memory.store("The release train leaves every second Tuesday")
    return memory


@pytest.fixture
def state(tmp_path: Path) -> State:
    return State(tmp_path / "person" / ".openclaw" / "state")


def route(memory: Satchel) -> RouterEnvelope:
    return memory.routing.route(QUESTION, trace=True).result


def outcomes(envelope: RouterEnvelope) -> list[str]:
    assert envelope.trace is not None
    return [f"{one.backend} {one.outcome.value}" for one in envelope.trace.attempts]


def threads_of_router() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name.startswith("satchel-route-")]


@pytest.mark.parametrize("fault", extent(["spins in C", "ignores signals", "lies"], [*PROGRAMS]))
def test_a_program_that_misbehaves_is_ended_and_the_next_backend_answers(
    fault: str, filled: Satchel, state: State, tmp_path: Path
) -> None:
    body, outcome = PROGRAMS[fault]
    note = tmp_path / "pid"
    program = f"import os, sys\nopen({str(note)!r}, 'w').write(str(os.getpid()))\n{body}"
    state.rules(timeout_ms=TIMEOUT_MS)
    state.write({"qmd": state.program(program), "totalrecall": READY})
    envelope = route(filled)

    assert outcomes(envelope)[0] == f"qmd {outcome}"
    assert outcomes(envelope)[-1] == "totalrecall accepted"
    assert ends(int(note.read_text(encoding="ascii")))
    # It is left alone for a while, so the next question does not wait for it.
    assert outcomes(route(filled)) == ["totalrecall accepted"]


def flood(connection: Any, server: Bare) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (100 << 20))
    while not server.closing.is_set():
        connection.sendall(b" " * (1 << 16))


SERVERS = {
    "hangs": (hang, "timeout"),
    "drips its head": (drip_head, "timeout"),
    "drips its body": (drip_body, "timeout"),
    "floods": (flood, "error"),
    "fails": (answering("500 Oops", b"oops"), "error"),
    "is busy": (answering("429 Slow down", b"later"), "error"),
    "lies": (answering("200 OK", b'{"results": [{"file": 1, "score": "NaN"}]}'), "error"),
    "nests": (answering("200 OK", b"[" * 200_000), "error"),
    "redirects": (answering("302 Found", b"", "Location: http://127.0.0.1:1/"), "error"),
}


@pytest.mark.parametrize("fault", extent(["drips its body", "nests"], [*SERVERS]))
def test_a_server_that_misbehaves_is_given_up_and_the_next_backend_answers(
    fault: str, filled: Satchel, state: State
) -> None:
    serve, outcome = SERVERS[fault]
    state.rules(timeout_ms=TIMEOUT_MS)
    with bare(serve) as server:
        entry = {"status": "ready", "adapter": "qmd-http", "options": {"url": server.url, "collection": "c"}}
        state.write({"qmd": entry, "totalrecall": READY})
        envelope = route(filled)

    assert outcomes(envelope)[0] == f"qmd {outcome}"
    assert outcomes(envelope)[-1] == "totalrecall accepted"


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the database as another program does that is in the midst of a large change."""
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA journal_mode = DELETE")
    holder.execute("CREATE TABLE IF NOT EXISTS t (x)")
    holder.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        holder.close()


def lossless(path: Path) -> dict[str, Any]:
    return {"status": "ready", "adapter": "lcm-sqlite", "options": {"database": str(path)}}


@pytest.mark.parametrize("damage", ["locked", "pipe", "folder", "text", "truncated"])
def test_a_database_that_cannot_be_read_is_given_up(damage: str, filled: Satchel, state: State, tmp_path: Path) -> None:
    path = tmp_path / "lcm.db"
    state.rules(timeout_ms=TIMEOUT_MS)
    state.write({"lossless": lossless(path), "totalrecall": READY, "qmd": READY})
    if damage == "pipe":
        os.mkfifo(path)
    elif damage == "folder":
        path.mkdir()
    elif damage == "text":
        path.write_text("no database at all " * 300, encoding="ascii")
    else:
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE messages (message_id INTEGER PRIMARY KEY, content TEXT)")
        db.executemany("INSERT INTO messages (content) VALUES (?)", [("release train " * 50,)] * 200)
        db.commit()
        db.close()
        if damage == "truncated":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    def ask() -> RouterEnvelope:
        return filled.routing.route("what did we decide about the release train", trace=True).result

    if damage == "locked":
        with locked(path):
            envelope = ask()
    else:
        envelope = ask()

    said = outcomes(envelope)
    assert said[0] in ("lossless timeout", "lossless error", "lossless unavailable")
    assert said[-1].endswith(" accepted")


def test_many_stuck_backends_block_nobody(filled: Satchel, state: State) -> None:
    """Questions asked at once, each of which has a stuck worker, are all answered; no worker stays."""
    state.rules(timeout_ms=TIMEOUT_MS)
    answered: list[str] = []
    with bare(hang) as server:
        entry = {"status": "ready", "adapter": "qmd-http", "options": {"url": server.url, "collection": "c"}}
        state.write({"qmd": entry, "totalrecall": READY})
        asking = [threading.Thread(target=lambda: answered.append(outcomes(route(filled))[-1])) for _ in range(6)]
        for one in asking:
            one.start()
        for one in asking:
            one.join(60)
    assert answered == ["totalrecall accepted"] * 6
    for one in threads_of_router():
        one.join(60)
        assert not one.is_alive()
