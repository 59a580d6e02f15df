"""Find memories that contradict each other, among many, without comparing all pairs.

Two statements that contradict each other share their subject, so only memories with a rare word in common are compared.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from satchel.domain.concern import Concern, concern
from satchel.domain.contradiction import alternatives, contradiction
from satchel.domain.record import Memory
from satchel.domain.statements.comparable import Statement, analyse

# Number of a memory's words that it is compared by, rarest first, and the maximum number of memories per word.
KEYS_PER_MEMORY = 5
MAX_PER_KEY = 40
MAX_COMPARISONS = 200_000


class WordConflict(Struct, frozen=True):
    """Two memories that contradict each other by their words."""

    newer: Memory
    older: Memory
    reason: str


class ConflictSearch(Struct, frozen=True):
    """Contradicting memories, newest first."""

    found: tuple[WordConflict, ...]
    complete: bool
    """Whether everything with a common subject was compared."""


def find_conflicts(newest_first: Sequence[Memory]) -> ConflictSearch:
    """Return the memories that contradict each other, of one or several scopes."""
    statements = [analyse(one.text) for one in newest_first]
    buckets = _buckets(newest_first, statements)
    compared, found, complete = set[tuple[int, int]](), list[tuple[int, int, str]](), True
    # Rare words first: they say most about the subject.
    for places in sorted(buckets.values(), key=lambda one: (len(one), one)):
        complete &= len(places) <= MAX_PER_KEY
        for pair in combinations(places[:MAX_PER_KEY], 2):
            if pair in compared:
                continue
            if len(compared) >= MAX_COMPARISONS:
                complete = False
                break
            compared.add(pair)
            if reason := _reason(statements[pair[0]], statements[pair[1]]):
                found.append((*pair, reason))
    conflicts = [WordConflict(newest_first[new], newest_first[old], reason) for new, old, reason in sorted(found)]
    return ConflictSearch(tuple(conflicts), complete)


def _reason(newer: Statement, older: Statement) -> str | None:
    opposed = contradiction(newer, older)
    if opposed is not None:
        return opposed
    announced = newer.change is not None and concern(newer, older) is Concern.CLEAR
    return "the newer one says that it replaces the older one" if announced else None


def _buckets(memories: Sequence[Memory], statements: Sequence[Statement]) -> dict[tuple[str, str], list[int]]:
    """Return the places of the memories that share a scope and a key, for keys that several have."""
    holding = Counter(
        (memory.scope, term) for memory, one in zip(memories, statements, strict=True) for term in one.terms
    )
    buckets = defaultdict[tuple[str, str], list[int]](list)
    for place, (memory, one) in enumerate(zip(memories, statements, strict=True)):
        for key in _keys(memory.scope, one, holding):
            buckets[memory.scope, key].append(place)
    return {key: places for key, places in buckets.items() if len(places) > 1}


def _keys(scope: str, one: Statement, holding: Counter[tuple[str, str]]) -> Iterator[str]:
    shared = [term for term in one.terms if holding[scope, term] > 1]
    yield from sorted(shared, key=lambda term: (holding[scope, term], term))[:KEYS_PER_MEMORY]
    yield from alternatives(one)
