"""A disk in memory: the side effects of a traced run are applied to it, and power can fail at any moment.

It keeps what a kill leaves (everything written) apart from what a power cut leaves (what was synced).
"""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.faults.shim import SideEffect

SECTOR = 512
# Shared memory of SQLite: written through a map, so no trace shows it, and made again by the next process.
SHARED_MEMORY = "-shm"
NAMING = "crlumd"
"""The kinds of side effects that change names."""


class PowerCut(NamedTuple):
    """What a power cut leaves besides what was synced."""

    seed: int | None
    """Chooses which unsynced writes and names are left; None for none of them."""
    strict: bool = False
    """Names last only once their folder was synced. A journaling file system makes them durable with any sync."""


class Inode:
    """A file: what was written to it, what of that is synced, and the changes since."""

    def __init__(self, content: bytes = b"") -> None:
        self.content = bytearray(content)
        self._synced = bytes(content)
        self._pending: list[tuple[int, bytes | None]] = []

    def change(self, offset: int, data: bytes | None) -> None:
        """Write bytes at an offset, or with None change the size to it."""
        self._pending.append((offset, data))
        _change(self.content, offset, data)

    def sync(self) -> None:
        """Make everything written durable."""
        self._synced, self._pending = bytes(self.content), []

    def after_power_cut(self, chance: random.Random | None) -> bytes:
        """Return what was synced, and with `chance` any part of the later writes."""
        left = bytearray(self._synced)
        for offset, data in self._pending if chance else ():
            match chance.choice(("lost", "kept", "torn")) if chance else "lost":
                case "kept":
                    _change(left, offset, data)
                case "torn" if data and chance:
                    _change(left, offset, data[: chance.randrange(len(data) // SECTOR + 1) * SECTOR])
        return bytes(left)


class Names:
    """Which names there are, and the file that each one means."""

    def __init__(self, files: dict[Path, Inode], folders: set[Path]) -> None:
        self.files = dict(files)
        self.folders = set(folders)

    def change(self, effect: SideEffect, inode: Inode | None) -> None:
        """Do what a side effect did to names; `inode` is the file it concerns."""
        path, other = Path(effect.path), Path(effect.other)
        match effect.kind:
            case "c" if inode:
                self.files[path] = inode
            case "l" if inode:
                self.files[other] = inode
            case "u":
                self.files.pop(path, None)
            case "m":
                self.folders.add(path)
            case "d":
                self.folders.discard(path)
            case "r":
                self._move(path, other)

    def _move(self, path: Path, other: Path) -> None:
        for place in [one for one in self.files if one == path or path in one.parents]:
            self.files[other / place.relative_to(path)] = self.files.pop(place)
        for place in [one for one in self.folders if one == path or path in one.parents]:
            self.folders.discard(place)
            self.folders.add(other / place.relative_to(path))


class Journal:
    """The names that survive a power cut, and the changes that are not durable yet."""

    def __init__(self, names: Names, *, strict: bool) -> None:
        self._names = names
        self._strict = strict
        self._pending: list[tuple[SideEffect, Inode | None]] = []

    def change(self, effect: SideEffect, inode: Inode | None) -> None:
        """Note a change."""
        self._pending.append((effect, inode))

    def sync(self, path: Path) -> None:
        """Make changes durable: those in a synced folder, or without `strict` all."""
        waiting = []
        for effect, inode in self._pending:
            folders = (Path(effect.path).parent, Path(effect.other).parent)
            if not self._strict or path in folders:
                self._names.change(effect, inode)
            else:
                waiting.append((effect, inode))
        self._pending = waiting

    def after_power_cut(self, chance: random.Random | None) -> Names:
        """Return the names that are left: a journal is replayed up to some point."""
        left = Names(self._names.files, self._names.folders)
        for effect, inode in self._pending[: chance.randint(0, len(self._pending)) if chance else 0]:
            left.change(effect, inode)
        return left


class Disk:
    """The files and folders below one folder."""

    def __init__(self, root: Path) -> None:
        """Start with what is there now, all of it durable."""
        self.root = root
        found = [path for path in root.rglob("*") if not path.is_symlink()]
        files = {path: Inode(path.read_bytes()) for path in found if path.is_file()}
        folders = {path for path in found if path.is_dir()}
        self.first = frozenset(files)
        """The files that were there at first."""
        self._names = Names(files, folders)
        self._journals = {strict: Journal(Names(files, folders), strict=strict) for strict in (False, True)}

    def apply(self, effect: SideEffect) -> None:
        """Do what a side effect did."""
        path = Path(effect.path)
        inode = Inode() if effect.kind == "c" else self._names.files.get(path)
        if effect.kind == "w" and inode:
            inode.change(effect.offset, effect.data)
        elif effect.kind == "t" and inode:
            inode.change(effect.offset, None)
        elif effect.kind == "s":
            if inode:
                inode.sync()
            for journal in self._journals.values():
                journal.sync(path)
        elif effect.kind in NAMING:
            self._names.change(effect, inode)
            for journal in self._journals.values():
                journal.change(effect, inode)

    def after_kill(self, torn: SideEffect | None = None) -> dict[Path, bytes]:
        """Return the files as a kill leaves them, between two side effects or in the middle of a write."""
        files = {path: bytes(inode.content) for path, inode in self._names.files.items()}
        if torn:
            content = bytearray(files[Path(torn.path)])
            _change(content, torn.offset, torn.data[: len(torn.data) // 2])
            files[Path(torn.path)] = bytes(content)
        return _without_shared_memory(files)

    def after_power_cut(self, cut: PowerCut) -> dict[Path, bytes]:
        """Return the files as a power cut leaves them."""
        chance = None if cut.seed is None else random.Random(cut.seed)
        names = self._journals[cut.strict].after_power_cut(chance)
        found = {path: one for path, one in names.files.items() if path.parent in names.folders | {self.root}}
        return _without_shared_memory({path: inode.after_power_cut(chance) for path, inode in found.items()})

    def write_out(self, files: dict[Path, bytes], folder: Path) -> None:
        """Write files into another folder; other folders and empty ones exist there too."""
        for path in sorted(self._names.folders):
            (folder / path.relative_to(self.root)).mkdir(parents=True, exist_ok=True)
        write_files(files.items(), self.root, folder)


def write_files(files: Iterable[tuple[Path, bytes]], root: Path, folder: Path) -> None:
    """Write files below a root into another folder."""
    for path, content in files:
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _without_shared_memory(files: dict[Path, bytes]) -> dict[Path, bytes]:
    return {path: content for path, content in files.items() if not path.name.endswith(SHARED_MEMORY)}


def _change(content: bytearray, offset: int, data: bytes | None) -> None:
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    if data is None:
        del content[offset:]
    else:
        content[offset : offset + len(data)] = data
