"""The life of a server: start, stop, kill, locks and private files."""

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from satchel.adapters.server_files import ServerFiles
from satchel.app import Satchel
from satchel.config import Settings, load
from tests.interfaces.http.conftest import Shell
from tests.interfaces.http.running import PATIENCE, Server

OWN = {"serve.json", "serve.lock", "serve.sock", "serve.token"}
PROC = Path("/proc")
Start = Callable[..., Server]


def _names(home: Path) -> set[str]:
    return {path.name for path in home.iterdir() if path.name.startswith("serve.")}


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_it_and_its_files_are_removed(own_server: Start, signal_number: signal.Signals) -> None:
    server = own_server()
    assert _names(server.home) == OWN

    server.process.send_signal(signal_number)
    assert server.process.wait(PATIENCE) == 0
    assert _names(server.home) == set()
    assert not (server.home / "ledger.sqlite3-wal").exists()


def test_the_stop_command_works_once(own_server: Start, shell: Shell) -> None:
    server = own_server()
    shell.like(server)

    assert shell.run("serve", "--status")[0] == 0
    code, out, _ = shell.run("serve", "--stop")
    assert (code, out) == (0, f"stopped the server for {server.home}\n")
    assert server.process.wait(PATIENCE) == 0
    assert _names(server.home) == set()
    assert shell.run("serve", "--stop")[:2] == (0, f"no server is running for {server.home}\n")
    assert shell.run("serve", "--status")[:2] == (1, f"no server is running for {server.home}\n")


def test_its_files_are_private_whatever_the_umask(own_server: Start) -> None:
    before = os.umask(0)
    try:
        server = own_server()
    finally:
        os.umask(before)

    for name in OWN:
        assert stat.S_IMODE((server.home / name).lstat().st_mode) == 0o600, name
    assert stat.S_IMODE(server.home.stat().st_mode) == 0o700
    assert len(server.token) == 43


@pytest.mark.skipif(not PROC.exists(), reason="only Linux tells what a process listens on")
def test_it_listens_only_on_its_socket_and_the_given_port(own_server: Start, tmp_path: Path) -> None:
    assert _tcp_listeners(own_server(tmp_path / "quiet")) == []
    heard = own_server(tmp_path / "heard", "--port", "0")
    assert _tcp_listeners(heard) == [("127.0.0.1", heard.status["port"])]


def _tcp_listeners(server: Server) -> list[tuple[str, int]]:
    """Return the addresses at which a process accepts connections, as the kernel tells."""
    folder = PROC / str(server.process.pid)
    handles = set()
    for path in (folder / "fd").iterdir():
        # It opens and closes files while we look.
        with suppress(FileNotFoundError):
            handles.add(str(path.readlink()))
    found = []
    for table in ("tcp", "tcp6", "udp", "udp6"):
        for line in (folder / "net" / table).read_text(encoding="ascii").splitlines()[1:]:
            words = line.split()
            if f"socket:[{words[9]}]" in handles and words[3] in ("0A", "07"):
                address, port = words[1].split(":")
                assert table == "tcp", line
                found.append((socket.inet_ntoa(bytes.fromhex(address)[::-1]), int(port, 16)))
    return found


def test_a_second_server_fails_and_the_first_goes_on(own_server: Start, shell: Shell) -> None:
    server = own_server()
    shell.like(server)
    code, out, _ = shell.run("serve", "--json")

    assert (code, json.loads(out)["error"]["code"]) == (1, "already_serving")
    assert _names(server.home) == OWN
    assert server.is_well()


def test_a_port_in_use_is_an_error_and_no_files_are_left(own_server: Start, shell: Shell, tmp_path: Path) -> None:
    server = own_server(None, "--port", "0")
    home = tmp_path / "second"
    code, out, _ = shell.run("serve", "--home", str(home), "--port", str(server.status["port"]), "--json")

    assert (code, json.loads(out)["error"]["code"]) == (1, "port_taken")
    assert _names(home) == set()
    assert json.loads(shell.run("serve", "--port", "65536", "--json")[1])["error"]["code"] == "bad_port"


def test_after_a_kill_commands_work_and_a_new_server_starts(own_server: Start, shell: Shell) -> None:
    server = own_server()
    shell.like(server)
    assert shell.run("store", "before the end")[0] == 0
    server.kill()
    assert _names(server.home) == OWN

    assert shell.run("store", "after the end")[0] == 0
    assert "after the end" in shell.run("list")[1]
    assert shell.run("serve", "--status")[:2] == (1, f"no server is running for {server.home}\n")
    assert shell.run("serve", "--stop")[0] == 0
    again = own_server(server.home)
    assert {one["text"] for one in again.ask("/v1/list").json["result"]["memories"]} == {
        "before the end",
        "after the end",
    }


def test_a_suspended_server_is_bypassed(own_server: Start, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.interfaces.http.raw_client.GREETING_SECONDS", 0.2)
    monkeypatch.setattr("satchel.interfaces.http.client.STATUS_SECONDS", 0.2)
    server = own_server()
    shell.like(server)
    server.process.send_signal(signal.SIGSTOP)
    try:
        assert shell.run("store", "while it sleeps")[0] == 0
        assert "does not answer" in shell.run("serve", "--status")[1]
    finally:
        server.process.send_signal(signal.SIGCONT)

    listed = server.ask("/v1/list").json["result"]["memories"]
    assert [one["text"] for one in listed] == ["while it sleeps"]


def test_stop_waits_for_running_requests(own_server: Start) -> None:
    server = own_server()
    for number in range(300):
        assert server.ask("/v1/store", {"text": f"memory number {number}, to be embedded again"}).status == 200
    rebuild = subprocess.Popen(
        [sys.executable, "-c", _REBUILD, str(server.home), server.token], stdout=subprocess.PIPE, text=True
    )
    while "POST /v1/" not in _running(rebuild):
        time.sleep(0.001)
    server.process.send_signal(signal.SIGTERM)

    assert rebuild.communicate(timeout=PATIENCE)[0].split()[1] == "200"
    assert server.process.wait(PATIENCE) == 0


def _running(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline()


_REBUILD = """
import socket, sys
connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
connection.connect(sys.argv[1] + "/serve.sock")
head = f"POST /v1/index_rebuild HTTP/1.1\\r\\nHost: localhost\\r\\nAuthorization: Bearer {sys.argv[2]}\\r\\n"
head += "Content-Type: application/json\\r\\nContent-Length: 2\\r\\nExpect: 100-continue\\r\\n\\r\\n"
connection.sendall(head.encode())
connection.recv(100)
connection.sendall(b"{}")
print("POST /v1/ is on its way", flush=True)
print(connection.recv(100).decode(), flush=True)
"""


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder whose name leaves room for a socket's."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def test_a_long_home_path_gets_a_socket_in_a_private_folder(
    own_server: Start, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_folder: Path
) -> None:
    temporary = short_folder
    home = tmp_path / ("long" * 30) / "home"
    home.parent.mkdir()
    server = own_server(home, TMPDIR=str(temporary))
    shell.like(server)
    folder = Path(server.status["socket"]).parent

    assert folder.parent == temporary.resolve()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # The one who asks may have another temporary folder.
    assert shell.run("store", "far away")[0] == 0
    assert server.requests("store") == 1
    server.stop()
    assert list(temporary.iterdir()) == []

    folder.mkdir(mode=0o755)
    (folder / "of somebody else").touch()
    with monkeypatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(temporary))
        code, out, _ = shell.run("serve", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "unsafe_folder")

    with monkeypatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(home.parent))
        code, out, _ = shell.run("serve", "--json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "path_too_long")
    assert _names(home) == set()


def test_new_memories_are_embedded_while_idle(own_server: Start) -> None:
    server = own_server()
    server.ask("/v1/store", {"text": "to be embedded soon"})
    deadline = time.monotonic() + PATIENCE
    while server.ask("/v1/stats").json["result"]["embeddings_waiting"] and time.monotonic() < deadline:
        time.sleep(0.02)

    assert server.ask("/v1/stats").json["result"]["embeddings_waiting"] == 0


def test_a_replaced_store_is_reopened(own_server: Start, tmp_path: Path) -> None:
    with Satchel.open(tmp_path / "backup", settings=None) as backup:
        backup.store("from the backup")
    server = own_server()
    server.ask("/v1/store", {"text": "to be replaced"})
    for ending in ("-wal", "-shm"):
        (server.home / f"ledger.sqlite3{ending}").unlink()
    shutil.copy(tmp_path / "backup" / "ledger.sqlite3", server.home / "new")
    (server.home / "new").replace(server.home / "ledger.sqlite3")

    assert [one["text"] for one in server.ask("/v1/list").json["result"]["memories"]] == ["from the backup"]
    assert server.ask("/v1/store", {"text": "into the new one"}).status == 200
    server.stop()
    with Satchel.open(server.home) as memory:
        assert len(memory.memories.list().result.memories) == 2


def test_a_store_that_cannot_be_opened_is_not_served(shell: Shell, home: Path) -> None:
    home.mkdir()
    (home / "ledger.sqlite3").write_bytes(b"not a database" * 100)
    code, out, _ = shell.run("serve", "--home", str(home), "--json")

    assert code == 3
    assert json.loads(out)["ok"] is False
    assert _names(home) == set()


def test_a_read_only_store_is_served_without_changes(own_server: Start, home: Path, settings: Settings) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.store("as it is")
    server = own_server(home, SATCHEL_READ_ONLY="true")

    assert server.ask("/v1/recall", {"query": "as it is"}).status == 200
    assert (server.ask("/v1/store", {"text": "no"}).status, server.ask("/v1/index_build").status) == (403, 403)
    assert server.ask("/v1/memory_store", {"text": "no"}).status == 403


class TestServerFiles:
    def test_is_running_does_not_block_a_start(self, home: Path) -> None:
        files = ServerFiles(home)
        assert not files.is_running()
        with files.locked():
            assert files.is_running()
        assert not files.is_running()
        assert not files.lock.exists()

    def test_files_of_a_killed_server_are_not_a_running_server(self, home: Path) -> None:
        home.mkdir()
        files = ServerFiles(home)
        files.lock.touch()
        files.write_status({"socket": str(home / "serve.sock")})

        assert not files.is_running()
        with files.locked():
            files.clear()
        assert list(home.iterdir()) == []

    @pytest.mark.parametrize("note", [b"", b"{", b"[]", b"{}", b'{"socket": 7}', b"\xff", b"7"])
    def test_an_invalid_status_file_counts_as_none(self, home: Path, note: bytes) -> None:
        home.mkdir()
        ServerFiles(home).status.write_bytes(note)

        assert ServerFiles(home).read_status() is None


def test_the_fingerprint_covers_every_setting(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from satchel.locations import fingerprint

    home.mkdir()
    first = fingerprint(str(home), "1")
    monkeypatch.setenv("SATCHEL_HOME", "elsewhere")
    monkeypatch.setenv("UNRELATED", "1")
    assert fingerprint(str(home), "1") == first

    seen = {first, fingerprint(str(home), "2")}
    for name, value in (("SATCHEL_RECALL_LIMIT", "3"), ("SATCHEL_MODELS", "m"), ("XDG_DATA_HOME", "x"), ("HOME", "h")):
        monkeypatch.setenv(name, value)
        seen.add(fingerprint(str(home), "1"))
    (home / "config.toml").write_text("read_only = false\n", encoding="utf-8")
    seen.add(fingerprint(str(home), "1"))
    assert len(seen) == 7
    assert load(home=str(home)).read_only is False
