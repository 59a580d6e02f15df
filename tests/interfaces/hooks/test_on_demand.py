"""A server that a hook starts: one per store, used by the next turns, gone when it has no use."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from satchel import __version__
from satchel.adapters.server_files import MAX_LOG_BYTES, ServerFiles
from satchel.domain.server import RunningServer
from tests.interfaces.http.running import PATIENCE, Server
from tests.tables import each_case

PROC = Path("/proc")
pytestmark = pytest.mark.skipif(not PROC.exists(), reason="the processes of a store are counted in /proc")
PROMPT = b'{"prompt": "on which day do we deploy?"}'
# Set by the program itself: a function between fork and exec would warn of libraries that must not be forked.
ON_A_FULL_DISK = (
    "import resource, runpy; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); "
    "runpy.run_module('satchel', run_name='__main__')"
)
CHECK_OFTEN = "from satchel.interfaces.http import server\nserver.TICKS_PER_CHECK = 1\n"


class Host:
    """A host that calls hooks around its turns, with servers on demand."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.files = ServerFiles(home)
        self.environment = os.environ | {"SATCHEL_EMBEDDER": "hashing", "SATCHEL_SERVE_ON_DEMAND": "true"}

    def run(
        self, *words: str, program: tuple[str, ...] = ("-m", "satchel"), **more: Any
    ) -> "subprocess.CompletedProcess[bytes]":
        """Run a command."""
        command = [sys.executable, *program, *words, "--home", str(self.home)]
        return subprocess.run(command, env=self.environment, capture_output=True, check=False, timeout=PATIENCE, **more)

    def turn(self, **more: Any) -> dict[str, Any]:
        """Run the hook before a turn, which must answer."""
        done = self.run("turn", "before", input=PROMPT, **more)
        answer: dict[str, Any] = json.loads(done.stdout)
        assert (done.returncode, answer["result"]["mode"]) == (0, "hybrid")
        assert "Thursdays" in answer["result"]["block"]
        return answer

    def json(self, *words: str) -> Any:
        """Run a command and return its result."""
        return json.loads(self.run(*words, "--json").stdout)["result"]

    def served(self) -> int:
        """Count the turns that the server performed."""
        return self.log().count("POST /v1/turn_before 200")

    def log(self) -> str:
        """Return what the server logged."""
        return self.files.log.read_text(encoding="utf-8") if self.files.log.exists() else ""

    def server(self) -> RunningServer:
        """Return the server once it has started."""
        wait_until(lambda: (found := self.files.running()) is not None and found.pid is not None)
        found = self.files.running()
        assert found is not None
        return found

    def processes(self) -> list[int]:
        """Return the servers of this store, running or starting."""
        found = []
        for folder in PROC.iterdir():
            with suppress(OSError, ValueError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if b"--on-demand" in words and os.fsencode(self.home) in words:
                    found.append(int(folder.name))
        return found

    def end(self) -> None:
        """Kill every server of this store."""
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not self.processes())


def wait_until(reached: Callable[[], bool]) -> None:
    """Wait for a state of another process."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        assert time.monotonic() < deadline, "not reached in time"
        time.sleep(0.01)


@pytest.fixture
def host(home: Path) -> Iterator[Host]:
    """A host whose store has one memory."""
    host = Host(home)
    assert host.run("store", "We always deploy on Thursdays").returncode == 0
    yield host
    host.end()


def test_the_first_turn_works_alone_and_the_next_uses_the_server(host: Host) -> None:
    host.files.log.write_bytes(b"of earlier servers\n" * 100_000)
    reader, writer = os.pipe()
    host.turn(pass_fds=[writer])
    os.close(writer)
    # The server keeps nothing open that its host waits for.
    assert os.read(reader, 1) == b""
    os.close(reader)
    server = host.server()
    assert (server.on_demand, server.version, host.served()) == (True, __version__, 0)

    host.turn()
    assert host.served() == 1
    stats = host.json("stats")["server"]
    assert (stats["pid"], stats["since"], stats["on_demand"]) == (server.pid, server.since, True)
    assert 29 * 60_000 < stats["idle_end"] - time.time() * 1000 < 31 * 60_000
    assert f"server: process {server.pid}, since" in host.run("stats").stdout.decode()
    [found] = [one for one in host.json("doctor")["findings"] if one["check"] == "server"]
    assert found["status"] == "ok" and f"process {server.pid}" in found["message"] and "on demand" in found["message"]
    assert (host.files.log.stat().st_size < MAX_LOG_BYTES, host.processes()) == (True, [server.pid])
    assert host.json("serve", "--status")["on_demand"] is True

    by_hand = Server(host.home)
    by_hand.stop()
    assert by_hand.status["on_demand"] is False
    wait_until(lambda: not host.processes())
    assert [path.name for path in host.home.iterdir() if path.name.startswith("serve.")] == ["serve.log"]
    assert host.json("stats")["server"] is None


def test_the_hooks_of_a_session_share_the_server_that_the_first_one_starts(host: Host, tmp_path: Path) -> None:
    said = {"type": "user", "message": {"role": "user", "content": "From now on, always test on Mondays."}}
    (tmp_path / "t.jsonl").write_text(json.dumps(said) + "\n", encoding="utf-8")
    around = {"session_id": "1", "transcript_path": str(tmp_path / "t.jsonl"), "cwd": "/", "tool_name": "Bash"}
    given = json.dumps({**around, "prompt": "on which day do we deploy?", "error": "Exit code 2"}).encode()

    def send(event: str) -> str:
        done = host.run("hook", "claude-code", event, input=given)
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    send("SessionStart")
    host.server()
    assert "Thursdays" in send("UserPromptSubmit")
    assert send("PostToolUseFailure") + send("Stop") + send("SessionEnd") == ""
    log = host.log()
    assert [log.count(f"POST /v1/{name} 200") for name in ("turn_before", "turn_after", "ingest")] == [1, 1, 1]
    assert "always test on Mondays" in send("SessionStart")


def test_it_is_off_by_default(host: Host) -> None:
    del host.environment["SATCHEL_SERVE_ON_DEMAND"]
    host.turn()
    assert [path.name for path in host.home.iterdir() if path.name.startswith("serve")] == []


def test_a_crowd_of_hooks_starts_one_server(host: Host) -> None:
    command = [sys.executable, "-m", "satchel", "turn", "before", "--home", str(host.home)]
    crowd = [
        subprocess.Popen(command, env=host.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(16)
    ]
    answers = [one.communicate(PROMPT, timeout=PATIENCE)[0] for one in crowd]
    assert all(b"Thursdays" in answer for answer in answers)
    server = host.server()
    assert host.processes() == [server.pid]
    assert "already" not in host.log()


def test_it_ends_when_nobody_uses_it(host: Host) -> None:
    host.environment["SATCHEL_SERVE_IDLE_MINUTES"] = "0.01"
    host.turn()
    wait_until(lambda: "ended: nobody used it" in host.log())
    wait_until(lambda: not host.processes())
    assert (host.files.lock.exists(), host.files.log.stat().st_mode & 0o777) == (False, 0o600)


@each_case(
    ("change", "reason"),
    [
        (lambda home: (home / "config.toml").write_text("serve.on_demand = false\n", encoding="utf-8"), "settings"),
        (lambda home: (home / "ledger.sqlite3").unlink(), "store"),
    ],
)
def test_it_ends_when_what_it_serves_changes(home: Path, change: Callable[[Path], object], reason: str) -> None:
    Host(home).run("store", "We always deploy on Thursdays")
    server = Server(home, "--on-demand", script=CHECK_OFTEN)
    change(home)
    assert server.process.wait(PATIENCE) == 0
    server.stop()
    assert f"ended: the {reason}" in (home / "serve.log").read_text(encoding="utf-8")
    assert not (home / "serve.sock").exists()
    assert (home / "ledger.sqlite3").exists() is (reason == "settings")


def test_a_server_of_another_version_is_replaced(host: Host) -> None:
    earlier = Server(host.home, "--on-demand", script="import satchel\nsatchel.__version__ = '0.0.9'\n")
    host.turn()
    assert earlier.process.wait(PATIENCE) == 0
    earlier.stop()
    host.turn()
    assert host.server().version == __version__


def test_a_killed_server_is_replaced_and_one_that_hangs_is_left_alone(host: Host) -> None:
    host.turn()
    killed = host.server().pid
    host.end()
    assert host.files.socket().exists()

    host.turn()
    hanging = host.server().pid
    assert hanging not in (None, killed)
    os.kill(hanging, signal.SIGSTOP)
    host.turn()
    assert (host.processes(), host.served()) == ([hanging], 0)


def test_a_server_that_cannot_start_is_not_started_at_every_turn(host: Host) -> None:
    (host.home / "serve.token" / "in the way").mkdir(parents=True)
    host.turn()
    wait_until(lambda: bool(host.log()) and not host.processes())
    said = host.log()
    host.turn()
    wait_until(lambda: not host.processes())
    assert host.log() == said


def test_a_turn_on_a_full_disk_or_without_access_answers_and_starts_nothing(host: Host) -> None:
    host.turn(program=("-c", ON_A_FULL_DISK))
    assert host.processes() == []
    host.files.lock.unlink()
    host.files.lock.mkdir()
    host.turn()
    assert host.processes() == []


def test_a_log_that_cannot_be_written_keeps_nobody_from_serving(host: Host) -> None:
    host.files.log.symlink_to("/dev/full")
    host.turn()
    server = host.server()
    last_use = server.idle_end
    host.turn()
    assert host.processes() == [server.pid]
    assert (host.server().idle_end or 0) > (last_use or 0)


def test_a_store_that_was_removed_is_not_created_again(home: Path) -> None:
    done = Host(home).run("serve", "--on-demand", stdin=subprocess.DEVNULL)
    assert (done.returncode, home.exists()) == (1, False)
