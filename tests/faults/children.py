"""Child processes on a real store, which a test reads from and kills."""

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

DEADLINE_SECONDS = 120.0

_PRELUDE = """
import os, sys
from satchel import Satchel
from satchel.config import load

home = sys.argv[1]
memory = Satchel.open(settings=load(home=home, embedding={"provider": "hashing"}, recall={"catch_up_ms": 2_000, "index_from": 0}))

def say(word):
    os.write(1, f"{word}\\n".encode())
"""

STORE = "for number in range(int(sys.argv[2])): say(memory.store(f'{sys.argv[3]} walrus {number}').result.id)"
RECALL = "while True:\n    memory.recall('walrus', limit=10)\n    say('recalled')"
REBUILD = "say('ready')\nwhile True: memory.maintenance.index_rebuild()"
FORGET = "say('ready')\nfor id in sys.stdin.read().split():\n    memory.forget(id)\n    say(id)"


class Child:
    """A process that prints what it has done, one word per line."""

    def __init__(self, script: str, home: Path, *arguments: object, given: str = "") -> None:
        command = [sys.executable, "-c", _PRELUDE + script, str(home), *map(str, arguments)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, close_fds=True
        )
        self._said = b""
        assert self._process.stdin is not None
        self._process.stdin.write(given.encode())
        self._process.stdin.close()
        self._process.stdin = None

    def wait_for(self, words: int) -> None:
        """Wait until the child has printed this many words, or has ended."""
        assert self._process.stdout is not None
        end = time.monotonic() + DEADLINE_SECONDS
        while self._said.count(b"\n") < words:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the child said nothing for too long"
            if not (piece := os.read(self._process.stdout.fileno(), 65_536)):
                return
            self._said += piece

    def kill(self) -> list[str]:
        """Kill the child with SIGKILL, and return the complete words that it printed."""
        self._process.kill()
        return self._ended()

    def finish(self) -> list[str]:
        """Wait for the child to succeed, and return what it printed."""
        said = self._ended()
        assert self._process.returncode == 0, self._errors
        return said

    def end(self) -> list[str]:
        """Kill a child that goes on for ever, check that it had not failed before, and return what it printed."""
        said = self.kill()
        assert self._process.returncode == -signal.SIGKILL, self._errors
        return said

    def is_running(self) -> bool:
        """Return whether the child is still running."""
        return self._process.returncode is None

    def _ended(self) -> list[str]:
        rest, errors = self._process.communicate(timeout=DEADLINE_SECONDS)
        self._errors = errors.decode(errors="replace")
        *said, _ = (self._said + rest).decode().split("\n")
        return said


class Start(Protocol):
    """Starts a child on the home of a test."""

    def __call__(self, script: str, *arguments: object, given: str = "") -> Child: ...
