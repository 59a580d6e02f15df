"""The lock of the one process that embeds for a ledger file. The operating system frees it when that process ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.os_calls import READ_WRITE, lock


@contextmanager
def embedding_lock(ledger: Path) -> Iterator[bool]:
    """Take the lock for the length of the block; yields False if another process has it, or it cannot be taken."""
    try:
        handle = os.open(f"{ledger}-embedding.lock", READ_WRITE, 0o600)
    except OSError:
        yield False
        return
    try:
        yield _is_taken(handle)
    finally:
        os.close(handle)


def _is_taken(handle: int) -> bool:
    try:
        lock(handle, wait=False)
    except OSError:
        return False
    return True
