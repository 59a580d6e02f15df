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
    """Return whether there is a store already. One in a database is taken to be there: asking would connect."""
    return bool(settings.address) or ledger_path(settings).exists()
