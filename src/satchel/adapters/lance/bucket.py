"""A Lance dataset in a bucket of object storage: its table is there, its lock and the codes of its vectors stay on disk.

Keys, region and endpoint are those of the usual AWS variables, which Lance reads itself: they pass through no setting, no log
and no message of ours.
"""

import re
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.adapters.lance.folder import DatasetFolder, is_of_bucket, unusable
from satchel.domain.answers import HealthFinding
from satchel.errors import InvalidRequest, Unavailable
from satchel.ports import Files, FileSearch

if TYPE_CHECKING:
    from lance.file import LanceFileSession

SCHEME = "s3://"
_ADDRESS = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:/[A-Za-z0-9._=-]+)*/?")
# An endpoint without TLS is one that the operator has named. If a bucket does not answer soon, the store works without it.
OPTIONS = {"allow_http": "true", "connect_timeout": "3s", "timeout": "60s", "client_max_retries": "1"}
# How long a bucket that could not be reached is not asked again: every recall would wait for it.
PAUSE_SECONDS = 30.0
CHUNK_BYTES = 8 << 20
# Says which build of the dataset the codes on this disk belong to.
_GENERATION = "generation"
# When and why a dataset could not be reached, by its address: all its users in this process leave it alone.
_failed: dict[str, tuple[float, Unavailable]] = {}


def check_bucket(address: str) -> str:
    """Return the address of a bucket or a folder in it; raise InvalidRequest if it is none."""
    if not _ADDRESS.fullmatch(address) or "/../" in f"{address}/" or "/./" in f"{address}/":
        raise InvalidRequest(
            "the place of the index is not an address such as s3://bucket/folder",
            hint="keys and endpoint come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL",
        )
    return address.rstrip("/")


class DatasetInBucket(DatasetFolder):
    """A dataset whose table is in a bucket."""

    def __init__(self, folder: Path, name: str, bucket: str, *, read_only: bool = False) -> None:
        super().__init__(folder, name, read_only=read_only)
        self.uri = f"{check_bucket(bucket)}/{name}.lance"
        self.options = OPTIONS

    def may_exist(self) -> bool:
        failed, error = _failed.get(self.uri, (0.0, None))
        if error is not None and time.monotonic() - failed < PAUSE_SECONDS:
            raise Unavailable(error.message, code=error.code, hint=error.hint)
        return True

    def note_failure(self, error: Unavailable) -> None:
        _failed[self.uri] = time.monotonic(), error

    def is_missing(self, error: Exception) -> bool:
        return "was not found" in str(error) and not is_of_bucket(error)

    def note_made(self, generation: str) -> None:
        (self.path / _GENERATION).write_text(generation, encoding="utf-8")

    def is_own(self, generation: str) -> bool:
        try:
            return (self.path / _GENERATION).read_text(encoding="utf-8") == generation
        except OSError:
            return False

    def note_written(self) -> None:
        (self.path / _GENERATION).touch()

    def written_at(self) -> float:
        return (self.path / _GENERATION).stat().st_mtime

    def names(self, folder: str = "") -> Sequence[str]:
        self.may_exist()
        try:
            return sorted(self._session().list(folder or None))
        except (OSError, ValueError, RuntimeError) as error:
            failure = unusable(error)
            self.note_failure(failure)
            raise failure from error

    def delete(self, name: str) -> None:
        self._session().delete_file(name)

    def remove(self) -> None:
        for name in self.names():
            self.delete(name)
        super().remove()

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        """Search every object for any of the needles."""
        size, holding, names = 0, [], self.names()
        longest = max(map(len, needles), default=1)
        for name in names:
            before, found = b"", False
            for chunk in self._chunks(name):
                size += len(chunk)
                found = found or any(needle in before + chunk for needle in needles)
                before = chunk[-longest:]
            if found:
                holding.append(f"{self.uri}/{name}")
        return FileSearch(len(names), size, tuple(holding))

    def _chunks(self, name: str) -> Iterator[bytes]:
        for number in count():
            try:
                chunk = self._session().read_range(name, number * CHUNK_BYTES, CHUNK_BYTES)
            except OSError as error:
                # An object whose size is a multiple has nothing more.
                if number:
                    return
                raise unusable(error) from error
            yield chunk
            if len(chunk) < CHUNK_BYTES:
                return

    def _session(self) -> "LanceFileSession":
        from lance.file import LanceFileSession

        return LanceFileSession(self.uri, storage_options=self.options)


def dataset_files(folder: Path, name: str, bucket: str, *, read_only: bool = False) -> DatasetFolder:
    """Return the files of a dataset in a folder or in a bucket."""
    if not bucket:
        return DatasetFolder(folder, name, read_only=read_only)
    return DatasetInBucket(folder, name, bucket, read_only=read_only)


class FilesAndBucket:
    """Implements ports.Files over the files of a store and the objects of its indexes."""

    def __init__(self, files: Files, datasets: Sequence[DatasetInBucket]) -> None:
        self._files = files
        self._datasets = datasets

    @property
    def folder(self) -> str:
        return self._files.folder

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        found = [self._files.search(needles), *(one.search(needles) for one in self._datasets)]
        return FileSearch(
            sum(one.files for one in found),
            sum(one.bytes for one in found),
            tuple(name for one in found for name in one.holding),
        )

    def check_up(self, *, fix: bool = False) -> list[HealthFinding]:
        return self._files.check_up(fix=fix)
