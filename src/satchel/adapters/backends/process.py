"""Runs another program with a time and a size limit, in its own process group, which is killed as a whole."""

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from satchel.domain.routing import RouteErrorCode
from satchel.errors import BackendFailed

MAX_OUTPUT_BYTES = 8 << 20
MAX_MESSAGE_BYTES = 64 << 10
_CHUNK = 1 << 16


class Finished(Struct, frozen=True):
    """The result of a program."""

    code: int
    output: bytes
    message: str


def run(command: Sequence[str], deadline: float, *, input: bytes = b"", limit: int = MAX_OUTPUT_BYTES) -> Finished:
    """Run a program; kill it and its children when the deadline passes or its output exceeds the limit."""
    if not hasattr(os, "killpg"):
        # Windows has no process groups, and cannot wait for several pipes at once.
        raise BackendFailed(f"programs cannot be run on {sys.platform}", code=RouteErrorCode.UNAVAILABLE)
    try:
        # A file instead of a pipe, so that input need not be written while output is read.
        with tempfile.TemporaryFile() as stdin:
            stdin.write(input)
            stdin.seek(0)
            process = subprocess.Popen(
                [*command], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
    except (OSError, ValueError) as error:
        raise BackendFailed(f"{command[0]} cannot be started: {error}", code=RouteErrorCode.UNAVAILABLE) from None
    try:
        output, message = _read_output(process, deadline, limit)
        code = process.wait(timeout=max(0.01, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise _timeout(command) from None
    finally:
        _kill(process)
    return Finished(code, output, message.decode("utf-8", "replace"))


def _read_output(process: "subprocess.Popen[bytes]", deadline: float, limit: int) -> tuple[bytes, bytes]:
    assert process.stdout is not None and process.stderr is not None
    parts: dict[int, bytearray] = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    with selectors.DefaultSelector() as selector:
        for handle in parts:
            selector.register(handle, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                raise _timeout(process.args)
            for key, _ in selector.select(left):
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fd)
                elif key.fd == process.stdout.fileno() or len(parts[key.fd]) < MAX_MESSAGE_BYTES:
                    parts[key.fd] += chunk
            if len(parts[process.stdout.fileno()]) > limit:
                raise BackendFailed(f"more than {limit:,} bytes of output", code=RouteErrorCode.ERROR)
    output, message = parts.values()
    return bytes(output), bytes(message)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    # With its children: the program of a shell would outlive the shell.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _timeout(command: object) -> BackendFailed:
    name = command[0] if isinstance(command, Sequence) and command else "the program"
    return BackendFailed(f"{name} did not end in time", code=RouteErrorCode.TIMEOUT)
