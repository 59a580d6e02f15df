"""The command `writeback-lancedb`."""

from typing import Annotated

from satchel.core.operations import DryRun, Param, operation
from satchel.domain.envelope import Ok
from satchel.errors import NotFound
from satchel.interfaces.operations.session import Session
from satchel.ports import Progress
from satchel.wiring.store_path import ledger_path, store_exists
from satchel.writeback.values import DEFAULT_BATCH, DEFAULT_LIMIT, MAX_BATCH, MAX_LIMIT, WritebackReport

LanceFolder = Annotated[str, Param("folder of the LanceDB database", metavar="FOLDER")]
Table = Annotated[str, Param("name of the table")]


@operation(
    "writeback-lancedb",
    writes=True,
    destructive=True,
    idempotent=True,
    operator_only=True,
    terminal_only=True,
    own_database=True,
    long=True,
    examples=(
        "satchel writeback-lancedb --lancedb ~/.openclaw/memory/lancedb --table memories --dry-run",
        "satchel writeback-lancedb --lancedb ~/.openclaw/memory/lancedb --table memories --force --force-fields importance",
    ),
)
def writeback_lancedb(
    session: Session,
    lancedb: LanceFolder,
    table: Table,
    limit: Annotated[int, Param(f"how many rows to change at most, 1 to {MAX_LIMIT}")] = DEFAULT_LIMIT,
    batch: Annotated[int, Param(f"how many rows to change at once, 1 to {MAX_BATCH}")] = DEFAULT_BATCH,
    dry_run: DryRun = False,
    force: Annotated[bool, Param("also replace values that are there already")] = False,
    overwrite: Annotated[bool, Param("the same as --force")] = False,
    force_fields: Annotated[
        str | None,
        Param("fields that --force replaces, comma-separated: importance,importance_label,scope,category if omitted"),
    ] = None,
    progress: Progress | None = None,
) -> Ok[WritebackReport]:
    """Write importance, label, scope, trust and category into a LanceDB table of another program.

    A row belongs to the memory with its id, or to the one that an import made of it, and is left alone if its text is
    another one. Only empty fields are filled, unless --force. The trust of a row is replaced only if --force-fields names
    trust_tier. Columns and rows are never added or removed. Run it again to go on after --limit rows.
    """
    return write_back(
        session,
        lancedb,
        table,
        limit=limit,
        batch=batch,
        dry_run=dry_run,
        force=force or overwrite,
        force_fields=force_fields,
        progress=progress,
    )


def write_back(
    session: Session,
    lancedb: str,
    table: str,
    *,
    limit: int,
    batch: int = DEFAULT_BATCH,
    dry_run: bool = False,
    force: bool = False,
    force_fields: str | None = None,
    progress: Progress | None = None,
) -> Ok[WritebackReport]:
    """Write back from a store that exists; a new one would have nothing to say."""
    if not store_exists(session.settings):
        path = ledger_path(session.settings)
        raise NotFound(f"there is no store in {path}", code="no_store", hint="name one with --db or --home")
    return session.memory.writeback.lancedb(
        lancedb,
        table,
        limit=limit,
        batch=batch,
        dry_run=dry_run,
        force=force,
        force_fields=force_fields,
        progress=progress,
    )
