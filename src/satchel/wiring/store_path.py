"""Where the settings say that a store is. Apart from the adapters, which a command that a server performs need not load."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from satchel.config import Settings


def ledger_path(settings: Settings) -> Path:
    """Return where the store's truth is, links resolved. The folder holds the other files of a store in a database."""
    return settings.ledger_file.resolve()


def store_exists(settings: Settings) -> bool:
    """Return whether there is a store already. One in a database is taken to be there: asking would connect.

    Raises Corrupt if there was one whose ledger is lost, also if an empty file has its name: that is damage, not a wrong folder.
    """
    if settings.address:
        return True
    path = ledger_path(settings)
    if path.is_file() and path.stat().st_size > 1:
        return True
    from satchel.adapters.sqlite.lost_ledger import check_not_lost

    check_not_lost(path)
    return path.exists()
