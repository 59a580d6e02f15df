"""Everything that depends on records, erased or marked in the transaction that erases them.

Each step gets the ids while the records still exist, since their text may have to be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from satchel.adapters.sql.attention import store as attention
from satchel.adapters.sql.conversations import erase_messages
from satchel.adapters.sql.facts import store as facts
from satchel.adapters.sql.graph import store as graph
from satchel.adapters.sql.memories import erase_working_set, history

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection
    from satchel.domain.receipt import Receipt

_STEPS: tuple[Callable[[Connection, Sequence[str], Receipt], None], ...] = (
    erase_messages.erase_dependents,
    facts.erase_dependents,
    erase_working_set.erase_dependents,
)


def erase_dependents(db: Connection, ids: Sequence[str], cause: Receipt, *, everywhere: bool = True) -> None:
    """Erase everything that depends on these records, for the reason that another receipt states.

    Packets and notes only repeat a text. Those of other scopes go only with what the operator forgets, `everywhere`:
    a user who may write one scope could otherwise store a text and forget it, to remove what another scope says.
    """
    for step in _STEPS:
        step(db, ids, cause)
    graph.erase_dependents(db, ids)
    attention.erase_dependents(db, ids, everywhere=everywhere)
    if everywhere:
        history.erase_notes(db, ids)
