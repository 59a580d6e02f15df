"""`satchel mcp` as a process: the official client, raw lines, and shutdown."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from satchel.app import Satchel
from satchel.interfaces.agents import TOOLS
from satchel.interfaces.mcp.wire import error_response
from tests.tables import each_case

PATIENCE = 60
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}


def _request(id: int, method: str, params: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


class Server:
    """A running `satchel mcp`, spoken to line by line."""

    def __init__(self, home: Path, *options: str, **variables: str) -> None:
        command = [sys.executable, "-m", "satchel", "mcp", "--home", str(home), *options]
        environment = {**os.environ, "SATCHEL_EMBEDDER": "hashing", **variables}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)
        self.next_id = 0

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def say(self, line: bytes) -> None:
        """Send a line as it is."""
        self.stdin.write(line + b"\n")
        self.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """Read one line, which must be JSON."""
        assert self.process.stdout is not None
        heard: dict[str, Any] = json.loads(self.process.stdout.readline())
        return heard

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its answer."""
        self.next_id += 1
        self.stdin.write(_request(self.next_id, method, params))
        self.stdin.flush()
        answer = self.hear()
        assert answer["id"] == self.next_id
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return what it answers, in full."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        details: dict[str, Any] = answer["result"]["structuredContent"]
        return details

    def begin(self) -> "Server":
        """Shake hands."""
        assert self.ask("initialize", HELLO)["result"]["serverInfo"]["name"] == "satchel"
        self.say(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        return self

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and what was said on standard error."""
        _, said = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, said.decode()


@pytest.fixture
def server(home: Path) -> Iterator[Server]:
    """A server that has shaken hands."""
    running = Server(home)
    with running.process:
        try:
            yield running.begin()
        finally:
            running.process.kill()


def _left_behind(home: Path) -> set[str]:
    return {path.name for path in home.iterdir()} - {"ledger.sqlite3", "ledger.sqlite3.made", "index"}


class TestConversation:
    def test_the_official_client_stores_recalls_and_exports(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "files").mkdir()
        files = str(tmp_path / "files")
        parameters = StdioServerParameters(
            command=sys.executable,
            args=[
                "-m",
                "satchel",
                "mcp",
                "--home",
                str(home),
                "--scope",
                "project/a",
                "--files",
                files,
                "--tools",
                "all",
            ],
            env={**os.environ, "SATCHEL_EMBEDDER": "hashing"},
        )

        async def conversation() -> tuple[list[str], list[str]]:
            async with Client(parameters) as client:
                tools = [tool.name for tool in (await client.list_tools()).tools]
                for text in ("We ship on Thursdays", "Lunch is at noon"):
                    assert not (await client.call_tool("memory_store", {"text": text})).is_error
                answer = await client.call_tool("memory_recall", {"query": "ship", "limit": 1})
                await client.call_tool("memory_export", {"out_path": "out.jsonl"})
                return tools, [one["text"] for one in answer.structured_content["memories"]]

        assert anyio.run(conversation) == (list(TOOLS), ["We ship on Thursdays"])
        assert len((tmp_path / "files" / "out.jsonl").read_bytes().splitlines()) == 2
        with Satchel.open(home) as memory:
            assert memory.maintenance.stats(scope="project/a").result.tally.memories == 2
        assert _left_behind(home) == set()

    def test_standard_output_has_only_protocol_messages(self, server: Server) -> None:
        for _ in range(3):
            assert server.call("memory_store", text="We ship on Thursdays")["id"]
            assert server.call("memory_recall", query="ship")["count"] == 1
        server.stdin.close()

        assert server.process.stdout is not None
        assert server.process.stdout.read() == b""

    def test_many_requests_at_once_are_answered_in_order(self, server: Server, home: Path) -> None:
        for number in range(50):
            request = {"name": "memory_store", "arguments": {"text": f"memory {number}"}}
            server.stdin.write(_request(1000 + number, "tools/call", request))
        server.stdin.flush()
        answers = [server.hear() for _ in range(50)]

        assert [answer["id"] for answer in answers] == list(range(1000, 1050))
        ids = [answer["result"]["structuredContent"]["id"] for answer in answers]
        with Satchel.open(home) as memory:
            assert [memory.get(id).result.history[0].seq for id in ids] == list(range(1, 51))

    def test_invalid_lines_get_an_error_and_the_server_goes_on(self, server: Server) -> None:
        server.say(b"nonsense")
        assert server.hear()["error"]["code"] == -32700
        server.say(
            b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "memory_store", "arguments": {"text": "a\\ud800b"}}}'
        )
        answer = server.hear()
        assert (answer["id"], "U+D800" in answer["error"]["message"]) == (9, True)
        server.say(b"")
        assert server.hear()["id"] is None
        server.say(b"[" * 100_000)
        assert server.hear()["error"]["code"] == -32700
        server.say(b'[{"jsonrpc": "2.0", "id": 10, "method": "ping"}]')
        answer = server.hear()
        assert (answer["id"], answer["error"]["code"]) == (None, -32600)
        server.say(b'{"jsonrpc": "2.0", "method": 5}')
        server.say(b'\xff\xfe{"jsonrpc": "2.0"}')
        assert server.hear()["id"] is None

        assert server.call("memory_store", text="still here")["id"]

    def test_bad_arguments_and_huge_texts_get_an_error_and_the_server_goes_on(self, server: Server) -> None:
        assert server.call("memory_store", text="x" * 10_000_000)["error"] == "text_too_long"
        assert server.call("memory_store")["error"] == "missing_param"
        assert server.call("memory_store", text=["a"])["error"] == "wrong_type"
        assert server.call("memory_store", text="a", all_scopes=True)["error"] == "unknown_param"
        assert server.ask("tools/call", {"name": "memory_store", "arguments": "text"})["error"]["code"] == -32602

        assert server.call("memory_store", text="still here")["id"]


class TestEnd:
    def test_the_end_of_input_is_a_clean_end(self, server: Server, home: Path) -> None:
        assert server.call("memory_store", text="We ship on Thursdays")["id"]
        assert server.call("memory_recall", query="ship")["count"] == 1

        assert server.end() == (0, "")
        assert _left_behind(home) == set()

    def test_requests_before_the_end_of_input_are_answered(self, home: Path) -> None:
        store = {"name": "memory_store", "arguments": {"text": "We ship on Thursdays"}}
        recall = {"name": "memory_recall", "arguments": {"query": "when do we ship?"}}
        piped = Server(home)
        said, complaints = piped.process.communicate(
            _request(1, "initialize", HELLO)
            + b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
            + _request(2, "tools/call", store)
            + _request(3, "tools/call", recall),
            timeout=PATIENCE,
        )

        answers = {answer["id"]: answer for answer in map(json.loads, said.splitlines())}
        assert answers[2]["result"]["structuredContent"]["id"]
        assert answers[3]["result"]["structuredContent"]["count"] == 1
        assert (sorted(answers), piped.process.returncode, complaints) == ([1, 2, 3], 0, b"")

    def test_a_cancelled_request_does_not_delay_the_end(self, home: Path) -> None:
        store = {"name": "memory_store", "arguments": {"text": "We ship on Thursdays"}}
        piped = Server(home)
        said, _ = piped.process.communicate(
            _request(1, "initialize", HELLO)
            + b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'
            + _request(2, "tools/call", store)
            + b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}\n',
            timeout=PATIENCE,
        )

        assert (piped.process.returncode, b"Connection closed" in said) == (0, False)

    def test_no_input_at_all_is_a_clean_end_and_makes_no_store(self, home: Path) -> None:
        assert Server(home).end() == (0, "")
        assert not home.exists()

    @pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_is_a_clean_end_while_input_stays_open(
        self, server: Server, home: Path, told: signal.Signals
    ) -> None:
        assert server.call("memory_store", text="We ship on Thursdays")["id"]
        server.process.send_signal(told)

        assert server.process.wait(PATIENCE) == 0
        assert _left_behind(home) == set()

    def test_a_client_that_disconnects_early_is_a_clean_end(self, server: Server, home: Path) -> None:
        assert server.call("memory_store", text="We ship on Thursdays")["id"]
        assert server.process.stdout is not None
        server.process.stdout.close()
        for number in range(20):
            request = {"name": "memory_store", "arguments": {"text": f"memory {number}"}}
            server.stdin.write(_request(number, "tools/call", request))
        server.stdin.close()

        assert server.process.wait(PATIENCE) == 0
        assert server.process.stderr is not None
        assert "Traceback" not in server.process.stderr.read().decode()
        assert _left_behind(home) == set()

    def test_a_killed_client_leaves_no_process_lock_or_file(self, home: Path) -> None:
        client = (
            "import subprocess, sys\n"
            f"command = [sys.executable, '-m', 'satchel', 'mcp', '--home', {str(home)!r}]\n"
            "server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
            "for line in sys.stdin.buffer:\n"
            "    server.stdin.write(line); server.stdin.flush(); server.stdout.readline()\n"
            "    print('answered', flush=True)\n"
        )
        pipe = subprocess.PIPE
        with subprocess.Popen([sys.executable, "-c", client], stdin=pipe, stdout=pipe, stderr=pipe) as running:
            assert running.stdin is not None and running.stdout is not None
            store = {"name": "memory_store", "arguments": {"text": "We ship on Thursdays"}}
            for id, method, params in ((1, "initialize", HELLO), (2, "tools/call", store)):
                running.stdin.write(_request(id, method, params))
                running.stdin.flush()
                assert running.stdout.readline() == b"answered\n"
            running.kill()
            # The server inherited standard error: its end is seen only once both are gone.
            _, said = running.communicate(timeout=PATIENCE)

        assert said == b""
        assert _left_behind(home) == set()

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (("--scope", "Not A Scope"), "satchel: scope 'Not A Scope' is not valid"),
            (("--files", "/no/such/folder"), "satchel: '/no/such/folder' is not a folder"),
            (("--files", "~nobody-of-that-name/x"), "satchel: '~nobody-of-that-name/x' is not a folder"),
            (("--files", ""), "satchel: '' is not a folder"),
        ],
    )
    def test_a_failed_start_is_one_line_on_standard_error(
        self, home: Path, options: tuple[str, ...], message: str
    ) -> None:
        code, said = Server(home, *options).end()

        assert (code, said[: len(message)], len(said.splitlines())) == (2, message, 1)


@each_case(
    "line",
    [
        b'{"method": "x"}',
        b'{"id": 1, "result": {}}',
        b"1",
        b'{"jsonrpc": "2.0", "method": "notifications/\\ud800"}',
    ],
)
def test_messages_without_an_expected_response_get_none(line: bytes) -> None:
    assert error_response(line) is None


def test_an_id_with_a_lone_surrogate_is_made_readable() -> None:
    answer = error_response(b'{"jsonrpc": "2.0", "id": "a\\ud800", "method": "ping"}')

    assert answer is not None and answer.id == "a?"
    assert error_response(b'{"jsonrpc": "2.0", "id": [1], "method": "ping"}').id is None  # type: ignore[union-attr]


def test_no_other_command_loads_the_sdk(home: Path) -> None:
    script = (
        "import sys; from satchel.interfaces.cli.main import main\n"
        "from satchel.interfaces.operations import OPERATIONS\n"
        "given = {'store': ['x'], 'recall': ['x'], 'get': ['x'], 'forget': ['--query', 'x'], 'receipts show': ['x'],\n"
        "         'eval': ['--mode', 'lexical']}\n"
        "for operation in OPERATIONS:\n"
        "    if not (operation.agents_only or operation.own_command or operation.name in ('demo', 'model install')):\n"
        "        main([*operation.name.split(), *given.get(operation.name, []), '--json'])\n"
        "for words in (['--version'], ['mcp', '--help'], ['mcp', '--scope', 'Not A Scope', '--json']):\n"
        "    try: main(words)\n"
        "    except SystemExit: pass\n"
        "print(*sorted({'mcp', 'mcp_types', 'starlette', 'jsonschema'} & set(sys.modules)), file=sys.stderr)"
    )
    environment = {**os.environ, "SATCHEL_HOME": str(home), "SATCHEL_EMBEDDER": "hashing"}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment)

    assert done.stderr.strip() == ""
    assert done.stdout.count('"ok": true') >= 12


def test_the_help_shows_a_configuration_that_can_be_pasted() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "satchel", "mcp", "--help"], capture_output=True, text=True, check=True
    )

    configuration = json.loads(done.stdout[done.stdout.index("\n  {") :])
    assert configuration["mcpServers"]["satchel"]["command"] == "satchel"
