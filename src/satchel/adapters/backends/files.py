"""The router's files: backends, rules and log."""

import errno
import json
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from satchel.domain.canonical import Json
from satchel.errors import InvalidRequest, Unavailable
from satchel.os_calls import CLOSE_ON_EXEC, NON_BLOCKING, READ_NOW

MAX_FILE_BYTES = 1 << 20
MAX_LOG_BYTES = 1 << 20
# Number of rotated logs that are kept.
OLDER_LOGS = 3


class JsonDocument:
    """Implements ports.backend.JsonFile."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> str:
        return str(self._path)

    def read(self) -> object | None:
        try:
            # Non-blocking: a named pipe may never get a writer.
            with os.fdopen(os.open(self._path, READ_NOW), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise self._refusal("not a regular file")
                content = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refusal(error.strerror or "cannot be read") from None
        if len(content) > MAX_FILE_BYTES:
            raise self._refusal("too large")
        try:
            found: object = json.loads(content, parse_constant=_reject_constant)
        except (ValueError, RecursionError):
            raise self._refusal("not JSON") from None
        if found is None:
            raise self._refusal("empty")
        return found

    def write(self, document: Json) -> None:
        text = json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=f".{self._path.name}.")
            try:
                with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                    file.write(text)
                    file.flush()
                    os.fsync(file.fileno())
                Path(name).replace(self._path)
            except OSError:
                Path(name).unlink(missing_ok=True)
                raise
        except OSError as error:
            code = "disk_full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "io_error"
            raise Unavailable(f"cannot write {self._path}: {error.strerror}", code=code) from None

    def _refusal(self, reason: str) -> InvalidRequest:
        return InvalidRequest(f"{self._path}: {reason}", code="invalid_file", hint="repair or remove the file")


class RotatedLog:
    """Implements ports.backend.RouterLog with rotation."""

    def __init__(self, path: Path, max_bytes: int = MAX_LOG_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes

    @property
    def path(self) -> str:
        # With a tilde, as the specification prints it.
        inside = self._path.is_relative_to(Path.home())
        return f"~/{self._path.relative_to(Path.home())}" if inside else str(self._path)

    def append(self, line: str) -> None:
        with suppress(OSError):  # an answer does not fail because of its log
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._rotate()
            # One append per line, so that processes do not mix their lines.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | NON_BLOCKING | CLOSE_ON_EXEC
            handle = os.open(self._path, flags, 0o600)
            try:
                os.write(handle, (line + "\n").encode("utf-8", "replace"))
            finally:
                os.close(handle)

    def _rotate(self) -> None:
        try:
            full = self._path.stat().st_size >= self._max_bytes
        except FileNotFoundError:
            return
        if full:
            for number in range(OLDER_LOGS - 1, 0, -1):
                with suppress(FileNotFoundError):
                    self._numbered(number).replace(self._numbered(number + 1))
            with suppress(FileNotFoundError):  # another process may have rotated it
                self._path.replace(self._numbered(1))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
