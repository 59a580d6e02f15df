"""Neighbours in a session, as a named contribution: a short memory is found through the one stored before or after it.

Only candidates of the search lend to each other, so a record outside the view cannot affect the ranking. Memories
without a session neither lend nor get.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.ranking import Contribution, Ranked, best_first
from satchel.domain.record import Memory, MemoryId
from satchel.recall.fusion import LEXICAL

NEIGHBOURS = "neighbours"
# Share of its lexical contribution that a memory lends to the one before and the one after it.
NEIGHBOUR_SHARE = 0.5
# A short memory needs its neighbours more than a long one: a memory with this many characters gets half of the share.
HALF_SHARE_CHARS = 300

NextInSession = Callable[[Sequence[Memory]], Mapping[MemoryId, MemoryId]]
"""Returns the memory that was stored after each of some memories in its session."""


def add_neighbours(
    ranked: Sequence[Ranked], records: Mapping[MemoryId, Memory], next_in_session: NextInSession
) -> list[Ranked]:
    """Add what each candidate gets from its neighbours, and sort best first."""
    lexical = {one.id: part.value for one in ranked for part in one.contributions if part.name == LEXICAL}
    best = max(lexical.values(), default=0.0)
    members = _with_company(ranked, records)
    if not members or best <= 0:
        return list(ranked)
    lent: dict[MemoryId, float] = {}
    for before, after in next_in_session(list(members.values())).items():
        if after in members:
            lent[before] = lent.get(before, 0.0) + lexical.get(after, 0.0)
            lent[after] = lent.get(after, 0.0) + lexical.get(before, 0.0)
    return best_first([_gaining(one, lent, members, lexical.get(one.id, 0.0) / best) for one in ranked])


def _with_company(ranked: Sequence[Ranked], records: Mapping[MemoryId, Memory]) -> dict[MemoryId, Memory]:
    """Return the candidates whose session has another candidate: the others have no neighbour to look up."""
    sessions: dict[tuple[str, str], list[Memory]] = {}
    for one in ranked:
        memory = records.get(one.id)
        if memory is not None and memory.session is not None:
            sessions.setdefault((memory.scope, memory.session), []).append(memory)
    return {memory.id: memory for members in sessions.values() if len(members) > 1 for memory in members}


def _gaining(
    one: Ranked, lent: Mapping[MemoryId, float], members: Mapping[MemoryId, Memory], own_share: float
) -> Ranked:
    """Return a candidate with what its neighbours lend it: less, the longer it is and the better it matches itself."""
    if one.id not in lent:
        return one
    need = HALF_SHARE_CHARS / (HALF_SHARE_CHARS + len(members[one.id].text))
    value = NEIGHBOUR_SHARE * need * lent[one.id] * (1 - own_share)
    if not value:
        return one
    return replace(one, contributions=(*one.contributions, Contribution(NEIGHBOURS, None, lent[one.id], value)))
