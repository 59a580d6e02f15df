"""Uses: which answers used a memory, its versions and its links."""

import pytest

from satchel.app import Satchel
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.errors import InvalidRequest, NotFound
from satchel.explaining.values import Uses


def uses(memory: Satchel, id: str, **options: object) -> Uses:
    return memory.explaining.uses(id, **options).result  # type: ignore[arg-type]


def test_recalls_and_packs_that_used_a_memory_are_listed_newest_first(memory: Satchel) -> None:
    id = memory.store("the walrus sleeps", importance=0.9).result.id
    memory.store("the harbour is closed")
    recalled = memory.recall("walrus").receipt.digest
    packed = memory.pack("walrus").receipt.digest

    found = uses(memory, id)

    assert [(one.operation, one.receipt) for one in found.uses] == [("pack", packed), ("recall", recalled)]
    assert all(one.included for one in found.uses)
    assert found.uses[-1].meaning.startswith("number 1 of")
    assert found.last_used_at is not None


def test_a_use_says_by_which_rule_a_memory_was_left_out(memory: Satchel) -> None:
    id = memory.store("the walrus sleeps", valid_to="2001-01-01").result.id
    memory.recall("walrus", mode="lexical")

    (use,) = uses(memory, id).uses

    assert (use.included, use.rule) == (False, "expired")


def test_the_number_of_uses_is_limited(memory: Satchel) -> None:
    id = memory.store("the walrus sleeps").result.id
    for _ in range(3):
        memory.recall("walrus", mode="lexical")

    assert len(uses(memory, id, limit=2).uses) == 2
    with pytest.raises(InvalidRequest):
        uses(memory, id, limit=0)


def test_versions_are_followed_in_both_directions(memory: Satchel) -> None:
    first = memory.store("ship on Mondays").result.id
    second = memory.store("ship on Tuesdays", replaces=first).result.id
    third = memory.store("ship on Thursdays", replaces=second).result.id

    for id in (first, second, third):
        versions = uses(memory, id).versions
        assert [one.id for one in versions] == [first, second, third]
        assert [one.id for one in versions if one.asked_for] == [id]
        assert [one.state for one in versions] == ["retired", "retired", "active"]


def test_a_forgotten_version_is_not_followed(memory: Satchel) -> None:
    first = memory.store("ship on Mondays").result.id
    second = memory.store("ship on Tuesdays", replaces=first).result.id
    memory.forget(first)

    assert [one.id for one in uses(memory, second).versions] == [second]


def test_links_in_both_directions_are_shown_within_reach(memory: Satchel) -> None:
    rain = memory.store("it rains", scope="a").result.id
    boots = memory.store("wear boots", scope="a").result.id
    other = memory.store("elsewhere", scope="b").result.id
    memory.parts.ledger.edges.put(
        [MemoryEdge(rain, boots, EdgeType.SUPPORTS), MemoryEdge(other, boots, EdgeType.EXTENDS)]
    )

    (link,) = uses(memory, boots, scope="a").links
    assert (link.id, link.text, link.type, link.outgoing) == (rain, "it rains", "supports", False)
    assert {one.id for one in uses(memory, boots, all_scopes=True).links} == {rain, other}


def test_an_unknown_memory_or_one_of_another_scope_is_not_found(memory: Satchel) -> None:
    id = memory.store("the walrus sleeps", scope="a").result.id

    for reference in ("nobody", id):
        with pytest.raises(NotFound):
            uses(memory, reference)
