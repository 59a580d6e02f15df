"""Making a store from a backup: there may be no store to open yet."""

import time
from typing import Annotated

from satchel.core.operations import Param, operation
from satchel.domain.backup import BackupRestored
from satchel.domain.envelope import Ok
from satchel.errors import ReadOnlyMode
from satchel.interfaces.operations.session import Session


@operation(
    "backup restore",
    writes=True,
    destructive=True,
    operator_only=True,
    terminal_only=True,
    examples=("satchel backup restore monday.backup --replace",),
)
def restore(
    session: Session,
    path: Annotated[str, Param("the backup", positional=True, metavar="FILE")],
    *,
    passphrase_file: Annotated[
        str | None, Param("decrypt it with the passphrase in this file; '-' is standard input", metavar="FILE")
    ] = None,
    replace: Annotated[bool, Param("move the present store aside, into a folder beside its own")] = False,
) -> Ok[BackupRestored]:
    """Make a store from a backup, in an empty folder or in place of the present one.

    The backup is checked first. With --replace, what was there before is kept in a folder that the answer names. The
    settings stay as they are.
    """
    from satchel.wiring.backup import restore_backup

    if session.settings.read_only:
        raise ReadOnlyMode("read_only is set: nothing may be written", hint="see 'satchel config explain read_only'")
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    return restore_backup(
        session.settings,
        path,
        actor=session.actor,
        passphrase_file=passphrase_file,
        replace=replace,
        stamp=stamp,
        progress=session.progress,
    )
