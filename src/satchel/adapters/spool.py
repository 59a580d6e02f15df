"""The spool on disk: append-only files of events, dead letters, and large payloads.

    spool/00000001.jsonl     events; lines are added to the newest file, and a full one is followed by the next number
    spool/archive/           ingested files, under the same names
    dead-letters.jsonl       lines that are not events, each with the reason
    artifacts/ab/ab12…       large payloads, by digest

All writers take one lock, so that lines of several processes never mix, and a line is synced to disk before its writer
returns. Files are never renamed, and erasure overwrites a line with blanks, so a file name and an offset stay valid.
"""

import errno
import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from satchel.domain.spool import Cursor, DeadLetter, SpoolLine
from satchel.errors import InvalidRequest, NotFound, SatchelError, Unavailable
from satchel.os_calls import CLOSE_ON_EXEC, MAX_PATH_CHARS, READ_WRITE, lock, read_at, sync_folder, write_at

SEGMENT_BYTES = 16 << 20
MAX_LINE_BYTES = 1 << 20
# How much of a line that is too long is kept for its dead letter.
LONG_LINE_BYTES_KEPT = 4_096
# How much of the start of a file is hashed, to notice that it was replaced.
HEAD_BYTES = 256
CHUNK = 1 << 20
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
DEAD_LETTER_SCHEMA = "satchel.dead-letter.v1"
_SEGMENT = re.compile(r"([0-9]{8})\.jsonl")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class SpoolFolder:
    """Implements ports.Spool in a store's home folder."""

    def __init__(self, home: Path, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        self._spool = home / "spool"
        self._archive = self._spool / "archive"
        self._dead = home / "dead-letters.jsonl"
        self._artifacts = home / "artifacts"
        self._segment_bytes = segment_bytes

    # Writing

    def append(self, lines: Sequence[bytes]) -> None:
        with _translate_errors(self._spool), self._locked("append"):
            _append(self._current(), lines)

    def add_dead_letters(self, letters: Sequence[DeadLetter]) -> None:
        if not letters:
            return
        with _translate_errors(self._dead), self._locked("dead-letters"):
            _append(self._dead, [_letter_line(one) for one in letters], drop_partial=True)

    def put(self, name: str, text: str) -> None:
        target = self._artifact(name)
        with _translate_errors(target):
            if not target.exists():
                _make_folder(target.parent)
                _write_atomically(target, text.encode())

    # Reading

    def sources(self) -> list[str]:
        with _translate_errors(self._spool):
            return sorted(path.name for path in self._spool.glob("*.jsonl")) if self._spool.exists() else []

    def resolve_file(self, path: str) -> str:
        with _translate_errors(self._spool):
            try:
                if len(path) > MAX_PATH_CHARS:
                    raise ValueError
                found = Path(path).expanduser().resolve(strict=True)
            except (RuntimeError, ValueError):
                raise InvalidRequest(f"{path[:80]!r} is not a path", code="invalid_path") from None
            except OSError as error:
                # How Python 3.13 and later report a loop of symbolic links.
                if error.errno == errno.ELOOP:
                    raise InvalidRequest(f"{path[:80]!r} is not a path", code="invalid_path") from None
                raise
            # A pipe or device may never end.
            if not found.is_file():
                raise InvalidRequest(f"{path[:80]!r} is not a regular file", code="not_a_file", hint="name a file")
            return str(found)

    def size(self, source: str) -> int:
        with _translate_errors(self._spool):
            return self._path(source).stat().st_size

    def lines(self, source: str, cursor: Cursor | None) -> Iterator[SpoolLine]:
        path = self._path(source)
        with _translate_errors(path), path.open("rb") as file:
            yield from _lines(file, source, _start(file, cursor))

    def cursor(self, source: str, position: int) -> Cursor:
        with _translate_errors(self._spool), self._path(source).open("rb") as file:
            return Cursor(source, position, _head(file.read(min(position, HEAD_BYTES))))

    def dead_letters(self) -> frozenset[tuple[str, int]]:
        with _translate_errors(self._dead), suppress(FileNotFoundError), self._dead.open("rb") as file:
            return frozenset(_letter_keys(file))
        return frozenset()

    def get(self, name: str) -> str:
        path = self._artifact(name)
        with _translate_errors(path):
            try:
                return path.read_bytes().decode("utf-8", "replace")
            except FileNotFoundError:
                raise NotFound(f"the artifact {name[:80]} is gone", code="no_artifact") from None

    def artifacts(self) -> list[str]:
        found = self._artifacts.glob("[0-9a-f][0-9a-f]/*") if self._artifacts.exists() else ()
        return sorted(f"sha256:{path.name}" for path in found if _DIGEST.fullmatch(path.name))

    # Upkeep

    @contextmanager
    def ingest_lock(self) -> Iterator[None]:
        with _translate_errors(self._spool), self._locked("ingest"):
            yield

    def archive(self, source: str) -> bool:
        with _translate_errors(self._spool), self._locked("append"):
            if not _SEGMENT.fullmatch(source) or source == self._newest():
                return False
            _make_folder(self._archive)
            (self._spool / source).rename(self._archive / source)
            sync_folder(self._archive)
            return True

    def scrub(self, needles: Sequence[bytes], matches: Callable[[bytes], bool]) -> int:
        with (
            _translate_errors(self._spool),
            self._locked("ingest"),
            self._locked("append"),
            self._locked("dead-letters"),
        ):
            files = [*self._spool.glob("*.jsonl"), *self._archive.glob("*.jsonl"), self._dead]
            return sum(_scrub(path, needles, matches) for path in sorted(files) if path.exists())

    def remove(self, name: str) -> None:
        path = self._artifact(name)
        with _translate_errors(path), suppress(FileNotFoundError):
            _blank(path)
            path.unlink()
            sync_folder(path.parent)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    # Names and locks

    def _artifact(self, name: str) -> Path:
        digest = name.removeprefix("sha256:")
        if not _DIGEST.fullmatch(digest):
            raise NotFound(f"{name[:80]!r} is not an artifact", code="no_artifact")
        return self._artifacts / digest[:2] / digest

    def _path(self, source: str) -> Path:
        """Return the present path of a file: in the spool, in its archive, or a path outside."""
        if "/" in source or os.sep in source:
            return Path(source)
        live = self._spool / source
        return live if live.exists() else self._archive / source

    def _newest(self) -> str:
        names = [path.name for path in self._spool.iterdir() if _SEGMENT.fullmatch(path.name)]
        return max(names, default="")

    def _current(self) -> Path:
        """Return the file to write to, a new one if the newest is full. Numbers are never reused."""
        name = self._newest()
        if name and (self._spool / name).stat().st_size < self._segment_bytes:
            return self._spool / name
        archived = [path.name for path in self._archive.glob("*.jsonl")] if not name else []
        last = max([name, *archived], default="")
        number = int(last[:8]) + 1 if _SEGMENT.fullmatch(last) else 1
        return self._spool / f"{number:08}.jsonl"

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        _make_folder(self._spool)
        handle = os.open(self._spool / f"{name}.lock", READ_WRITE, PRIVATE_FILE)
        try:
            lock(handle)
            yield
        finally:
            # Closing releases the lock, as does the end of the process.
            os.close(handle)


def _append(path: Path, lines: Iterable[bytes], *, drop_partial: bool = False) -> None:
    """Add lines to a file, all or none, and sync it. A partial last line is ended, or removed with `drop_partial`."""
    is_new = not path.exists()
    handle = os.open(path, READ_WRITE, PRIVATE_FILE)
    try:
        size = os.fstat(handle).st_size
        data = b"".join(lines)
        if size and read_at(handle, 1, size - 1) != b"\n":
            # The last writer was interrupted. Its partial line must not become the start of this one.
            size, data = (_last_end(handle, size), data) if drop_partial else (size, b"\n" + data)
        try:
            _write_at(handle, data, size)
        except OSError:
            os.ftruncate(handle, size)
            raise
        if drop_partial:
            os.ftruncate(handle, size + len(data))
        os.fsync(handle)
    finally:
        os.close(handle)
    if is_new:
        sync_folder(path.parent)


def _write_at(handle: int, data: bytes, position: int) -> None:
    view = memoryview(data)
    while view:
        written = write_at(handle, view, position)
        view, position = view[written:], position + written


def _last_end(handle: int, size: int) -> int:
    """Return the end of the last complete line."""
    position = size
    while position:
        start = max(0, position - CHUNK)
        found = read_at(handle, position - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0


def _start(file: object, cursor: Cursor | None) -> int:
    """Return where to continue reading. A file that is shorter or starts differently was replaced."""
    if cursor is None:
        return 0
    handle = file.fileno()  # type: ignore[attr-defined]
    head = read_at(handle, min(cursor.position, HEAD_BYTES), 0)
    same = os.fstat(handle).st_size >= cursor.position and _head(head) == cursor.head
    return cursor.position if same else 0


def _head(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _lines(file: object, source: str, position: int) -> Iterator[SpoolLine]:
    file.seek(position)  # type: ignore[attr-defined]
    kept, length, start = bytearray(), 0, position
    while chunk := file.read(CHUNK):  # type: ignore[attr-defined]
        first, *others = chunk.split(b"\n")
        for number, piece in enumerate((first, *others)):
            if number:
                yield _line(source, start, start + length + 1, kept, length, ended=True)
                start, kept, length = start + length + 1, bytearray(), 0
            length += len(piece)
            # Of a line that is too long, only the start is kept in memory.
            kept += piece[: max(0, MAX_LINE_BYTES + 1 - len(kept))]
    if length:
        yield _line(source, start, start + length, kept, length, ended=False)


def _line(source: str, start: int, end: int, kept: bytearray, length: int, *, ended: bool) -> SpoolLine:
    if length > MAX_LINE_BYTES:
        return SpoolLine(source, start, end, bytes(kept[:LONG_LINE_BYTES_KEPT]), ended, "too_long")
    return SpoolLine(source, start, end, bytes(kept), ended)


def _letter_line(letter: DeadLetter) -> bytes:
    fields = {
        "schema": DEAD_LETTER_SCHEMA,
        "source": letter.source,
        "offset": letter.offset,
        "bytes": letter.size,
        "reason": letter.reason,
        "at": letter.at,
        "line": letter.line,
    }
    return (json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8", "replace")


def _letter_keys(file: Iterable[bytes]) -> Iterator[tuple[str, int]]:
    for raw in file:
        with suppress(ValueError, TypeError, KeyError):
            letter = json.loads(raw)
            yield str(letter["source"]), int(letter["offset"])


def _scrub(path: Path, needles: Sequence[bytes], matches: Callable[[bytes], bool]) -> int:
    """Overwrite matching lines with blanks; files without any needle are skipped."""
    data = path.read_bytes()
    if not any(needle in data for needle in needles):
        return 0
    start, count = 0, 0
    with path.open("r+b") as file:
        for raw in data.split(b"\n"):
            if any(needle in raw for needle in needles) and matches(raw):
                file.seek(start)
                file.write(b" " * len(raw))
                count += 1
            start += len(raw) + 1
        file.flush()
        os.fsync(file.fileno())
    return count


def _blank(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b" " * path.stat().st_size)
        file.flush()
        os.fsync(file.fileno())


def _write_atomically(target: Path, data: bytes) -> None:
    """Write a temporary file in the same folder, then move it to the target."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | CLOSE_ON_EXEC, PRIVATE_FILE)
    try:
        _write_at(handle, data, 0)
        os.fsync(handle)
    except OSError:
        temporary.unlink()
        raise
    finally:
        os.close(handle)
    temporary.replace(target)
    sync_folder(target.parent)


def _make_folder(folder: Path) -> None:
    """Create a private folder and its parents. With `parents`, mkdir would leave the parents to the umask."""
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _translate(error, path) from error


def _translate(error: OSError, path: Path) -> SatchelError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable(f"the disk is full, nothing was written to {path}", code="disk_full", hint="free some space")
    if isinstance(error, FileNotFoundError):
        return NotFound(f"{error.filename or path}: no such file", code="no_such_file")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Unavailable(f"cannot open or write {path}", code="read_only", hint="check who owns the store's folder")
    return Unavailable(f"{path}: {error.strerror}", code="io_error", hint="check the disk")
