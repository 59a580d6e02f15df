"""The files of a store that a backup contains besides the ledger, and putting a store in the place of another."""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from shutil import copyfile

from satchel.errors import Conflict, InvalidRequest
from satchel.os_calls import sync_folder

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
LEDGER = "ledger.sqlite3"
# Captured events, also those that wait, and their payloads. Settings are no part of a backup: they can name programs
# to run, so they are not taken from a file.
_PATTERNS = (
    "spool/*.jsonl",
    "spool/archive/*.jsonl",
    "dead-letters.jsonl",
    "export-key",
    "artifacts/[0-9a-f][0-9a-f]/*",
)
_NAME = re.compile(
    r"spool/(archive/)?[\w.-]{1,100}\.jsonl|dead-letters\.jsonl|export-key|artifacts/[0-9a-f]{2}/[0-9a-f]{64}", re.ASCII
)
_EVIDENCE = ("spool", "artifacts", "dead-letters.jsonl", "export-key")
# SQLite would take one of these for the log of the ledger that comes in its place.
_LOGS = (f"{LEDGER}-wal", f"{LEDGER}-shm", f"{LEDGER}-journal")


def waiting_files(home: Path) -> frozenset[str]:
    """Return the names of the files with events that may not be in the ledger yet."""
    return frozenset(path.name for path in home.glob("spool/*.jsonl"))


def evidence_files(home: Path, waiting: frozenset[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files beside a ledger that cannot be derived from it, with their names within the store.

    Files that were waiting when the ledger was copied are waiting in the backup too, even if they are archived by now.
    """
    for path in sorted(path for pattern in _PATTERNS for path in home.glob(pattern)):
        # Another process may remove a file meanwhile.
        with suppress(FileNotFoundError):
            if path.is_file() and not path.is_symlink():
                name = path.relative_to(home).as_posix()
                was_waiting = name.startswith("spool/archive/") and path.name in waiting
                yield f"spool/{path.name}" if was_waiting else name, path.read_bytes()


def write_evidence(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files of a backup into a folder. A name that no backup has is refused before it is used as a path."""
    for name, data in files:
        if not _NAME.fullmatch(name) or ".." in name:
            raise InvalidRequest(f"the backup has a file {name[:80]!r}, which no store has", code="not_a_backup")
        target = folder / name
        target.parent.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb") as file:
            file.write(data)
            os.fsync(file.fileno())


def has_store(home: Path) -> bool:
    """Return whether a folder has anything of a store that a backup would replace."""
    return any(os.path.lexists(home / name) for name in (LEDGER, *_LOGS, *_EVIDENCE))


def put_in_place(folder: Path, home: Path, aside: Path | None) -> None:
    """Move a prepared store into its folder, and what is there aside. The settings stay.

    The ledger is switched last and at once: whenever this is interrupted, the folder has a whole ledger.
    """
    if aside is not None:
        _keep_aside(home, aside)
    for name in _EVIDENCE:
        with suppress(FileNotFoundError):
            (folder / name).rename(home / name)
    (folder / LEDGER).replace(home / LEDGER)
    sync_folder(home)


def _keep_aside(home: Path, aside: Path) -> None:
    if os.path.lexists(aside):
        raise Conflict(f"{aside} exists already", code="file_exists", hint="move it away")
    aside.mkdir(mode=PRIVATE_FOLDER)
    with suppress(FileNotFoundError):
        _duplicate(home / LEDGER, aside / LEDGER)
    # The index belongs to the ledger that leaves.
    for name in ("index", *_LOGS, *_EVIDENCE):
        with suppress(FileNotFoundError):
            (home / name).rename(aside / name)
    sync_folder(aside)


def _duplicate(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        # Some file systems have no links.
        copyfile(source, target)
        target.chmod(PRIVATE_FILE)
