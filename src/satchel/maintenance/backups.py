"""Backups: one file with everything that a store cannot derive again."""

from typing import Annotated

from satchel.core.operations import Param, operation
from satchel.core.service import Service
from satchel.domain.arguments import one_of
from satchel.domain.backup import BackedUp, BackupRestored, BackupSchedule
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.move import StoreMoved
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest
from satchel.maintenance.schedule import BackupPeriod, backup_schedule
from satchel.ports import Progress


class Backups(Service):
    """Makes backups of the store while it is in use."""

    @operation(
        "backup",
        operator_only=True,
        terminal_only=True,
        examples=("satchel backup today.backup", "satchel backup daily.backup --every day"),
    )
    def make(
        self,
        path: Annotated[str, Param("the file to write", positional=True, metavar="FILE")],
        *,
        passphrase_file: Annotated[
            str | None, Param("encrypt it with the passphrase in this file; '-' is standard input", metavar="FILE")
        ] = None,
        force: Annotated[bool, Param("replace an existing file")] = False,
        every: Annotated[
            str | None, Param("make no backup: print the lines that make one regularly", choices=BackupPeriod)
        ] = None,
        progress: Progress | None = None,
    ) -> Ok[BackedUp | BackupSchedule]:
        """Copy the whole store into one file, and verify it.

        Consistent while others use the store. It has the ledger, the events that wait and the artifacts; not the index,
        which is built again, and not the settings. The file is readable by you only. 'satchel backup restore' makes a
        store of it.
        """
        asked: dict[str, Json] = {"path": replace_undecodable(path), "encrypted": passphrase_file is not None}
        with self._run("backup", {**asked, "every": every}) as run:
            if path == "-":
                raise InvalidRequest("a backup is written to a file", code="no_standard_stream", hint="name a file")
            if every is not None:
                command = self._parts.backups().command(path, encrypted=passphrase_file is not None)
                return run.done(backup_schedule(one_of(BackupPeriod, every, "every"), command))
            made = self._parts.backups().make(path, passphrase_file=passphrase_file, force=force, progress=progress)
            return run.keep(made, bytes=made.bytes, digest=made.digest, seq=made.contents.seq)

    def record_restore(self, restored: BackupRestored) -> Ok[BackupRestored]:
        """Keep a receipt of a restore in the store that was made by it."""
        with self._run("backup restore", {"path": replace_undecodable(restored.path)}, writes=True) as run:
            contents = restored.contents
            receipt = run.receipt(memories=contents.memories, seq=contents.seq, files=contents.files)
            self._ledger.memories.commit([], receipt)
            return run.committed(restored, receipt)

    def record_move(self, moved: StoreMoved) -> Ok[StoreMoved]:
        """Keep a receipt of a move in the store that was made by it."""
        with self._run("move", {"rows": moved.rows}, writes=True) as run:
            receipt = run.receipt(digest=moved.digest)
            self._ledger.memories.commit([], receipt)
            return run.committed(moved, receipt)
