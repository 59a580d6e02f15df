"""Whether a memory is already present."""

from msgspec.structs import replace

from satchel.domain.record import Memory, MemoryId, Trust
from satchel.memories.duplicates import DuplicateMemory, find_duplicate
from tests.tables import each_case

NEW = Memory(MemoryId("new"), "We ship on Thursdays", "global", 1, 1, trust=Trust.TRUSTED)
SAME = replace(NEW, id=MemoryId("same"), text="we ship  on thursdays")
ALIKE = replace(NEW, id=MemoryId("alike"), text="We ship on the Thursday!")


def test_an_exact_duplicate_comes_before_a_near_one() -> None:
    assert find_duplicate(NEW, [ALIKE, SAME], "near") == DuplicateMemory(SAME, "exact")  # type: ignore[arg-type]
    assert find_duplicate(NEW, [ALIKE], "near") == DuplicateMemory(ALIKE, "near")  # type: ignore[arg-type]


@each_case(("mode", "alike", "same"), [("near", True, True), ("exact", False, True), ("off", False, False)])
def test_the_policy_decides_what_counts(mode: str, alike: bool, same: bool) -> None:
    assert (find_duplicate(NEW, [ALIKE], mode) is not None) == alike
    assert (find_duplicate(NEW, [SAME], mode) is not None) == same


def test_higher_trust_is_not_a_duplicate() -> None:
    assert find_duplicate(NEW, [replace(SAME, trust=Trust.UNTRUSTED)], "near") is None
    repeated = find_duplicate(replace(NEW, trust=Trust.UNTRUSTED), [SAME], "near")
    assert repeated is not None
    assert repeated.memory is SAME


def test_another_validity_is_not_a_duplicate() -> None:
    assert find_duplicate(NEW, [replace(SAME, valid_to=9)], "near") is None
    assert find_duplicate(replace(NEW, valid_to=9), [replace(SAME, valid_to=9)], "near") is not None


def test_nothing_similar_is_no_duplicate() -> None:
    assert find_duplicate(NEW, [], "near") is None
