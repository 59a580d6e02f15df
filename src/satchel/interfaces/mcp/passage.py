"""Pass lines from the thread that reads them to the event loop, which may end before the thread does.

A task or a future for each line would be cancelled with the loop, and asyncio would report it as an error.
"""

import asyncio
import math
import threading
from collections.abc import AsyncIterator
from contextlib import suppress

import anyio

# A client that sends faster than it is served waits with its next line.
MAX_LINES_UNDERWAY = 16


class Passage:
    """Lines on their way into the event loop that runs; leaving it drops what is under way."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._send, self._receive = anyio.create_memory_object_stream[bytes](math.inf)
        self._room = threading.Semaphore(MAX_LINES_UNDERWAY)
        self._closed = False

    def put(self, line: bytes | None) -> bool:
        """Pass the next line on from any thread, None at the end; wait for room, and return whether anybody takes it."""
        self._room.acquire()
        if not self._closed:
            # A loop that is closed takes nothing any more.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._arrive, line)
                return True
        self._room.release()
        return False

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield the lines in the loop, until the end."""
        async for line in self._receive:
            self._room.release()
            yield line

    def __enter__(self) -> "Passage":
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        self._receive.close()
        self._send.close()
        self._room.release()

    def _arrive(self, line: bytes | None) -> None:
        if line is None:
            self._send.close()
        elif not self._closed:
            self._send.send_nowait(line)
