"""Dependents: what rests on records, and goes or is marked in the transaction that erases them.

Each is called with the ids of the records while these are still there: what rests on them may have to be compared
with their words.
"""

from collections.abc import Callable, Sequence

import apsw

from satchel.adapters.sqlite.conversations import erase_messages as unsaid
from satchel.adapters.sqlite.facts import store as facts
from satchel.adapters.sqlite.graph import store as graph
from satchel.adapters.sqlite.memories import erase_working_set as retold
from satchel.adapters.sqlite.memories import history

Dependent = Callable[[apsw.Connection, Sequence[str]], None]

DEPENDENTS: tuple[Dependent, ...] = (
    unsaid.erase_dependents,
    facts.erase_dependents,
    graph.erase,
    history.erase_notes,
    retold.erase_dependents,
)


def erase_dependents(db: apsw.Connection, ids: Sequence[str]) -> None:
    """Let everything that rests on these records go with them."""
    for dependent in DEPENDENTS:
        dependent(db, ids)
