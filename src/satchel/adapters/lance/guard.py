"""Guards around Lance: one error type, private files, and one writer at a time."""

import errno
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from satchel.errors import Unavailable


@contextmanager
def writer_lock(path: Path, deadline: float | None) -> Iterator[bool]:
    """Hold the writer lock across processes; yields False if it was not free in time or cannot be taken."""
    from filelock import FileLock, Timeout

    timeout = -1 if deadline is None else max(0.0, deadline - time.monotonic())
    lock = FileLock(str(path), timeout=timeout, mode=0o600)
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except (Timeout, PermissionError):
        yield False
        return
    except OSError as error:
        if error.errno == errno.EROFS:
            yield False
            return
        raise unusable(error) from error
    try:
        with _private_files():
            yield True
    finally:
        lock.release()


@contextmanager
def _private_files() -> Iterator[None]:
    """Make the files that Lance creates private. The umask is the only way."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def translate_errors() -> Iterator[None]:
    """Turn whatever Lance raises into Unavailable: the index cannot be used, but the ledger can."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, pa.ArrowException) as error:
        raise unusable(error) from error
    except BaseException as error:
        # A damaged file can make the Rust code panic, which is not an Exception in Python.
        if type(error).__name__ == "PanicException":
            raise unusable(error) from error
        raise


def unusable(error: BaseException) -> Unavailable:
    """Return the error for an index that cannot be used."""
    # Without the location in Lance's source.
    first_line = re.sub(r",? ?\S*/rust/\S+", "", str(error).strip().partition("\n")[0])[:200]
    return Unavailable(
        f"the index cannot be used: {first_line or type(error).__name__}",
        code="index_unusable",
        hint="satchel index rebuild",
    )
