"""The files of a store as a whole: searched for what should be gone, and checked for who may read them."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from satchel.domain.answers import Finding
from satchel.ports import FileSearch

CHUNK = 1 << 20
LOW_SPACE_BYTES = 200 << 20


class StoreFolder:
    """Implements ports.Files over the store's home folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> str:
        return str(self._folder)

    def search(self, needles: Sequence[bytes]) -> FileSearch:
        files, size, holding = 0, 0, []
        for path in self._files():
            files += 1
            size += path.stat().st_size
            if _holds(path, needles):
                holding.append(str(path.relative_to(self._folder)))
        return FileSearch(files, size, tuple(holding))

    def check_up(self, *, fix: bool = False) -> list[Finding]:
        return [self._permissions(fix), self._space()]

    def _permissions(self, fix: bool) -> Finding:
        paths = [self._folder, *self._folder.rglob("*")]
        open_to_others = [path for path in paths if path.stat().st_mode & 0o077]
        if fix:
            for path in open_to_others:
                path.chmod(0o700 if path.is_dir() else 0o600)
        if open_to_others and not fix:
            message = f"{len(open_to_others)} files or folders are open to other users, e.g. {open_to_others[0]}"
            return Finding("permissions", "warning", message, "satchel doctor --fix closes them")
        return Finding("permissions", "ok", "only you can read the store")

    def _space(self) -> Finding:
        free = shutil.disk_usage(self._folder).free
        if free < LOW_SPACE_BYTES:
            return Finding("disk space", "warning", f"only {free >> 20} MB left", "free some space")
        return Finding("disk space", "ok", f"{free >> 30} GB free")

    def _files(self) -> Iterator[Path]:
        yield from sorted(path for path in self._folder.rglob("*") if path.is_file())


def _holds(path: Path, needles: Sequence[bytes]) -> bool:
    overlap = max(map(len, needles), default=1) - 1
    tail = b""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            window = tail + chunk
            if any(needle in window for needle in needles):
                return True
            tail = window[-overlap:] if overlap else b""
    return False
