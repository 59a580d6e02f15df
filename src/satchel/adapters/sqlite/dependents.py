"""Everything that depends on records, erased or marked in the transaction that erases them.

Each step gets the ids while the records still exist, since their text may have to be compared.
"""

from collections.abc import Callable, Sequence

from satchel.adapters.sqlite.attention import store as attention
from satchel.adapters.sqlite.conversations import erase_messages
from satchel.adapters.sqlite.engine import Connection
from satchel.adapters.sqlite.facts import store as facts
from satchel.adapters.sqlite.graph import store as graph
from satchel.adapters.sqlite.memories import erase_working_set, history

_STEPS: tuple[Callable[[Connection, Sequence[str]], None], ...] = (
    erase_messages.erase_dependents,
    facts.erase_dependents,
    graph.erase_dependents,
    history.erase_notes,
    erase_working_set.erase_dependents,
    attention.erase_dependents,
)


def erase_dependents(db: Connection, ids: Sequence[str]) -> None:
    """Erase everything that depends on these records."""
    for step in _STEPS:
        step(db, ids)
