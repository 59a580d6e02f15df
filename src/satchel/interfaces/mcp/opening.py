"""Read standard input from the start of the process, and greet the client while the rest is loading."""

import os
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from typing import BinaryIO, NamedTuple, NoReturn

from satchel.interfaces.mcp.greeting import Greeting, Json, expects_answer

STANDARD_INPUT, STANDARD_OUTPUT = 0, 1
# What waits for the SDK at most; then the client has to wait with its next line.
MAX_WAITING_LINES = 1_000
MAX_WAITING_BYTES = 16 << 20

Sink = Callable[[bytes | None], bool]
"""Takes the next line, None at the end of the input; returns whether it can take another."""


class Waiting(NamedTuple):
    """What the client sent and nobody answered."""

    lines: list[bytes]
    ended: bool


class Opening:
    """A client's lines: greeted as they come, kept in order for the SDK, and passed to it once it is there."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming, self._outgoing = incoming, outgoing
        self._greeting = Greeting()
        self._changed = threading.Condition()
        self._waiting: list[bytes] = []
        self._ended = False
        self._sink: Sink | None = None

    def know(self, lists: Mapping[str, Json]) -> None:
        """Answer these methods from now on, and what waits of them."""
        with self._changed:
            self._greeting.know(lists)
            lines, self._waiting = self._waiting, []
            for line in lines:
                self._greet(line)
            self._changed.notify_all()

    def is_over(self) -> bool:
        """Return whether the client is gone and waits for nothing."""
        return self._ended and not any(map(expects_answer, self._waiting))

    def wait_until(self, ready: threading.Event) -> bool:
        """Wait until the event is set by `wake`, or the conversation is over; return whether it goes on."""
        with self._changed:
            self._changed.wait_for(lambda: ready.is_set() or self.is_over())
            return not self.is_over()

    def wake(self) -> None:
        """Make `wait_until` look again."""
        with self._changed:
            self._changed.notify_all()

    def hand_over(self, sink: Sink) -> Waiting:
        """Return what waits; every later line goes to the sink."""
        with self._changed:
            self._sink = sink
            waiting, self._waiting = Waiting(self._waiting, self._ended), []
            self._changed.notify_all()
            return waiting

    def read(self) -> None:
        """Take lines until the input ends, or nobody takes them any more."""
        with suppress(OSError):
            for line in self._incoming:
                if not self._take(line):
                    return
        with self._changed:
            self._ended = True
            self._changed.notify_all()
            sink = self._sink
        if sink is not None:
            sink(None)

    def _take(self, line: bytes) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._sink is not None or not self._is_full())
            if self._sink is None:
                self._greet(line)
                return True
            sink = self._sink
        return sink(line)

    def _greet(self, line: bytes) -> None:
        reply = self._greeting.reply_to(line)
        kept = line if reply is None else reply.replayed
        if kept is not None:
            self._waiting.append(kept)
        if reply is not None:
            self._send(reply.line)

    def _send(self, line: bytes) -> None:
        # If the client is gone, the end of the input follows.
        with suppress(OSError):
            self._outgoing.write(line)
            self._outgoing.flush()

    def _is_full(self) -> bool:
        return len(self._waiting) >= MAX_WAITING_LINES or sum(map(len, self._waiting)) >= MAX_WAITING_BYTES


@cache
def begin() -> Opening:
    """Begin to read standard input, once in a process."""
    incoming = open(STANDARD_INPUT, "rb", closefd=False)  # noqa: SIM115  read until the process ends
    outgoing = open(STANDARD_OUTPUT, "wb", closefd=False)  # noqa: SIM115
    opening = Opening(incoming, outgoing)
    # A daemon, so that a blocked read does not keep the process alive.
    threading.Thread(target=opening.read, daemon=True, name="satchel-mcp").start()
    for told in (signal.SIGINT, signal.SIGTERM):
        signal.signal(told, lambda number, frame: end())
    return opening


def end() -> NoReturn:
    """End the process while it is loading: nothing is open, and a thread cannot be stopped in an import."""
    os._exit(0)
