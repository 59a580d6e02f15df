"""Tell a ledger that was lost from one that was never made, before SQLite takes it for an empty database.

SQLite removes the write-ahead log of an empty file, which may hold all that is left of the store.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path

from satchel.errors import Corrupt
from satchel.os_calls import CLOSE_ON_EXEC

PRIVATE_FILE = 0o600
_MADE = ".made"
# What only a store that was used has in its folder: what was derived from its ledger, and events that the ledger has taken in.
_SIGNS_OF_USE = ("index/memories.lance", "spool/archive")
_DEFAULT_NAME = "ledger.sqlite3"
# SQLite takes a file of one byte for an empty one too.
_MAX_EMPTY_BYTES = 1
_EXPLANATION = b"""Satchel made the ledger of this name. Without it the store is damaged: restore the ledger from a backup.
To begin an empty store instead, remove this file too.
"""


def mark_made(ledger: Path) -> None:
    """Leave a file beside a ledger that outlives its loss."""
    with suppress(OSError):
        marker = os.open(_marker(ledger), os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, PRIVATE_FILE)
        try:
            os.write(marker, _EXPLANATION)
        finally:
            os.close(marker)


def check_not_lost(ledger: Path) -> None:
    """Raise Corrupt if a ledger is missing or empty, and was not, or if something else has its name."""
    _check_is_file(ledger)
    size = _size(ledger)
    if size is not None and size > _MAX_EMPTY_BYTES:
        return
    log = _size(ledger.with_name(ledger.name + "-wal"))
    signs = [one for one in (_marker(ledger), *_signs(ledger)) if _size(one)]
    if log or signs:
        removed = " and ".join(str(one.relative_to(ledger.parent)) for one in signs) or _marker(ledger).name
        newest = "; keep ledger.sqlite3-wal, which holds the newest changes" if log else ""
        raise Corrupt(
            f"the ledger {ledger} is {'missing' if size is None else 'empty'}, but this store was used before",
            code="ledger_lost",
            hint=f"restore it from a backup{newest}; to begin an empty store, remove {removed} as well",
        )


def _check_is_file(ledger: Path) -> None:
    """Raise Corrupt for a folder, a pipe or a device: opening a pipe would wait for ever."""
    with suppress(OSError):
        if not stat.S_ISREG(os.stat(ledger).st_mode):  # noqa: PTH116  faster, and on the way of every command
            raise Corrupt(
                f"{ledger} is not a file, so it cannot be a ledger",
                code="ledger_lost",
                hint="move it away and restore the ledger from a backup, or name another folder with --home",
            )


def _signs(ledger: Path) -> list[Path]:
    """Return what shows that a store was used; none for a ledger of another name, beside which another store may be."""
    return [ledger.parent / one for one in _SIGNS_OF_USE] if ledger.name == _DEFAULT_NAME else []


def _marker(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + _MADE)


def _size(path: Path) -> int | None:
    try:
        return os.stat(path).st_size  # noqa: PTH116  faster, and on the way of every command
    except OSError:
        return None
