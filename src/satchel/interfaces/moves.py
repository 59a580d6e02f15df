"""Moving a store between a file and a database: two stores are open at once."""

from typing import Annotated

from satchel.core.operations import Param, operation
from satchel.domain.envelope import Ok
from satchel.domain.move import StoreMoved
from satchel.errors import ReadOnlyMode
from satchel.interfaces.operations.session import Session


@operation(
    "move",
    writes=True,
    operator_only=True,
    terminal_only=True,
    examples=(
        "satchel move --to postgresql://satchel@db.example.org/satchel",
        "satchel --store postgresql://satchel@db.example.org/satchel move --to file",
    ),
)
def move(
    session: Session,
    *,
    to: Annotated[
        str,
        Param("postgresql://user@host/database?schema=name, or 'file': the ledger in the home folder", metavar="PLACE"),
    ],
) -> Ok[StoreMoved]:
    """Copy the store into a database, or from one into a file, and verify the copy.

    Everything comes along: memories, evidence, history, receipts, and what was forgotten stays forgotten. Nobody can
    write to the store meanwhile. An interrupted move goes on where it stopped. The store itself is left as it is; the
    answer says how to use the copy.
    """
    from satchel.wiring.moving import move_store

    if session.settings.read_only:
        raise ReadOnlyMode("read_only is set: nothing may be written", hint="see 'satchel config explain read_only'")
    return move_store(session.settings, to, actor=session.actor, progress=session.progress)
