"""Processes that a benchmark starts: workers that it talks to line by line, and servers."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import ROOT
from satchel.errors import Unavailable


def start(module: str, *arguments: object) -> "subprocess.Popen[str]":
    """Start a module of the benchmarks as a process."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def hear(process: "subprocess.Popen[str]") -> str:
    """Return the next line that a process prints."""
    assert process.stdout is not None, "started with a pipe"
    line = process.stdout.readline()
    if not line:
        raise Unavailable("another process of the benchmark ended early", code="bench_failed")
    return line


def tell(process: "subprocess.Popen[str]", line: str) -> None:
    """Send a line to a process."""
    assert process.stdin is not None, "started with a pipe"
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


@contextmanager
def serving(home: Path) -> Iterator[int]:
    """Serve a store; yield the server's process id."""
    command = [sys.executable, "-m", "satchel", "--home", str(home), "serve", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None, "started with a pipe"
        # It prints its address when it is ready.
        said = server.stdout.readline()
        try:
            if not said.startswith(b"{") or not json.loads(said)["ok"]:
                raise Unavailable("the server did not start", code="bench_failed")
            yield server.pid
        finally:
            server.terminate()
