"""Whether a memory is there already."""

import pytest
from msgspec.structs import replace

from satchel.domain.record import Memory, MemoryId, Trust
from satchel.memories.duplicates import Twin, twin

NEW = Memory(MemoryId("new"), "We ship on Thursdays", "global", 1, 1, trust=Trust.TRUSTED)
SAME = replace(NEW, id=MemoryId("same"), text="we ship  on thursdays")
ALIKE = replace(NEW, id=MemoryId("alike"), text="We ship on the Thursday!")


def test_the_very_same_words_come_before_nearly_the_same() -> None:
    assert twin(NEW, [ALIKE, SAME], "near") == Twin(SAME, "exact")  # type: ignore[arg-type]
    assert twin(NEW, [ALIKE], "near") == Twin(ALIKE, "near")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mode", "alike", "same"), [("near", True, True), ("exact", False, True), ("off", False, False)]
)
def test_the_policy_says_what_counts(mode: str, alike: bool, same: bool) -> None:
    assert (twin(NEW, [ALIKE], mode) is not None) == alike
    assert (twin(NEW, [SAME], mode) is not None) == same


def test_what_is_trusted_more_is_news() -> None:
    assert twin(NEW, [replace(SAME, trust=Trust.UNTRUSTED)], "near") is None
    repeated = twin(replace(NEW, trust=Trust.UNTRUSTED), [SAME], "near")
    assert repeated is not None
    assert repeated.memory is SAME


def test_what_holds_at_another_time_is_news() -> None:
    assert twin(NEW, [replace(SAME, valid_to=9)], "near") is None
    assert twin(replace(NEW, valid_to=9), [replace(SAME, valid_to=9)], "near") is not None


def test_nothing_alike_is_no_twin() -> None:
    assert twin(NEW, [], "near") is None
