"""What was installed where: a small file in the store's folder, with copies of the files as they were before."""

import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from satchel.errors import InvalidRequest
from satchel.interfaces.install import files
from satchel.os_calls import lock_folder

FOLDER = "installs"
_FILE = "installs.json"
# A copy of a host's file begins with its digest. Other files of the folder are not ours.
_COPY = re.compile(r"[0-9a-f]{12}-")


class FileRecord(Struct, frozen=True):
    """One file that was changed."""

    number: int
    """Its place among the files of the host."""
    path: str
    after: str
    """Digest of what was written."""
    backup: str | None
    """Name of the copy of what was there before; None if there was no file."""
    folders: tuple[str, ...] = ()
    """Folders that were created for it."""


class InstallRecord(Struct, frozen=True):
    """One installation."""

    host: str
    level: str
    folder: str
    """Where the host's first file is: of the person, of a variable, or of a project."""
    files: tuple[FileRecord, ...]

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others."""
        return self.host, self.level, self.folder


class SwitchRecord(Struct, frozen=True):
    """The setting serve.on_demand before the first installation."""

    before: bool | None
    """None if it was not set."""


class Records(Struct, frozen=True):
    """All installations that use this store."""

    installs: tuple[InstallRecord, ...] = ()
    on_demand: SwitchRecord | None = None

    def find(self, host: str, level: str, folder: str) -> InstallRecord | None:
        """Return the record of an installation."""
        return next((one for one in self.installs if one.key == (host, level, folder)), None)

    def with_install(self, record: InstallRecord) -> "Records":
        """Return the records with one added, or replaced."""
        others = tuple(one for one in self.installs if one.key != record.key)
        return replace(self, installs=(*others, record))

    def without_install(self, record: InstallRecord) -> "Records":
        """Return the records without one."""
        return replace(self, installs=tuple(one for one in self.installs if one.key != record.key))


class RecordsFolder:
    """The folder of the records and backups in the folder of a store."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other installations out meanwhile."""
        handle = None
        while handle is None:
            try:
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            except FileExistsError:
                if self.folder.exists():  # a file of this name; else the folder was just removed
                    raise
            handle = self._try_to_lock()
        try:
            yield
        finally:
            os.close(handle)

    def _try_to_lock(self) -> int | None:
        """Return the handle of the lock; None if another process removed the folder before it was locked."""
        with suppress(FileNotFoundError):
            before = self.folder.stat()
            handle = lock_folder(self.folder)
            with suppress(FileNotFoundError):
                if os.path.samestat(before, self.folder.stat()):
                    return handle
            os.close(handle)
        return None

    def load(self) -> Records:
        """Return the records; none if there is no file."""
        path = self.folder / _FILE
        content = files.read(path).content
        try:
            return Records() if content is None else msgspec.json.decode(content, type=Records)
        except msgspec.MsgspecError:
            raise InvalidRequest(
                f"{path} is damaged",
                code="install_records",
                hint="move it away; 'satchel uninstall' then only removes its own entries",
            ) from None

    def save(self, records: Records) -> None:
        """Write the records."""
        content = msgspec.json.format(msgspec.json.encode(records), indent=2) + b"\n"
        files.write(files.read(self.folder / _FILE), content)

    def back_up(self, name: str, content: bytes) -> str:
        """Keep a copy of a file, and return its name."""
        kept = f"{digest(content)[:12]}-{name}"
        files.write(files.read(self.folder / kept), content)
        return kept

    def backup(self, name: str) -> bytes | None:
        """Return a copy; None if it is gone."""
        return files.read(self.folder / Path(name).name).content

    def clean(self, records: Records) -> None:
        """Remove copies that no record needs, and the folder if nothing is installed and nobody else has files in it."""
        needed = {one.backup for install in records.installs for one in install.files}
        for path in self.folder.iterdir():
            if _COPY.match(path.name) and path.name not in needed:
                path.unlink(missing_ok=True)
        if records == Records():
            (self.folder / _FILE).unlink(missing_ok=True)
            files.remove_folders((self.folder,))


def digest(content: bytes) -> str:
    """Return a digest of a file's content."""
    return hashlib.sha256(content).hexdigest()
