"""A small in-memory store for the recall tests."""

from array import array
from collections.abc import Sequence
from typing import NoReturn

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import Change, Embedded, Ledger

SPACE = Space("toy", 2)
VIEW = View(Reach(("global",)), now=1_000)
EAST, NORTH = array("f", [1.0, 0.0]), array("f", [0.0, 1.0])


def memory(id: str, text: str, **changes: object) -> Memory:
    plain: dict[str, object] = {"id": MemoryId(id), "text": text, "scope": "global", "created_at": 1, "updated_at": 1}
    return Memory(**(plain | changes))  # type: ignore[arg-type]


def keep(ledger: Ledger, *memories: Memory) -> None:
    changes = [Change(one, None, "store", "test") for one in memories]
    ledger.memories.commit(changes, Receipt("store", {}))


def give(ledger: Ledger, vectors: dict[str, Vector]) -> None:
    """Store the vectors of some records."""
    if ledger.vectors.space() is None:
        ledger.vectors.adopt(SPACE)
    waiting = {one.id: one for one in ledger.vectors.pending(SPACE, 99)}
    made = [Embedded(one.id, one.content_hash, vectors[one.id]) for one in waiting.values() if one.id in vectors]
    ledger.vectors.put(SPACE, made)


class FixedIndex(InMemoryIndex):
    """An index that returns given candidates."""

    def __init__(self, *nearest: Candidate, matches: Sequence[Candidate] = ()) -> None:
        super().__init__()
        self._nearest = list(nearest)
        self._matches = list(matches)

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        return self._nearest

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        return self._matches


class Broken(InMemoryIndex):
    """An index that cannot be searched."""

    def nearest(self, vector: Vector, view: View, limit: int) -> NoReturn:
        raise Unavailable("the index is in pieces")


class HalfBroken(InMemoryIndex):
    """An index whose full text cannot be searched."""

    def match(self, terms: Sequence[str], view: View, limit: int) -> NoReturn:
        raise Unavailable("the words are in pieces")
