"""Servers started, used, stopped and killed over and over: nothing of them is left, and a long life costs nothing."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from satchel.app import Satchel
from tests.faults.extent import extent
from tests.interfaces.http.running import Server as HttpServer
from tests.interfaces.mcp.test_stdio import HELLO
from tests.interfaces.mcp.test_stdio import Server as McpServer

PATIENCE = 60
PROC = Path("/proc")
LEDGER = {"ledger.sqlite3", "ledger.sqlite3.made", "index"}
# What a killed process leaves, and the next one takes over.
KILLED = {"ledger.sqlite3-wal", "ledger.sqlite3-shm", "serve.json", "serve.lock", "serve.sock", "serve.token"}
# A client that starts a server, relays one exchange, and waits to be killed.
CLIENT = """
import subprocess, sys
home, *lines = sys.argv[1:]
command = [sys.executable, "-m", "satchel", "mcp", "--home", home]
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in lines:
    server.stdin.write(line.encode() + b"\\n"); server.stdin.flush(); server.stdout.readline()
print(server.pid, flush=True)
sys.stdin.read()
"""
STORE = {"name": "memory_store", "arguments": {"text": "We ship on Thursdays"}}


def is_alive(pid: int) -> bool:
    """Return whether a process runs that is neither gone nor a zombie which nobody waits for."""
    with suppress(OSError):
        return ") Z " not in (PROC / str(pid) / "stat").read_text(encoding="ascii")
    return False


def ends(pid: int) -> bool:
    """Wait until a process is gone that is not our child."""
    deadline = time.monotonic() + PATIENCE
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def left_in(home: Path) -> set[str]:
    return {path.name for path in home.iterdir()} - LEDGER


# MCP: each ends a server in its own way. The last two end it from outside, in the midst of a call.


def close_input(server: McpServer) -> None:
    server.stdin.close()
    assert server.process.wait(PATIENCE) == 0


def terminate(server: McpServer) -> None:
    server.process.terminate()
    assert server.process.wait(PATIENCE) == 0


def hang_up(server: McpServer) -> None:
    assert server.process.stdout is not None
    server.process.stdout.close()
    server.stdin.close()
    assert server.process.wait(PATIENCE) == 0


def kill(server: McpServer) -> None:
    server.process.kill()
    assert server.process.wait(PATIENCE) == -signal.SIGKILL


def kill_in_a_call(server: McpServer) -> None:
    server.say(json.dumps({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": STORE}).encode())
    kill(server)


WAYS: tuple[Callable[[McpServer], None], ...] = (close_input, terminate, hang_up, kill, kill_in_a_call)


@pytest.mark.parametrize("ways", extent([(close_input, kill_in_a_call)], [WAYS * 20]), ids=["ways"])
def test_an_mcp_server_leaves_nothing_however_it_ends(home: Path, ways: Sequence[Callable[[McpServer], None]]) -> None:
    for cycle, end in enumerate(ways):
        with (server := McpServer(home)).process:
            server.begin()
            assert server.call("memory_store", text=f"We ship on Thursdays, {cycle} {end.__name__}")["id"]
            end(server)
        assert not is_alive(server.process.pid)
        assert left_in(home) <= (KILLED if end in (kill, kill_in_a_call) else set())
    with Satchel.open(home) as memory:
        assert memory.maintenance.doctor().result.healthy
        assert len(memory.memories.list(all_scopes=True, limit=5_000).result.memories) >= len(ways)
    assert left_in(home) == set()


@pytest.mark.whole
def test_an_mcp_server_ends_with_the_client_that_started_it(home: Path) -> None:
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        for id, method, params in ((1, "initialize", HELLO), (2, "tools/call", STORE))
    ]
    pipe = subprocess.PIPE
    for _ in range(10):
        with subprocess.Popen(
            [sys.executable, "-c", CLIENT, home, *lines], stdin=pipe, stdout=pipe, stderr=pipe
        ) as client:
            assert client.stdout is not None
            pid = int(client.stdout.readline())
            assert is_alive(pid)
            client.kill()
            # The server inherited standard error, so this ends only once both are gone.
            assert client.communicate(timeout=PATIENCE)[1] == b""
        assert ends(pid)
        assert left_in(home) == set()


@pytest.mark.parametrize("cycles", extent([2], [90]))
def test_an_http_server_leaves_nothing_and_takes_over_what_a_killed_one_left(home: Path, cycles: int) -> None:
    """Every second server is killed, so every second one starts over the files of a killed one."""
    for cycle in range(cycles):
        server = HttpServer(home)
        assert server.ask("/v1/store", {"text": f"cycle number {cycle}"}).status == 200
        if cycle % 2:
            server.kill()
            assert left_in(home) <= KILLED
        else:
            assert server.stop() == 0
            assert left_in(home) == set()
        assert not is_alive(server.process.pid)
    with Satchel.open(home) as memory:
        assert len(memory.memories.list(limit=5_000).result.memories) == cycles
        assert memory.maintenance.doctor().result.healthy


@pytest.mark.whole
def test_a_server_whose_parent_was_killed_goes_on_and_can_be_stopped(home: Path) -> None:
    script = (
        "import subprocess, sys\n"
        "command = [sys.executable, '-m', 'satchel', 'serve', '--home', sys.argv[1], '--json']\n"
        "server = subprocess.Popen(command, stdout=subprocess.PIPE)\n"
        "server.stdout.readline(); print(server.pid, flush=True); sys.stdin.read()\n"
    )
    pipe = subprocess.PIPE
    environment = {**os.environ, "SATCHEL_EMBEDDER": "hashing"}
    with subprocess.Popen([sys.executable, "-c", script, home], stdin=pipe, stdout=pipe, env=environment) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
    assert is_alive(pid)
    stop = [sys.executable, "-m", "satchel", "serve", "--stop", "--home", str(home)]
    assert subprocess.run(stop, capture_output=True, env=environment, timeout=PATIENCE, check=False).returncode == 0
    assert ends(pid)
    assert left_in(home) == set()


# The cost of a long life


def descriptors(server: HttpServer) -> int:
    return len(list((PROC / str(server.process.pid) / "fd").iterdir()))


def status_of(server: HttpServer, name: str) -> int:
    lines = (PROC / str(server.process.pid) / "status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def rude(server: HttpServer, number: int) -> None:
    """Open a connection and leave it in one of the ways of bad clients."""
    with server.connect() as connection:
        if number % 4 == 1:
            connection.sendall(b"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\n")
        elif number % 4 == 2:
            connection.sendall(b"\x00\xff nonsense\r\n\r\n")
        elif number % 4 == 3:
            head = f"POST /v1/recall HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
            body = "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
            connection.sendall((head + body).encode())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def mcp_session(server: HttpServer, number: int) -> None:
    """Open an MCP session, call a tool, and end it, or leave it for the server to end."""
    headers: dict[str, str | None] = {"Accept": "application/json, text/event-stream"}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}
    headers["Mcp-Session-Id"] = server.ask("/mcp", hello, headers=headers).headers["mcp-session-id"]
    call = {"name": "memory_recall", "arguments": {"query": "walrus"}}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    assert server.ask("/mcp", asked, headers=headers).status == 200
    assert server.ask("/mcp", b"", method="DELETE", headers=headers).status in (200, 204)


@pytest.fixture
def lasting(home: Path) -> Iterator[HttpServer]:
    server = HttpServer(home)
    for number in range(20):
        assert server.ask("/v1/store", {"text": f"walrus number {number}"}).status == 200
    yield server
    assert server.stop() == 0


@pytest.mark.skipif(not PROC.exists(), reason="only Linux tells what a process holds")
@pytest.mark.parametrize("connections", extent([60], [2_000]))
def test_a_long_life_costs_no_descriptors_threads_or_memory(lasting: HttpServer, connections: int) -> None:
    def use(count: int) -> None:
        def one(number: int) -> None:
            if number % 5 == 4:
                rude(lasting, number)
            elif number % 10 == 3:
                mcp_session(lasting, number)
            else:
                assert lasting.ask("/v1/recall", {"query": f"walrus {number}"}).status == 200

        with ThreadPoolExecutor(8) as threads:
            list(threads.map(one, range(count)))
        # Everything before it has been closed once this has been answered.
        assert lasting.is_well()

    # Until SQLite's cache of pages is full: every recall adds a receipt.
    use(connections * 2)
    before = descriptors(lasting), status_of(lasting, "Threads"), status_of(lasting, "VmRSS")
    use(connections)
    after = descriptors(lasting), status_of(lasting, "Threads"), status_of(lasting, "VmRSS")

    # Rude connections may take the server's patience to be closed; a leak would be in the hundreds.
    assert after[0] <= before[0] + 8
    assert after[1] <= before[1] + 2
    # Less than one kilobyte for each connection, besides what an allocator keeps.
    assert after[2] <= before[2] * 1.05 + connections
