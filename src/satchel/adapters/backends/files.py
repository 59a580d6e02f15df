"""The router's files: what backends there are, its own rules, and its log. Read without waiting, written whole."""

import json
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from satchel.domain.canonical import Json
from satchel.errors import InvalidRequest, Unavailable

MAX_FILE_BYTES = 1 << 20
MAX_LOG_BYTES = 1 << 20
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
            # Without waiting: nobody may ever write to a named pipe.
            with os.fdopen(os.open(self._path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise self._refusal("it is not a plain file")
                said = file.read(MAX_FILE_BYTES + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._refusal(error.strerror or "it cannot be read") from None
        if len(said) > MAX_FILE_BYTES:
            raise self._refusal("it is too large")
        try:
            found: object = json.loads(said, parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise self._refusal("it is not JSON") from None
        if found is None:
            raise self._refusal("it holds nothing")
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
            raise Unavailable(f"cannot write {self._path}: {error.strerror}", code="io_error") from None

    def _refusal(self, reason: str) -> InvalidRequest:
        return InvalidRequest(f"{self._path}: {reason}", code="invalid_file", hint="mend the file, or remove it")


class RotatedLog:
    """Implements ports.backend.RouterLog: lines added one by one, in files of a megabyte, the last few of them kept."""

    def __init__(self, path: Path, most_bytes: int = MAX_LOG_BYTES) -> None:
        self._path = path
        self._most = most_bytes

    @property
    def path(self) -> str:
        # As its specification writes it, where it is there.
        inside = self._path.is_relative_to(Path.home())
        return f"~/{self._path.relative_to(Path.home())}" if inside else str(self._path)

    def append(self, line: str) -> None:
        with suppress(OSError):  # what could not be logged is still an answer
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._rotate()
            # One write to the end of the file: two processes do not mix their lines.
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC
            handle = os.open(self._path, flags, 0o600)
            try:
                os.write(handle, (line + "\n").encode("utf-8", "replace"))
            finally:
                os.close(handle)

    def _rotate(self) -> None:
        try:
            full = self._path.stat().st_size >= self._most
        except FileNotFoundError:
            return
        if full:
            for number in range(OLDER_LOGS - 1, 0, -1):
                with suppress(FileNotFoundError):
                    self._numbered(number).replace(self._numbered(number + 1))
            with suppress(FileNotFoundError):  # another process may have moved it just now
                self._path.replace(self._numbered(1))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
