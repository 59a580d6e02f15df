"""A zip archive to import, as ports.ImportSource. Nothing is extracted to the disk, and no name in it is used as a path.

A small archive can claim or contain far more than any export has: the number of entries, the size of each, their sum and
their ratio to the packed size are bounded, and what is unpacked is counted, not believed.
"""

import stat
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from satchel.domain.document import SkippedFile
from satchel.errors import InvalidRequest
from satchel.ports import SourceFile, SourceForm

MAGIC = b"PK\x03\x04"
EMPTY_MAGIC = b"PK\x05\x06"
CHUNK_BYTES = 1 << 18
MAX_ENTRIES = 200_000
MAX_ENTRY_BYTES = 4 << 30
MAX_TOTAL_BYTES = 16 << 30
# JSON of conversations packs to a tenth; a bomb of zeros to a thousandth.
MAX_RATIO = 200
RATIO_COUNTS_FROM = 1 << 20
MAX_NAME_CHARS = 1_000
_ENCRYPTED = 0x1
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


class ArchiveSource:
    """A zip archive."""

    form = SourceForm.ARCHIVE

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = str(path)
        self.name = name or path.name
        self._unpacked = 0
        try:
            self._archive = zipfile.ZipFile(path)
            entries = self._archive.infolist()
        except _BROKEN as error:
            raise InvalidRequest(
                f"{self.name} is not a complete zip archive", code="invalid_archive", hint="download or copy it again"
            ) from error
        if len(entries) > MAX_ENTRIES:
            raise InvalidRequest(f"the archive has more than {MAX_ENTRIES:,} entries", code="too_many_entries")
        self._entries: dict[str, zipfile.ZipInfo] = {}
        self._skipped: list[SkippedFile] = []
        for entry in entries:
            self._list(entry)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def _list(self, entry: zipfile.ZipInfo) -> None:
        if entry.is_dir():
            return
        name = entry.filename[:MAX_NAME_CHARS]
        if reason := self._problem(entry):
            self._skipped.append(SkippedFile(name, reason))
        else:
            self._entries[name] = entry

    def _problem(self, entry: zipfile.ZipInfo) -> str:
        """Return why an entry is not read, or an empty text."""
        name = entry.filename
        if not name.isprintable() or len(name) > MAX_NAME_CHARS:
            return "invalid_name"
        if name.startswith(("/", "\\")) or ".." in name.replace("\\", "/").split("/") or ":" in name.split("/")[0]:
            return "outside_root"
        if name in self._entries:
            return "duplicate_name"
        if entry.flag_bits & _ENCRYPTED:
            return "encrypted"
        if stat.S_ISLNK(entry.external_attr >> 16):
            return "symlink"
        if entry.file_size > MAX_ENTRY_BYTES:
            return "too_large"
        if entry.file_size > RATIO_COUNTS_FROM and entry.file_size > MAX_RATIO * max(1, entry.compress_size):
            return "too_dense"
        return ""

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        for name, entry in sorted(self._entries.items()):
            yield SourceFile(name, entry.file_size, _moment(entry))
        yield from self._skipped

    def chunks(self, path: str) -> Iterator[bytes]:
        entry = self._entries[path]
        unpacked = 0
        try:
            with self._archive.open(entry) as file:
                while chunk := file.read(CHUNK_BYTES):
                    unpacked += len(chunk)
                    self._unpacked += len(chunk)
                    if unpacked > entry.file_size or self._unpacked > MAX_TOTAL_BYTES:
                        raise InvalidRequest(f"{path[:80]!r} unpacks to more than allowed", code="too_large")
                    yield chunk
        except _BROKEN as error:
            raise InvalidRequest(f"{path[:80]!r} is damaged", code="damaged") from error

    def tables(self) -> Mapping[str, frozenset[str]]:
        return {}

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return iter(())


def _moment(entry: zipfile.ZipInfo) -> int | None:
    # A zip has local times without a zone; a day more or less is better than no date.
    try:
        return int(datetime(*entry.date_time, tzinfo=UTC).timestamp() * 1000)
    except ValueError:
        return None
