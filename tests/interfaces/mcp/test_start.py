"""`satchel mcp` while the SDK is still being imported: a process whose import is held until the test lets it go."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.app import Satchel
from tests.interfaces.mcp.test_greeting import envelope
from tests.interfaces.mcp.test_stdio import HELLO, PATIENCE, Server, _request
from tests.tables import each_case

# Runs in the server: the SDK's first module is imported once the pipe is opened for writing.
_HOLD = """
import sys
class Hold:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp_types":
            sys.meta_path.remove(self)
            open({gate!r}).read()
sys.meta_path.insert(0, Hold())
"""


class HeldServer(Server):
    """A server that cannot import the SDK before `release`."""

    def __init__(self, home: Path, folder: Path, *options: str) -> None:
        self.gate = folder / "gate"
        os.mkfifo(self.gate)
        (folder / "sitecustomize.py").write_text(_HOLD.format(gate=str(self.gate)), encoding="utf-8")
        path = os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])
        super().__init__(home, *options, PYTHONPATH=path)

    def release(self) -> None:
        """Let the import go on."""
        self.gate.write_text("", encoding="utf-8")


@pytest.fixture
def held(home: Path, tmp_path: Path) -> Iterator[HeldServer]:
    server = HeldServer(home, tmp_path, "--scope", "project/a")
    with server.process:
        try:
            yield server
        finally:
            server.process.kill()


def _store(server: Server, id: int, text: str) -> None:
    server.stdin.write(_request(id, "tools/call", {"name": "memory_store", "arguments": {"text": text}}))
    server.stdin.flush()


def test_the_handshake_and_the_lists_need_no_sdk_and_no_store(held: HeldServer, home: Path) -> None:
    held.begin()
    early = held.ask("tools/list", {})
    assert held.ask("ping", {})["result"] == {}
    assert not home.exists()

    held.release()
    assert held.call("memory_store", text="We ship on Thursdays")["id"]
    assert held.ask("tools/list", {})["result"] == early["result"]


def test_a_client_of_the_envelope_era_needs_no_sdk_either(held: HeldServer) -> None:
    about = held.ask("server/discover", envelope())["result"]
    early = held.ask("tools/list", envelope())["result"]
    assert about["supportedVersions"] == ["2026-07-28"]

    held.release()
    stored = held.ask("tools/call", {"name": "memory_store", "arguments": {"text": "x"}, **envelope()})["result"]
    assert stored["structuredContent"]["id"]
    assert held.ask("tools/list", envelope())["result"] == early
    # The SDK knows in which era the client opened the conversation.
    assert held.ask("initialize", HELLO)["error"]["code"] == -32022


def test_the_sdk_knows_the_client_that_was_greeted(held: HeldServer, home: Path) -> None:
    held.begin()
    held.release()
    id = held.call("memory_store", text="We ship on Thursdays")["id"]
    held.stdin.close()

    assert held.process.wait(PATIENCE) == 0
    with Satchel.open(home) as memory:
        assert memory.get(id, all_scopes=True).result.memory.source_ref == "mcp raw 1"


def test_calls_wait_in_order_and_junk_gets_its_error(held: HeldServer) -> None:
    held.begin()
    for number in range(300):
        _store(held, 1000 + number, f"memory {number}")
    held.say(b"nonsense")
    held.say(b'\xff\xfe{"jsonrpc": "2.0"}')
    _store(held, 5000, "x" * 10_000_000)
    held.release()
    answers = [held.hear() for _ in range(303)]

    assert sorted(one["id"] or 0 for one in answers) == [0, 0, *range(1000, 1300), 5000]
    assert [one["id"] for one in answers if one["id"] in range(1000, 1300)] == list(range(1000, 1300))
    huge = next(one for one in answers if one["id"] == 5000)
    assert huge["result"]["structuredContent"]["error"] == "text_too_long"


def test_a_cancelled_call_does_not_disturb_the_next(held: HeldServer) -> None:
    held.begin()
    _store(held, 50, "taken back")
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 50}}
    held.say(json.dumps(cancelled).encode())
    _store(held, 51, "goes on")
    held.release()
    answer = held.hear()
    while answer["id"] == 50:
        answer = held.hear()

    assert (answer["id"], answer["result"]["isError"]) == (51, False)


def test_the_end_of_input_during_the_import_is_a_clean_end(held: HeldServer, home: Path) -> None:
    held.begin()

    assert held.end() == (0, "")
    assert not home.exists()


@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_the_import_is_a_clean_end(held: HeldServer, told: signal.Signals) -> None:
    held.begin()
    assert held.ask("tools/list", {})["result"]["tools"]
    held.process.send_signal(told)

    assert held.process.wait(PATIENCE) == 0


def test_a_client_that_disconnects_during_the_import_is_a_clean_end(held: HeldServer) -> None:
    held.begin()
    assert held.process.stdout is not None
    held.process.stdout.close()
    _store(held, 60, "nobody reads the answer")
    held.stdin.close()
    held.release()

    assert held.process.wait(PATIENCE) == 0
    assert held.process.stderr is not None
    assert "Traceback" not in held.process.stderr.read().decode()


@each_case("damage", ["not a database", "a file instead of the folder"])
def test_a_store_that_cannot_be_opened_is_an_error_of_each_call(tmp_path: Path, damage: str) -> None:
    home = tmp_path / damage
    if damage == "not a database":
        home.mkdir()
        (home / "ledger.sqlite3").write_bytes(b"not a database" * 100)
    else:
        home.touch()
    server = Server(home)
    with server.process:
        try:
            server.begin()
            assert server.ask("tools/list", {})["result"]["tools"]
            for _ in range(2):
                answer = server.ask("tools/call", {"name": "memory_recall", "arguments": {"query": "x"}})["result"]
                assert answer["isError"]
                assert len(answer["content"][0]["text"]) > 20
        finally:
            server.process.kill()


def test_it_works_without_a_home_that_can_be_written(home: Path, tmp_path: Path) -> None:
    with Satchel.open(home) as memory:
        memory.store("We ship on Thursdays")
    nowhere = str(tmp_path / "nowhere")
    server = Server(home, "--read-only", HOME=nowhere, XDG_DATA_HOME=nowhere, SATCHEL_READ_ONLY="true")
    with server.process:
        try:
            assert server.begin().call("memory_recall", query="ship")["count"] == 1
        finally:
            server.process.kill()
    assert not Path(nowhere).exists()
