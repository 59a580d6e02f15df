"""Receive a file as the body of a request: bounded, streamed to disk, and given up if the sender stalls."""

import asyncio
from collections.abc import AsyncIterator
from typing import BinaryIO

from starlette.requests import ClientDisconnect, Request

from satchel.errors import InvalidRequest, Unavailable
from satchel.interfaces.http.answers import RequestRejected

CONTENT_TYPE = "application/octet-stream"
MAX_BYTES = 1 << 30
# Maximum time until the next piece of a file arrives.
STALL_SECONDS = 10.0
# Written at once: the event loop hands the disk fewer, larger pieces.
_PIECE_BYTES = 1 << 20


async def receive_file(request: Request, file: BinaryIO) -> int:
    """Write the body to a file; return its size. Raises RequestRejected if it is too large, stalls or breaks off."""
    if request.headers.getlist("content-type") != [CONTENT_TYPE]:
        raise RequestRejected(415, InvalidRequest("the body must be a file", code="not_a_file"))
    length = request.headers.get("content-length", "0")
    _check_size(int(length) if length.isascii() and length.isdigit() and len(length) < 20 else MAX_BYTES + 1)
    size = 0
    try:
        async for piece in _pieces(request):
            size += len(piece)
            _check_size(size)
            await asyncio.to_thread(file.write, piece)
    except ClientDisconnect:
        raise RequestRejected(400, InvalidRequest("the file is incomplete", code="broken_off")) from None
    except TimeoutError:
        slow = Unavailable(f"no more of the file came for {STALL_SECONDS:.0f} seconds", code="too_slow")
        raise RequestRejected(408, slow) from None
    except OSError as error:
        full = Unavailable(f"the upload cannot be kept: {error.strerror}", code="io_error")
        raise RequestRejected(503, full) from None
    return size


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    waiting, size = [], 0
    stream = request.stream()
    while True:
        try:
            async with asyncio.timeout(STALL_SECONDS):
                part = await anext(stream)
        except StopAsyncIteration:
            break
        waiting.append(part)
        size += len(part)
        if size >= _PIECE_BYTES:
            yield b"".join(waiting)
            waiting, size = [], 0
    yield b"".join(waiting)


def _check_size(size: int) -> None:
    if size > MAX_BYTES:
        large = InvalidRequest(
            f"the file is larger than {MAX_BYTES:,} bytes",
            code="too_large",
            hint="name its path on this machine instead",
        )
        raise RequestRejected(413, large)
