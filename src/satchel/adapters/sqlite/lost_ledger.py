"""Tell a ledger that was lost from one that was never made, before SQLite takes it for an empty database.

SQLite removes the write-ahead log of an empty file, which may hold all that is left of the store.
"""

import os
from contextlib import suppress
from pathlib import Path

from satchel.errors import Corrupt
from satchel.os_calls import CLOSE_ON_EXEC

PRIVATE_FILE = 0o600
_MADE = ".made"
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
    """Raise Corrupt if a ledger is missing or empty, and was not."""
    size = _size(ledger)
    if size:
        return
    log = _size(ledger.with_name(ledger.name + "-wal"))
    if log or _size(_marker(ledger)):
        newest = "; keep ledger.sqlite3-wal, which holds the newest changes" if log else ""
        raise Corrupt(
            f"the ledger {ledger} is {'missing' if size is None else 'empty'}, but this store was used before",
            code="ledger_lost",
            hint=f"restore it from a backup{newest}; to begin an empty store, remove {_marker(ledger).name} as well",
        )


def _marker(ledger: Path) -> Path:
    return ledger.with_name(ledger.name + _MADE)


def _size(path: Path) -> int | None:
    try:
        return os.stat(path).st_size  # noqa: PTH116  faster, and on the way of every command
    except OSError:
        return None
