"""How soon an MCP server answers: from the start of its process to the handshake, and to the list of its tools."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import SATCHEL, Call, cold, contest
from satchel.errors import Unavailable

MOST_STARTS = 20
REFERENCE = "mcp-server-memory"
SDK_FIRST = "satchel, the SDK first"
# What `satchel mcp` would do if it loaded the SDK before it answered.
_WITH_SDK = "import satchel.interfaces.mcp.server\nfrom satchel.__main__ import start\nstart()"
_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


def mcp_starts(fixture: Fixture) -> Iterator[Contest]:
    """Time the first two answers of our server, of ours with the SDK loaded first, and of the reference server."""
    options = ["mcp", "--home", str(fixture.home)]
    commands = {
        SATCHEL: [sys.executable, "-m", "satchel", *options],
        SDK_FIRST: [sys.executable, "-c", _WITH_SDK, *options],
    }
    if reference := shutil.which(REFERENCE):
        commands[REFERENCE] = [reference]
    yield _timed("MCP start: initialize", commands, ("initialize",), fixture.runs)
    yield _timed("MCP start: tools/list", commands, ("initialize", "tools/list"), fixture.runs)


def _timed(what: str, commands: Mapping[str, Sequence[str]], methods: Sequence[str], runs: int) -> Contest:
    with _ended_later() as started:
        calls = {name: _asking(command, methods, started) for name, command in commands.items()}
        return contest(what, "ms", cold(calls, runs, MOST_STARTS), note="process start to answer")


def _asking(command: Sequence[str], methods: Sequence[str], started: list[subprocess.Popen[bytes]]) -> Call:
    def call(_: int) -> None:
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        started.append(process)
        for id, method in enumerate(methods):
            _ask(process, id, method)
        # Its end is not part of the time.
        process.kill()

    return call


def _ask(process: subprocess.Popen[bytes], id: int, method: str) -> None:
    assert process.stdin is not None and process.stdout is not None
    request: dict[str, Any] = {"jsonrpc": "2.0", "id": id, "method": method}
    if method == "initialize":
        request["params"] = _HELLO
    process.stdin.write(json.dumps(request).encode() + b"\n")
    if method == "initialize":
        process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    process.stdin.flush()
    answer = process.stdout.readline()
    if b'"result"' not in answer:
        raise Unavailable(f"no answer to {method}: {answer[:80]!r}", code="bench_failed")


@contextmanager
def _ended_later() -> Iterator[list[subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []
    try:
        yield started
    finally:
        for process in started:
            process.kill()
            process.communicate()
