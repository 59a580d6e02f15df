"""The command `attention init`, which also takes over the database of the original skill."""

from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from satchel.attention.values import AttentionReady
from satchel.core.operations import Param, operation
from satchel.domain.envelope import Ok
from satchel.domain.imports import NotTakenOver
from satchel.errors import SatchelError
from satchel.interfaces.operations.session import Session

# What the original skill calls its database, in the folder of the workspace.
ORIGINAL_DATABASE = ".openclaw-memory-router.sqlite3"


@operation(
    "attention init",
    writes=True,
    idempotent=True,
    operator_only=True,
    own_database=True,
    examples=("satchel attention init",),
)
def init(
    session: Session,
    take_over: Annotated[
        str | None,
        Param(
            f"the database to take over; {ORIGINAL_DATABASE} in the current folder if omitted",
            terminal_only=True,
            metavar="FILE",
        ),
    ] = None,
) -> Ok[AttentionReady]:
    """Create the store if there is none, and take over a database of the original skill.

    Its active memories are imported with their ids, dates and edges. They are untrusted, and quarantined if they read as
    an order to the agent. The file is only read. Nothing is looked for in the current folder with --db or MAR_DB_PATH.
    """
    ready = session.memory.attention.init()
    path = take_over or _original_database(session)
    return ready if path is None else Ok(_taking_over(session, path, ready.result), ready.receipt)


def _taking_over(session: Session, path: str, ready: AttentionReady) -> AttentionReady:
    try:
        return replace(ready, imported=session.memory.importing.take_over(path))
    except SatchelError as error:
        return replace(ready, not_imported=NotTakenOver(path, error.message))


def _original_database(session: Session) -> str | None:
    """Return the database of the original skill in the folder where the person works, if there is one."""
    if session.folder is None or session.settings.has_own_file:
        return None
    path = Path(session.folder).absolute() / ORIGINAL_DATABASE
    return str(path) if path.is_file() else None
