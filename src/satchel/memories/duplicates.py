"""Find out whether a memory to be stored is already present."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.policies import Duplicates
from satchel.domain.record import Memory
from satchel.domain.similarity import same_text
from satchel.domain.trust import outranks


class DuplicateMemory(Struct, frozen=True):
    """A stored memory that says the same."""

    memory: Memory
    likeness: Duplicates


def find_duplicate(new: Memory, alike: Sequence[Memory], mode: str) -> DuplicateMemory | None:
    """Return the memory that a new one repeats, if any; an exact match before a near one.

    A memory with higher trust or another validity is not a duplicate, although it says the same.
    """
    candidates = [one for one in alike if not outranks(new.trust, one.trust) and _validity(one) == _validity(new)]
    exact = [one for one in candidates if same_text(one.text, new.text)]
    if exact and mode != Duplicates.OFF:
        return DuplicateMemory(exact[0], Duplicates.EXACT)
    if candidates and mode == Duplicates.NEAR:
        return DuplicateMemory(candidates[0], Duplicates.NEAR)
    return None


def _validity(memory: Memory) -> tuple[int | None, int | None]:
    return memory.valid_from, memory.valid_to
