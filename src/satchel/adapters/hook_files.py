"""What hooks keep in the store's folder: a record of failures, and how far each session was captured.

    hook-failures.json       how many hooks failed, since when, and the last one; `satchel doctor` shows it
    hook-sessions/ab12….json the position in the transcript that the next capture of a session starts from

Loaded by hooks, so it loads very little. Neither is needed: without them hooks work, and duplicates are recognized.
"""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, TypeGuard

from satchel.domain.hook_failures import HookFailures
from satchel.os_calls import CLOSE_ON_EXEC, READ_NOW, READ_WRITE, lock, read_at, write_at

FAILURES = "hook-failures.json"
SESSIONS = "hook-sessions"
PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
MAX_FILE_BYTES = 4_096
MAX_REASON_CHARS = 300
MAX_NAME_CHARS = 60
# The last moment of the year 9999.
MAX_COUNT = 253_402_300_799_999
# When there are more sessions, the older half is removed.
MAX_SESSIONS = 200


def record_failure(folder: str, host: str, event: str, reason: str, now: int) -> bool:
    """Add a failure to the record; False if it could not be written. Two at the same moment may count as one."""
    before = read_failures(folder)
    failures = HookFailures(
        times=before.times + 1 if before else 1,
        since=before.since if before else now,
        at=now,
        host=_printable(host, MAX_NAME_CHARS),
        event=_printable(event, MAX_NAME_CHARS),
        reason=_printable(reason, MAX_REASON_CHARS),
    )
    path = os.path.join(folder, FAILURES)
    temporary = f"{path}.{os.getpid()}"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | CLOSE_ON_EXEC, PRIVATE_FILE)
        try:
            os.write(handle, json.dumps(failures._asdict()).encode())
        finally:
            os.close(handle)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        return False
    return True


def read_failures(folder: str) -> HookFailures | None:
    """Return the record; None if no hook failed, or if it is damaged."""
    found = _read(os.path.join(folder, FAILURES))
    times, since, at = (found.get(name) for name in ("times", "since", "at"))
    host, event, reason = (_printable(str(found.get(name)), MAX_REASON_CHARS) for name in ("host", "event", "reason"))
    if not (_is_count(times) and _is_count(since) and _is_count(at)):
        return None
    return HookFailures(times, since, at, host, event, reason)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MAX_COUNT


def clear_failures(folder: str) -> bool:
    """Remove the record; False if that is not possible."""
    try:
        os.unlink(os.path.join(folder, FAILURES))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


class SessionProgress(NamedTuple):
    """How far a session was captured."""

    position: int = 0
    """Where the next reading of the transcript begins."""
    last: str = ""
    """The digest of the last event that carried the prompt itself."""
    spooled: str = ""
    """The end of the spool when it was last ingested."""


class SessionFile:
    """The progress of one session, which no other process can change meanwhile."""

    def __init__(self, handle: int, progress: SessionProgress) -> None:
        self._handle = handle
        self.progress = progress

    def save(self, progress: SessionProgress) -> None:
        """Write the progress in one go. Raises OSError."""
        data = json.dumps(progress._asdict()).encode()
        write_at(self._handle, data, 0)
        os.ftruncate(self._handle, len(data))
        self.progress = progress


@contextmanager
def session_file(folder: str, name: str) -> Iterator[SessionFile]:
    """Open and lock the progress of a session. Raises OSError. The lock ends with the process."""
    sessions = os.path.join(folder, SESSIONS)
    os.makedirs(sessions, PRIVATE_FOLDER, exist_ok=True)
    path = os.path.join(sessions, f"{name}.json")
    if not os.path.exists(path):
        _remove_oldest(sessions)
    handle = os.open(path, READ_WRITE | getattr(os, "O_NOFOLLOW", 0), PRIVATE_FILE)
    try:
        lock(handle)
        yield SessionFile(handle, _progress(_parsed(read_at(handle, MAX_FILE_BYTES, 0))))
    finally:
        os.close(handle)


def _progress(found: dict[str, object]) -> SessionProgress:
    position, last, spooled = (found.get(name) for name in SessionProgress._fields)
    return SessionProgress(
        position if isinstance(position, int) and position >= 0 else 0,
        last if isinstance(last, str) else "",
        spooled if isinstance(spooled, str) else "",
    )


def _remove_oldest(sessions: str) -> None:
    with os.scandir(sessions) as entries:
        names = [entry.path for entry in entries]
    if len(names) < MAX_SESSIONS:
        return
    with suppress(OSError):
        names.sort(key=lambda path: (os.stat(path).st_mtime, path))
    for path in names[: len(names) // 2]:
        with suppress(OSError):
            os.unlink(path)


def _read(path: str) -> dict[str, object]:
    try:
        # Non-blocking: a named pipe would hang.
        with os.fdopen(os.open(path, READ_NOW), "rb") as file:
            return _parsed(file.read(MAX_FILE_BYTES) or b"") if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else {}
    except OSError:
        return {}


def _parsed(data: bytes) -> dict[str, object]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _printable(text: str, most: int) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text[:most])
