"""One file with everything that a store cannot derive again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.backup import BackedUp
    from satchel.ports.world import Progress


class BackupMaker(Protocol):
    """Makes backups of an open store."""

    def make(self, path: str, *, passphrase_file: str | None, force: bool, progress: Progress | None) -> BackedUp:
        """Copy the store into one file while others use it, verify the copy, and return what it contains."""
        ...

    def command(self, path: str, *, encrypted: bool) -> str:
        """Return the shell command that makes this backup again, from any folder."""
        ...
