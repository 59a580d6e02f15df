"""Files and folders to import, as ports.ImportSource. Only regular files are read, and never through a link in a folder."""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from satchel.domain.document import FoundFile, SkippedFile
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.os_calls import MAX_PATH_CHARS, READ_NOW
from satchel.ports import SourceFile, SourceForm, Tree

CHUNK_BYTES = 1 << 18
MAX_FILE_BYTES = 8 << 30
# Every file of a folder counts: readers choose by name.
_EVERY_FILE = ("*",)


class FileSource:
    """One regular file."""

    form = SourceForm.FILE

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = str(path)
        self.name = name or path.name
        self._path = path

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        about = self._path.stat()
        yield SourceFile(self.name, about.st_size, about.st_mtime_ns // 1_000_000)

    def chunks(self, path: str) -> Iterator[bytes]:
        with _translated(self.name), os.fdopen(os.open(self._path, READ_NOW), "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk

    def tables(self) -> Mapping[str, frozenset[str]]:
        return {}

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return iter(())


class FolderSource:
    """A folder with everything below it."""

    form = SourceForm.FOLDER

    def __init__(self, path: Path, tree: Tree) -> None:
        self.path = str(path)
        self.name = path.name
        self._tree = tree

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        for one in self._tree.walk(self.path, _EVERY_FILE, max_bytes=MAX_FILE_BYTES):
            yield _as_source_file(one) if isinstance(one, FoundFile) else one

    def chunks(self, path: str) -> Iterator[bytes]:
        with _translated(path):
            yield from self._tree.chunks(self.path, path)

    def tables(self) -> Mapping[str, frozenset[str]]:
        return {}

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return iter(())


class StreamSource:
    """A pipe or a device, whose content only the reader of exports takes."""

    form = SourceForm.STREAM
    path = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        return iter(())

    def chunks(self, path: str) -> Iterator[bytes]:
        return iter(())

    def tables(self) -> Mapping[str, frozenset[str]]:
        return {}

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return iter(())


def resolve(text: str) -> tuple[Path, os.stat_result]:
    """Return the real path that a person named, and what is there. Raises NotFound or InvalidRequest."""
    try:
        if not text or len(text) > MAX_PATH_CHARS or b"\0" in os.fsencode(text):
            raise ValueError
        path = Path(text).expanduser()
        about = path.stat()
        # A pipe has a name, but no path that it could be resolved to.
        is_lasting = is_regular(about) or stat.S_ISDIR(about.st_mode)
        return path.resolve(strict=True) if is_lasting else path, about
    except (ValueError, RuntimeError):
        raise InvalidRequest(f"{text[:80]!r} is not a path", code="invalid_path") from None
    except PermissionError:
        raise Unavailable(f"{text[:200]!r}: permission denied", code="not_permitted") from None
    except OSError:
        raise NotFound(f"{text[:200]!r}: no such file or folder", code="no_such_file", hint="check the path") from None


def first_bytes(path: Path, number: int) -> bytes:
    """Return the first bytes of a regular file."""
    with _translated(path.name), os.fdopen(os.open(path, READ_NOW), "rb") as file:
        return file.read(number)


def is_regular(about: os.stat_result) -> bool:
    """Return whether something is a regular file."""
    return stat.S_ISREG(about.st_mode)


def _as_source_file(found: FoundFile) -> SourceFile:
    return SourceFile(found.path, found.size, found.modified_ns // 1_000_000)


class _translated:
    """Turns the errors of the file system into ours."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            raise Unavailable(f"{self._path[:200]!r}: {error.strerror}", code="unreadable") from error
