"""The client with servers that misbehave: only requests that were not sent are done in process."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from satchel.adapters.server_files import ServerFiles
from satchel.app import Satchel
from satchel.errors import SatchelError
from satchel.interfaces.http import client, raw_client
from tests.interfaces.http.conftest import Shell

CONTINUE = b"HTTP/1.1 100 \r\n\r\n"
GARBAGE = b"\x00\x01\x02 nonsense \r\n\r\n"


class FakeServer:
    """Listens where a server would, and says its lines: one after the head of a request, one after its body."""

    def __init__(self, home: Path, lines: Sequence[bytes]) -> None:
        home.mkdir(exist_ok=True)
        self.files = ServerFiles(home)
        self.heard: list[bytes] = []
        self._lines = lines
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.bind(os.fspath(self.files.socket()))
        self._socket.listen()
        self.files.write_token("token")
        self.files.write_status({"socket": str(self.files.socket()), "pid": 1})
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                for line in self._lines:
                    said = connection.recv(1 << 16)
                    self.heard.append(said)
                    if said:
                        connection.sendall(line)

    def close(self) -> None:
        """Stop listening."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join()


@pytest.fixture
def fake(home: Path) -> Iterator[Callable[..., FakeServer]]:
    """Put up servers that say certain lines."""
    made: list[FakeServer] = []

    def put_up(*lines: bytes) -> FakeServer:
        made.append(FakeServer(home, lines))
        return made[-1]

    yield put_up
    for one in made:
        one.close()


@pytest.fixture(autouse=True)
def _own_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    monkeypatch.setattr(raw_client, "GREETING_SECONDS", 0.3)


def _texts(home: Path) -> list[str]:
    with Satchel.open(home) as memory:
        return [one.text for one in memory.memories.list().result.memories]


@pytest.mark.parametrize(
    "lines",
    [
        (b"",),
        (GARBAGE,),
        (b"HTTP/1.1 401 \r\ncontent-length: 0\r\n\r\n",),
        (b"HTTP/1.1 412 \r\ncontent-length: 0\r\n\r\n",),
        (b"HTTP/1.1 503 Service Unavailable\r\n\r\nService Unavailable",),
        (b"HTTP/1.1 200 OK\r\nsatchel-exit-code: 0\r\ncontent-length: 2\r\n\r\n{}",),
        (CONTINUE, b"HTTP/1.1 413 \r\ncontent-length: 0\r\n\r\n"),
        (CONTINUE, b"HTTP/1.1 400 \r\ncontent-length: 2\r\n\r\n{}"),
    ],
    ids=["silent", "garbage", "401", "412", "503", "too early", "413", "400"],
)
def test_a_write_that_was_not_sent_is_done_in_process_once(
    fake: Callable[..., FakeServer], shell: Shell, home: Path, lines: tuple[bytes, ...]
) -> None:
    fake(*lines)

    assert shell.run("store", "kept once")[0] == 0
    assert _texts(home) == ["kept once"]


def test_the_socket_of_another_user_gets_no_token(
    fake: Callable[..., FakeServer], shell: Shell, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = fake(CONTINUE)
    other = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: other)

    assert shell.run("store", "kept once")[0] == 0
    assert (server.heard, _texts(home)) == ([], ["kept once"])


@pytest.mark.parametrize(
    "ending",
    [
        b"",
        GARBAGE,
        b"HTTP/1.1 200 OK\r\nsatchel-exit-code: 0\r\ncontent-length: 100\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nsatchel-exit-code: 0\r\ncontent-length: 1\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nsatchel-exit-code: 0\r\ncontent-length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nsatchel-exit-code: 0\r\n\r\n",
        b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n",
    ],
    ids=["nothing", "garbage", "cut off", "no JSON", "no envelope", "no length", "broken"],
)
def test_a_write_without_an_answer_is_an_error_and_not_repeated(
    fake: Callable[..., FakeServer], shell: Shell, home: Path, ending: bytes
) -> None:
    server = fake(CONTINUE, ending)
    code, out, _ = shell.run("store", "once or not at all", "--json")

    assert code == 1
    assert '"code": "server_lost"' in out
    assert b"once or not at all" in server.heard[1]
    assert not (home / "ledger.sqlite3").exists()


@pytest.mark.parametrize("ending", [b"", GARBAGE, b"HTTP/1.1 500 \r\ncontent-length: 0\r\n\r\n"])
@pytest.mark.usefixtures("empty_store")
def test_a_read_without_an_answer_is_done_in_process(
    fake: Callable[..., FakeServer], shell: Shell, home: Path, ending: bytes
) -> None:
    fake(CONTINUE, ending)

    assert shell.run("list")[:2] == (0, "no memories\n")


def test_a_late_answer_is_an_error(fake: Callable[..., FakeServer], home: Path) -> None:
    fake(CONTINUE, b"", b"")
    with pytest.raises(SatchelError) as caught:
        client.call(home, "store", {"text": "a"}, actor="cli", repeatable=False, seconds=0.2)

    assert caught.value.code == "server_lost"
    assert client.call(home, "stats", {}, actor="cli", repeatable=True, seconds=0.2) is None


def test_without_a_server_there_is_no_answer(home: Path) -> None:
    assert client.call(home, "stats", {}, actor="cli", repeatable=True) is None
    assert client.ask(home, "GET /v1/status") is None


def test_the_token_is_not_sent_to_another_users_socket(
    fake: Callable[..., FakeServer], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = fake(CONTINUE)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)

    assert client.call(home, "stats", {}, actor="cli", repeatable=True) is None
    assert server.heard == []


def test_nan_is_never_sent(fake: Callable[..., FakeServer], home: Path) -> None:
    server = fake(CONTINUE)

    assert client.call(home, "store", {"importance": float("nan")}, actor="cli", repeatable=False) is None
    assert server.heard == []


def test_a_hook_with_a_server_loads_even_less() -> None:
    script = "import sys; import satchel.interfaces.hooks.turn_client; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)

    assert not {"json", "pathlib", "typing", "hashlib", "msgspec", "satchel.config"} & set(done.stdout.split())


def test_the_client_imports_little() -> None:
    script = "import sys; import satchel.interfaces.http.client; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    loaded = set(done.stdout.split())
    assert not loaded & {
        "dataclasses",
        "msgspec",
        "argparse",
        "asyncio",
        "http",
        "http.client",
        "apsw",
        "tempfile",
        "starlette",
    }
    assert "satchel.config.sources" not in loaded
