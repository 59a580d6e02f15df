"""The files of a Lance dataset: one writer at a time, and removal. Works where Lance is not installed."""

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from satchel.errors import Unavailable

LOCK_FILE = "writer.lock"


class DatasetFolder:
    """The files of one dataset; all datasets of a folder share its lock."""

    def __init__(self, folder: Path, name: str, *, read_only: bool = False) -> None:
        self.path = folder / f"{name}.lance"
        self._lock = folder / LOCK_FILE
        self._read_only = read_only

    def exists(self) -> bool:
        """Return whether there is a dataset, usable or not."""
        return self.path.exists()

    @contextmanager
    def writing(self, deadline: float | None) -> Iterator[bool]:
        """Hold the writer lock across processes; yields False if it was not free in time or cannot be taken."""
        if self._read_only:
            yield False
            return
        with _writer_lock(self._lock, deadline) as locked:
            yield locked

    def drop(self, *, seconds: float | None = None, unless: Callable[[], bool] = lambda: False) -> None:
        """Remove the dataset under the lock, unless a condition holds then. Raises Unavailable if it cannot."""
        deadline = None if seconds is None else time.monotonic() + seconds
        with self.writing(deadline) as locked:
            if not locked and seconds is not None:
                raise Unavailable("another process is writing the index", code="busy", hint="try again")
            if not locked:
                raise unwritable()
            if not unless():
                self.remove()

    def remove(self) -> None:
        """Remove the dataset; the caller holds the lock."""
        try:
            if self.path.exists():
                shutil.rmtree(self.path)
        except OSError as error:
            raise unusable(error) from error


def unwritable() -> Unavailable:
    """Return the error for an index that cannot be written."""
    return Unavailable("the index cannot be written", code="read_only", hint="check who owns its folder")


def unusable(error: BaseException) -> Unavailable:
    """Return the error for an index that cannot be used."""
    # Lance gives the number of the system's error in its text only.
    if getattr(error, "errno", None) == errno.ENOSPC or f"(os error {errno.ENOSPC})" in str(error):
        return Unavailable("the disk is full, the index was not written", code="disk_full", hint="free some space")
    return Unavailable(
        f"the index cannot be used: {reason(error)}",
        code="index_unusable",
        hint="satchel index rebuild",
    )


def reason(error: BaseException) -> str:
    """Return what Lance says in its first line, without the location in its source."""
    first_line = re.sub(r",? ?\S*/rust/\S+", "", str(error).strip().partition("\n")[0])[:200]
    return first_line or type(error).__name__


@contextmanager
def _writer_lock(path: Path, deadline: float | None) -> Iterator[bool]:
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
