"""The spool on disk: files of lines that only grow, what could not be read, and what was too long for a line.

    spool/00000001.jsonl     the newest file is written to; when it is full, the next number begins
    spool/archive/           files that were read to their end, under the names they had
    dead-letters.jsonl       lines that were no events, each with the reason
    artifacts/ab/ab12…       long payloads, by their digest

Every writer takes one lock, so lines of many processes never mix; a line is on disk (fsync) before its writer is told
so. A file is never renamed within its life, and erasing overwrites a line with blanks: a name and an offset stay good.
"""

import errno
import fcntl
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

SEGMENT_BYTES = 16 << 20
MAX_LINE_BYTES = 1 << 20
KEPT_OF_LONG_LINE = 4_096
HEAD_BYTES = 256
CHUNK = 1 << 20
PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
DEAD_LETTER_SCHEMA = "satchel.dead-letter.v1"
_SEGMENT = re.compile(r"([0-9]{8})\.jsonl")


class SpoolFolder:
    """Implements ports.Spool in a store's home folder."""

    def __init__(self, home: Path, *, segment_bytes: int = SEGMENT_BYTES) -> None:
        self._home = home
        self._spool = home / "spool"
        self._archive = self._spool / "archive"
        self._dead = home / "dead-letters.jsonl"
        self._artifacts = home / "artifacts"
        self._segment_bytes = segment_bytes

    # Writing

    def append(self, lines: Sequence[bytes]) -> None:
        with _translated(self._spool), self._locked("append"):
            _append(self._current(), lines)

    def bury(self, letters: Sequence[DeadLetter]) -> None:
        if not letters:
            return
        with _translated(self._dead), self._locked("dead-letters"):
            _append(self._dead, [_letter_line(one) for one in letters], mend=True)

    def put(self, name: str, text: str) -> None:
        target = self._artifact(name)
        with _translated(target):
            if not target.exists():
                _make_folder(target.parent)
                _write_whole(target, text.encode())

    # Reading

    def sources(self) -> list[str]:
        with _translated(self._spool):
            return sorted(path.name for path in self._spool.glob("*.jsonl")) if self._spool.exists() else []

    def outside(self, path: str) -> str:
        with _translated(self._spool):
            try:
                found = Path(path).expanduser().resolve(strict=True)
            except (RuntimeError, ValueError):
                raise InvalidRequest(f"{path[:80]!r} is not a path", code="invalid_path") from None
            # A pipe or a device may have no end.
            if not found.is_file():
                raise InvalidRequest(f"{path[:80]!r} is not a plain file", code="not_a_file", hint="name a file")
            return str(found)

    def size(self, source: str) -> int:
        with _translated(self._spool):
            return self._place(source).stat().st_size

    def lines(self, source: str, cursor: Cursor | None) -> Iterator[SpoolLine]:
        path = self._place(source)
        with _translated(path), path.open("rb") as file:
            yield from _lines(file, source, _resumed(file, cursor))

    def cursor(self, source: str, position: int) -> Cursor:
        with _translated(self._spool), self._place(source).open("rb") as file:
            return Cursor(source, position, _head(file.read(min(position, HEAD_BYTES))))

    def buried(self) -> frozenset[tuple[str, int]]:
        with _translated(self._dead), suppress(FileNotFoundError), self._dead.open("rb") as file:
            return frozenset(_letter_keys(file))
        return frozenset()

    def get(self, name: str) -> str:
        path = self._artifact(name)
        with _translated(path):
            try:
                return path.read_bytes().decode("utf-8", "replace")
            except FileNotFoundError:
                raise NotFound(f"the artifact {name[:80]} is gone", code="no_artifact") from None

    def artifacts(self) -> list[str]:
        found = self._artifacts.glob("[0-9a-f][0-9a-f]/*") if self._artifacts.exists() else ()
        return sorted(f"sha256:{path.name}" for path in found if not path.name.startswith("."))

    # Care

    @contextmanager
    def alone(self) -> Iterator[None]:
        with _translated(self._spool), self._locked("ingest"):
            yield

    def archive(self, source: str) -> bool:
        with _translated(self._spool), self._locked("append"):
            if not _SEGMENT.fullmatch(source) or source == self._newest():
                return False
            _make_folder(self._archive)
            (self._spool / source).rename(self._archive / source)
            _sync_folder(self._archive)
            return True

    def scrub(self, needles: Sequence[bytes], is_meant: Callable[[bytes], bool]) -> int:
        with _translated(self._spool), self._locked("ingest"), self._locked("append"), self._locked("dead-letters"):
            files = [*self._spool.glob("*.jsonl"), *self._archive.glob("*.jsonl"), self._dead]
            return sum(_scrubbed(path, needles, is_meant) for path in sorted(files) if path.exists())

    def remove(self, name: str) -> None:
        path = self._artifact(name)
        with _translated(path), suppress(FileNotFoundError):
            _blank(path)
            path.unlink()
            _sync_folder(path.parent)

    def wait(self, seconds: float) -> None:
        time.sleep(seconds)

    # Names and locks

    def _artifact(self, name: str) -> Path:
        digest = name.removeprefix("sha256:")
        if not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise NotFound(f"{name[:80]!r} is no artifact", code="no_artifact")
        return self._artifacts / digest[:2] / digest

    def _place(self, source: str) -> Path:
        """Return where a file is now: a name in the spool or its archive, or any other path as it stands."""
        if "/" in source:
            return Path(source)
        live = self._spool / source
        return live if live.exists() else self._archive / source

    def _newest(self) -> str:
        names = [path.name for path in self._spool.iterdir() if _SEGMENT.fullmatch(path.name)]
        return max(names, default="")

    def _current(self) -> Path:
        """Return the file to write to, a new one when the newest is full. Numbers are never used again."""
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
        handle = os.open(self._spool / f"{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            # Closing lets go of the lock, as does the end of the process, however it ends.
            os.close(handle)


def _append(path: Path, lines: Iterable[bytes], *, mend: bool = False) -> None:
    """Add lines to a file, all of them or none, and wait until they are on disk."""
    is_new = not path.exists()
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        size = os.fstat(handle).st_size
        data = b"".join(lines)
        if size and os.pread(handle, 1, size - 1) != b"\n":
            # Whoever wrote last was stopped in the middle. Its half must not become the beginning of ours.
            size, data = (_last_end(handle, size), data) if mend else (size, b"\n" + data)
        try:
            _write_at(handle, data, size)
        except OSError:
            os.ftruncate(handle, size)
            raise
        if mend:
            os.ftruncate(handle, size + len(data))
        os.fsync(handle)
    finally:
        os.close(handle)
    if is_new:
        _sync_folder(path.parent)


def _write_at(handle: int, data: bytes, position: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(handle, view, position)
        view, position = view[written:], position + written


def _last_end(handle: int, size: int) -> int:
    """Return where the last whole line ends."""
    position = size
    while position:
        start = max(0, position - CHUNK)
        found = os.pread(handle, position - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        position = start
    return 0


def _resumed(file: object, cursor: Cursor | None) -> int:
    """Return where to read on. A file that is shorter than before, or begins otherwise, is another one."""
    if cursor is None:
        return 0
    handle = file.fileno()  # type: ignore[attr-defined]
    head = os.pread(handle, min(cursor.position, HEAD_BYTES), 0)
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
            # Of a line that is too long only the beginning is remembered, however long it is.
            kept += piece[: max(0, MAX_LINE_BYTES + 1 - len(kept))]
    if length:
        yield _line(source, start, start + length, kept, length, ended=False)


def _line(source: str, start: int, end: int, kept: bytearray, length: int, *, ended: bool) -> SpoolLine:
    if length > MAX_LINE_BYTES:
        return SpoolLine(source, start, end, bytes(kept[:KEPT_OF_LONG_LINE]), ended, "too_long")
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


def _scrubbed(path: Path, needles: Sequence[bytes], is_meant: Callable[[bytes], bool]) -> int:
    """Overwrite the lines that are meant with blanks; files without any of the needles are not looked at line by line."""
    data = path.read_bytes()
    if not any(needle in data for needle in needles):
        return 0
    start, count = 0, 0
    with path.open("r+b") as file:
        for raw in data.split(b"\n"):
            if any(needle in raw for needle in needles) and is_meant(raw):
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


def _write_whole(target: Path, data: bytes) -> None:
    """Write beside the target and move it there, so that a name never stands for half a text."""
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, PRIVATE_FILE)
    try:
        _write_at(handle, data, 0)
        os.fsync(handle)
    except OSError:
        beside.unlink()
        raise
    finally:
        os.close(handle)
    beside.rename(target)
    _sync_folder(target.parent)


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it, each for its owner alone: `parents` of mkdir would leave them to the umask."""
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise _translation(error, path) from error


def _translation(error: OSError, path: Path) -> SatchelError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable(f"the disk is full, nothing was written to {path}", code="disk_full", hint="free some space")
    if isinstance(error, FileNotFoundError):
        return NotFound(f"{error.filename or path}: no such file", code="no_such_file")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return Unavailable(f"cannot open or write {path}", code="read_only", hint="check who owns the store's folder")
    return Unavailable(f"{path}: {error.strerror}", code="io_error", hint="check the disk")
