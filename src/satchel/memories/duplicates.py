"""Duplicate: whether a memory that is about to be stored is there already."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.likeness import same_words
from satchel.domain.policies import Duplicates
from satchel.domain.record import Memory
from satchel.domain.trust import outranks


class Twin(Struct, frozen=True):
    """A memory that says the same already."""

    memory: Memory
    likeness: Duplicates


def twin(new: Memory, alike: Sequence[Memory], mode: str) -> Twin | None:
    """Return the memory that a new one repeats, if any; one in the very same words before one in nearly the same.

    What is trusted more, or holds at another time, is news although it says the same.
    """
    standing_in = [one for one in alike if not outranks(new.trust, one.trust) and _dates(one) == _dates(new)]
    exact = [one for one in standing_in if same_words(one.text, new.text)]
    if exact and mode != Duplicates.OFF:
        return Twin(exact[0], Duplicates.EXACT)
    if standing_in and mode == Duplicates.NEAR:
        return Twin(standing_in[0], Duplicates.NEAR)
    return None


def _dates(memory: Memory) -> tuple[int | None, int | None]:
    return memory.valid_from, memory.valid_to
