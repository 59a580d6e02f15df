"""Looking back: what an index of now is near to, narrowed to what was there then."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.embedding import Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import State
from satchel.domain.view import View
from satchel.ports import Index, MemoryStore

# An index knows how records stand now, so it is asked for more of them until enough were there then.
WIDENING = 8
# Whatever is farther away than so many others is about something else.
MOST_NOMINATED = 20_000


class IndexAsOf(Struct, frozen=True):
    """Implements ports.Searched: an index, and the memories as they were."""

    index: Index
    memories: MemoryStore

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Candidate]:
        return self.memories.match(terms, view, limit)

    def nearest(self, vector: Vector, view: View, limit: int) -> list[Candidate]:
        # How a record stands now does not count; only that it may be seen at all.
        anyhow = View(view.reach, view.now, states=tuple(State), timeless=True)
        asked = limit
        while True:
            nominated = self.index.nearest(vector, anyhow, asked)
            then = self.memories.fetch([one.id for one in nominated], view)
            # A vector speaks for the text it was made of, and for no other.
            there = [one for one in nominated if one.id in then and then[one.id].content_hash == one.content_hash]
            if len(there) >= limit or len(nominated) < asked or asked >= MOST_NOMINATED:
                return there[:limit]
            asked = min(asked * WIDENING, MOST_NOMINATED)
