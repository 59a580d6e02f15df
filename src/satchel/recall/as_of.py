"""Search memories as of an earlier moment with the current vector index."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import State
from satchel.domain.view import View
from satchel.ports import Index, MemoryStore

# The index holds only current records, so more candidates are requested until enough of them existed then.
WIDEN_FACTOR = 8
# Maximum number of candidates: records farther away are about something else.
MAX_CANDIDATES = 20_000


class IndexAsOf(Struct, frozen=True):
    """Implements ports.SearchableIndex with the current index and the memories as they were."""

    index: Index
    memories: MemoryStore

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        return self.memories.match(terms, view, limit)

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        # The current state and validity of a record do not matter, only its scope.
        any_state = View(view.reach, view.now, states=tuple(State), timeless=True)
        requested = limit
        while True:
            candidates = self.index.nearest(vector, any_state, requested)
            then = self.memories.fetch([one.id for one in candidates], view, verify=False)
            # A vector is valid only for the text it was made from.
            found = [one for one in candidates if one.id in then and then[one.id].content_hash == one.content_hash]
            if len(found) >= limit or len(candidates) < requested or requested >= MAX_CANDIDATES:
                return found[:limit]
            requested = min(requested * WIDEN_FACTOR, MAX_CANDIDATES)
