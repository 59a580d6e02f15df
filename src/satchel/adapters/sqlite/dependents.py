"""What rests on records: each function takes away, in the transaction that erases them, what was derived from them."""

from collections.abc import Callable, Sequence

import apsw

from satchel.adapters.sqlite import graph

DEPENDENTS: tuple[Callable[[apsw.Connection, Sequence[str]], None], ...] = (graph.erase,)


def erase_dependents(db: apsw.Connection, ids: Sequence[str]) -> None:
    """Take away whatever rests on these records."""
    for erase in DEPENDENTS:
        erase(db, ids)
