"""Operating system calls that differ between Linux, macOS and Windows: locks, flags, positioned reads, owners.

On the way of hooks, so it imports nothing slow. A feature that the platform does not have is left out here, or
reported by the caller that needs it; importing never fails.
"""

import os
import sys

from satchel.errors import Unavailable

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# Flags that do not exist everywhere are zero there. Without O_BINARY, Windows translates line ends.
CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NON_BLOCKING = getattr(os, "O_NONBLOCK", 0)
READ = os.O_RDONLY | CLOSE_ON_EXEC
# Opening a named pipe must not wait for its other end.
READ_NOW = READ | NON_BLOCKING
READ_WRITE = os.O_RDWR | os.O_CREAT | CLOSE_ON_EXEC

# No system opens a longer path, and resolving one takes seconds.
MAX_PATH_CHARS = 32_767

# Windows locks bytes, and nobody can read a locked one: this one is behind any content.
_LOCKED_BYTE = 1 << 30

# From malloc.h.
_M_ARENA_MAX = -8


def lock(handle: int, *, wait: bool = True, shared: bool = False) -> None:
    """Lock an open file until it is closed or the process ends; without `wait`, raise BlockingIOError if it is locked.

    A shared lock only excludes exclusive ones; on Windows it excludes every other.
    """
    if fcntl is not None:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        fcntl.flock(handle, kind if wait else kind | fcntl.LOCK_NB)
    else:
        _lock_byte(handle, wait)


def _lock_byte(handle: int, wait: bool) -> None:
    try:
        import msvcrt
    except ImportError:
        raise unsupported("file locks") from None
    place = os.lseek(handle, 0, os.SEEK_CUR)
    os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
    try:
        while True:
            try:
                # Waits ten seconds at most, then fails.
                mode = msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK  # type: ignore[attr-defined,unused-ignore]
                msvcrt.locking(handle, mode, 1)  # type: ignore[attr-defined,unused-ignore]
                return
            except OSError as error:
                if not wait:
                    raise BlockingIOError(error.errno, "locked by another process") from None
    finally:
        os.lseek(handle, place, os.SEEK_SET)


def read_at(handle: int, count: int, position: int) -> bytes:
    """Read from a position of an open file."""
    if hasattr(os, "pread"):
        return os.pread(handle, count, position)
    os.lseek(handle, position, os.SEEK_SET)
    return os.read(handle, count)


def write_at(handle: int, data: "bytes | memoryview", position: int) -> int:
    """Write at a position of an open file; return how many bytes were written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(handle, data, position)
    os.lseek(handle, position, os.SEEK_SET)
    return os.write(handle, data)


def sync_folder(folder: "str | os.PathLike[str]") -> None:
    """Make new and renamed files of a folder durable. Windows does so by itself, and cannot open a folder."""
    if fcntl is None:
        return
    handle = os.open(folder, READ)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def lock_folder(folder: "str | os.PathLike[str]", *, wait: bool = True) -> int:
    """Lock a folder; return the handle that releases the lock when it is closed. Windows locks a file in it.

    Without `wait`, raises BlockingIOError if another process holds the lock.
    """
    windows = fcntl is None
    handle = os.open(f"{os.fspath(folder)}/.lock", READ_WRITE, 0o600) if windows else os.open(folder, READ)
    try:
        lock(handle, wait=wait)
    except BaseException:  # also a signal: nobody else can close the file
        os.close(handle)
        raise
    return handle


def is_owner(uid: int) -> bool:
    """Return whether this user has a user id. Windows has none: there the profile folder keeps others out."""
    return uid == user_id()


def user_id() -> int:
    """Return the id of this user; on Windows 0, which `stat` says of every file."""
    return os.getuid() if hasattr(os, "getuid") else 0


def resident_bytes() -> int | None:
    """Return the memory that this process has in use; None where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123  pathlib is slow to import
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def limit_memory_arenas() -> None:
    """Let threads share two heaps: with one for each, glibc keeps what every thread once needed. Elsewhere this does nothing."""
    if sys.platform != "linux":
        return
    # Slow to import, and only servers need them.
    import ctypes
    from contextlib import suppress

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def unsupported(what: str, hint: str = "") -> Unavailable:
    """Return the error for what this platform does not have."""
    return Unavailable(f"{what} are not available on {sys.platform}", code="unsupported_platform", hint=hint)
