"""Files of exports and imports; '-' is standard output or input where these are free."""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from satchel.errors import Conflict, InvalidRequest, NotFound, SatchelError, Unavailable
from satchel.os_calls import MAX_PATH_CHARS, sync_folder
from satchel.ports import Incoming

CHUNK_BYTES = 1 << 18
STANDARD = "-"


class ExchangeFiles:
    """Implements ports.Exchange over the file system."""

    def __init__(self, store: Path, *, pipes: bool) -> None:
        """Files inside `store` are refused; `pipes` allows '-' for the standard streams."""
        self._store = store
        self._pipes = pipes

    def check(self, path: str, *, force: bool) -> None:
        if path == STANDARD:
            self._standard(sys.stdout, "output")
            return
        with _translate_errors(path):
            self._target(path, force)

    def write(self, path: str, pieces: Iterable[bytes], *, force: bool) -> int:
        if path == STANDARD:
            return _write_to_standard_output(pieces, self._standard(sys.stdout, "output"))
        with _translate_errors(path):
            target = self._target(path, force)
            return _write_atomically(target, pieces, force)

    def check_folder(self, path: str) -> None:
        with _translate_errors(path):
            self._new_folder(path)

    def write_folder(self, path: str, files: Iterable[tuple[str, bytes]]) -> int:
        with _translate_errors(path):
            return _write_folder(self._new_folder(path), files)

    @contextmanager
    def read(self, path: str) -> Iterator[Incoming]:
        if path == STANDARD:
            yield Incoming(_chunks(self._standard(sys.stdin, "input")), None)
            return
        with _translate_errors(path):
            file = _path(path).open("rb")
        with file:
            about = os.fstat(file.fileno())
            yield Incoming(_chunks(file), about.st_size if stat.S_ISREG(about.st_mode) else None)

    def _standard(self, stream: object, name: str) -> IO[bytes]:
        buffer: IO[bytes] | None = getattr(stream, "buffer", None)
        if not self._pipes or buffer is None:
            raise InvalidRequest(f"standard {name} cannot be used here", code="no_standard_stream", hint="name a file")
        return buffer

    def _new_folder(self, path: str) -> Path:
        if path == STANDARD:
            raise InvalidRequest(
                "notes cannot be written to standard output", code="not_a_folder", hint="name a folder"
            )
        target = self._outside_store(path)
        if os.path.lexists(target):
            raise Conflict(f"{target} exists already", code="file_exists", hint="name a folder that does not exist yet")
        return target

    def _outside_store(self, path: str) -> Path:
        target = _path(path)
        target = target.parent.resolve(strict=True) / target.name
        if target.is_relative_to(self._store):
            raise InvalidRequest(
                "the file would be inside the store's own folder",
                code="inside_store",
                hint="choose another folder",
            )
        return target

    def _target(self, path: str, force: bool) -> Path:
        target = self._outside_store(path)
        if not os.path.lexists(target):
            return target
        if not stat.S_ISREG(target.lstat().st_mode):
            raise InvalidRequest(f"{target} is not a regular file", code="not_a_file", hint="name a file")
        if not force:
            raise Conflict(f"{target} exists already", code="file_exists", hint="--force replaces it")
        return target


def _path(text: str) -> Path:
    try:
        if len(text) > MAX_PATH_CHARS or b"\0" in os.fsencode(text):
            raise ValueError
        return Path(text).expanduser()
    except ValueError:
        raise InvalidRequest(f"{text[:80]!r} is not a path", code="invalid_path") from None
    except RuntimeError:
        raise InvalidRequest(f"{text[:80]!r} names a home folder that does not exist", code="invalid_path") from None


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


def _write(pieces: Iterable[bytes], file: IO[bytes]) -> int:
    size = 0
    for piece in pieces:
        file.write(piece)
        size += len(piece)
    file.flush()
    return size


def _write_to_standard_output(pieces: Iterable[bytes], file: IO[bytes]) -> int:
    try:
        return _write(pieces, file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise Unavailable(
            f"the export could not be written to standard output: {error.strerror}", code="unwritable_output"
        ) from error


def _write_atomically(target: Path, pieces: Iterable[bytes], force: bool) -> int:
    """Write a temporary file in the same folder, then move it to the target."""
    # mkstemp creates a private file, whatever the umask.
    from tempfile import mkstemp  # a slow import, only needed to write a file

    handle, name = mkstemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            size = _write(pieces, file)
            os.fsync(file.fileno())
        _move(Path(name), target, force)
    finally:
        with suppress(FileNotFoundError):
            Path(name).unlink()
    sync_folder(target.parent)
    return size


def _write_folder(target: Path, files: Iterable[tuple[str, bytes]]) -> int:
    """Write a temporary folder beside the target, then move it there."""
    from shutil import rmtree
    from tempfile import mkdtemp  # a slow import, only needed to write a file

    folder = Path(mkdtemp(prefix=f".{target.name[:100]}.", suffix=".part", dir=target.parent))
    size = 0
    try:
        for name, data in files:
            file = folder / name
            for above in reversed(file.relative_to(folder).parents[:-1]):
                (folder / above).mkdir(mode=0o700, exist_ok=True)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as opened:
                size += opened.write(data)
        folder.rename(target)
    finally:
        rmtree(folder, ignore_errors=True)
    sync_folder(target.parent)
    return size


def _move(source: Path, target: Path, force: bool) -> None:
    if not force:
        try:
            # Unlike a rename, a link never replaces a file that was created meanwhile.
            os.link(source, target)
            return
        except FileExistsError:
            raise Conflict(f"{target} exists already", code="file_exists", hint="--force replaces it") from None
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
                raise
    source.replace(target)


@contextmanager
def _translate_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _translate(error, path) from error


def _translate(error: OSError, path: str) -> SatchelError:
    shown = repr(path[:200])
    match error:
        case FileNotFoundError() | NotADirectoryError():
            return NotFound(f"{shown}: no such file or folder", code="no_such_file", hint="check the path")
        case IsADirectoryError():
            return InvalidRequest(f"{shown} is a folder", code="not_a_file", hint="name a file")
        case PermissionError():
            return Unavailable(f"{shown}: permission denied", code="not_permitted", hint="check who owns it")
    if error.errno == errno.ENOSPC:
        return Unavailable(f"the disk is full, {shown} was not written", code="disk_full", hint="free some space")
    if error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.EINVAL):
        return InvalidRequest(f"{shown} is not a path", code="invalid_path")
    return Unavailable(f"{shown}: {error.strerror}", code="io_error", hint="check the disk")
