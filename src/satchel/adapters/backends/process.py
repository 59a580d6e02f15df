"""Running another program within a time and a size. It has a process group of its own, which is ended as a whole."""

import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress

from msgspec import Struct

from satchel.domain.routing import Code
from satchel.errors import BackendFailed

MAX_OUTPUT_BYTES = 8 << 20
MAX_MESSAGE_BYTES = 64 << 10
_CHUNK = 1 << 16


class Finished(Struct, frozen=True):
    """How a program ended, and what it said."""

    code: int
    output: bytes
    message: str


def run(command: Sequence[str], deadline: float, *, fed: bytes = b"", limit: int = MAX_OUTPUT_BYTES) -> Finished:
    """Run a program to its end, or end it, with whatever it started, when its time is over or it says too much."""
    try:
        # A file, and no pipe: nobody has to feed it while its answer is read.
        with tempfile.TemporaryFile() as given:
            given.write(fed)
            given.seek(0)
            process = subprocess.Popen(
                [*command], stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
            )
    except (OSError, ValueError) as error:
        raise BackendFailed(f"{command[0]} cannot be started: {error}", code=Code.UNAVAILABLE) from None
    try:
        output, message = _said(process, deadline, limit)
        code = process.wait(timeout=max(0.01, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise _late(command) from None
    finally:
        _end(process)
    return Finished(code, output, message.decode("utf-8", "replace"))


def _said(process: "subprocess.Popen[bytes]", deadline: float, limit: int) -> tuple[bytes, bytes]:
    assert process.stdout is not None and process.stderr is not None
    parts: dict[int, bytearray] = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    with selectors.DefaultSelector() as selector:
        for handle in parts:
            selector.register(handle, selectors.EVENT_READ)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                raise _late(process.args)
            for key, _ in selector.select(left):
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    selector.unregister(key.fd)
                elif key.fd == process.stdout.fileno() or len(parts[key.fd]) < MAX_MESSAGE_BYTES:
                    parts[key.fd] += chunk
            if len(parts[process.stdout.fileno()]) > limit:
                raise BackendFailed(f"it said more than {limit:,} bytes", code=Code.ERROR)
    output, message = parts.values()
    return bytes(output), bytes(message)


def _end(process: "subprocess.Popen[bytes]") -> None:
    # Its children as well: a shell's program outlives the shell otherwise.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def _late(command: object) -> BackendFailed:
    name = command[0] if isinstance(command, Sequence) and command else "the program"
    return BackendFailed(f"{name} did not end in time", code=Code.TIMEOUT)
