"""The files of a Lance dataset: one writer at a time, and removal. Works where Lance is not installed."""

import errno
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from satchel.errors import Unavailable
from satchel.ports import INDEX_UNREACHABLE

LOCK_FILE = "writer.lock"
# What Lance says when object storage fails, and what object storage says when it refuses.
_BUCKET_ERRORS = ("Generic S3 error", "error sending request", "Failed to get AWS credentials", "NoSuchBucket")
_REFUSALS = {
    "NoSuchBucket": "there is no such bucket",
    "AccessDenied": "it refuses these keys",
    "403 Forbidden": "it refuses these keys",
    "SignatureDoesNotMatch": "it refuses these keys",
    "InvalidAccessKeyId": "it refuses these keys",
    "credentials": "no keys were found",
}


class DatasetFolder:
    """The files of one dataset; all datasets of a folder share its lock."""

    def __init__(self, folder: Path, name: str, *, read_only: bool = False) -> None:
        self.path = folder / f"{name}.lance"
        self.uri = str(self.path)
        """Where Lance finds the table."""
        self.options: dict[str, str] | None = None
        """How Lance reaches it."""
        self._lock = folder / LOCK_FILE
        self._read_only = read_only

    def exists(self) -> bool:
        """Return whether there is a dataset, usable or not."""
        return self.path.exists()

    def may_exist(self) -> bool:
        """Return whether it is worth opening; raise Unavailable if it could not be reached a moment ago."""
        return self.path.exists()

    def is_missing(self, error: Exception) -> bool:
        """Return whether an error on opening says that there is no dataset."""
        return False

    def note_failure(self, error: Unavailable) -> None:
        """Note that the dataset could not be reached."""

    def note_made(self, generation: str) -> None:
        """Note which build of the dataset was made here."""

    def is_own(self, generation: str) -> bool:
        """Return whether the files on this disk belong to a build of the dataset."""
        return True

    def note_written(self) -> None:
        """Note that the dataset was written now."""

    def written_at(self) -> float:
        """Return when the dataset was last written; raise OSError if that is not known."""
        return (self.path / "_versions").stat().st_mtime

    def names(self, folder: str = "") -> Sequence[str]:
        """Return the names of the table's files, or of those of one folder."""
        return sorted(
            path.relative_to(self.path).as_posix() for path in (self.path / folder).rglob("*") if path.is_file()
        )

    def delete(self, name: str) -> None:
        """Delete a file of the table."""
        (self.path / name).unlink()

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


def unreachable(why: str) -> Unavailable:
    """Return the error for an index whose bucket cannot be reached."""
    return Unavailable(
        f"the bucket of the index cannot be reached: {why}",
        code=INDEX_UNREACHABLE,
        hint="check the setting index, AWS_ENDPOINT_URL and the keys; recall goes on without it",
    )


def is_of_bucket(error: BaseException) -> bool:
    """Return whether an error comes from object storage, and not from a damaged dataset."""
    return any(mark in str(error) for mark in _BUCKET_ERRORS)


def unwritable() -> Unavailable:
    """Return the error for an index that cannot be written."""
    return Unavailable("the index cannot be written", code="read_only", hint="check who owns its folder")


def unusable(error: BaseException) -> Unavailable:
    """Return the error for an index that cannot be used."""
    # Lance gives the number of the system's error in its text only.
    if getattr(error, "errno", None) == errno.ENOSPC or f"(os error {errno.ENOSPC})" in str(error):
        return Unavailable("the disk is full, the index was not written", code="disk_full", hint="free some space")
    if is_of_bucket(error):
        return unreachable(next((why for mark, why in _REFUSALS.items() if mark in str(error)), "it does not answer"))
    return Unavailable(
        f"the index cannot be used: {reason(error)}",
        code="index_unusable",
        hint="run 'satchel index rebuild'",
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
