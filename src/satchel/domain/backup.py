"""Backups: what one contains, and how old the last one may be."""

from msgspec import Struct

MAX_AGE_DAYS = 30
"""A backup that is older than this is worth a warning."""


class BackupContents(Struct, frozen=True):
    """What a backup contains."""

    memories: int
    seq: int
    """The sequence number of the last change."""
    receipts: int
    files: int
    """Events, their archive and artifacts that are kept beside the ledger."""


class BackedUp(Struct, frozen=True):
    """A backup was made and verified."""

    path: str
    bytes: int
    encrypted: bool
    digest: str
    """Of the file."""
    contents: BackupContents


class BackupRestored(Struct, frozen=True):
    """A store was made from a backup."""

    path: str
    home: str
    replaced: str | None
    """The folder that what was there before was moved to."""
    contents: BackupContents


class BackupSchedule(Struct, frozen=True):
    """Lines that make a backup regularly; nothing was written."""

    every: str
    command: str
    cron: str
    systemd_service: str
    systemd_timer: str
