"""An agent sees no names of people in facts."""

from collections.abc import Callable
from typing import Any

import pytest

from satchel.app import Satchel
from tests.tables import each_case

ANSWERS: dict[str, Callable[[Satchel, str], Any]] = {
    "current": lambda store, name: store.facts.current(name),
    "timeline": lambda store, name: store.facts.timeline(name),
    "pack": lambda store, name: store.facts.pack(name),
    "search": lambda store, name: store.facts.search(f"{name} status"),
}


@pytest.fixture
def known(memory: Satchel) -> Satchel:
    """A store with facts about a person of the graph and about a tool."""
    id = memory.store("Handed in with the form").result.id
    memory.graph.add("Anna Lindqvist", "OWNS", "Checkout", tail_type="Person", head_type="Project")
    memory.facts.assert_("Anna Lindqvist", "status", "on leave", sources=[id])
    memory.facts.assert_("Checkout", "depends_on", "anna lindqvist", sources=[id])
    memory.facts.assert_("Redis", "status", "live", sources=[id])
    return memory


@each_case("name", list(ANSWERS))
def test_an_agent_sees_no_person(known: Satchel, name: str) -> None:
    answer, agent = ANSWERS[name], known.acting_as("mcp")

    for shown in (repr(answer(agent, "Anna Lindqvist")), repr(answer(agent, "Checkout"))):
        assert "lindqvist" not in shown.casefold()
        assert "a person" in shown
    if name != "pack":
        assert "Anna Lindqvist" in repr(answer(known, "Anna Lindqvist"))


@each_case("name", list(ANSWERS))
def test_an_untrusted_source_makes_nobody_a_person(known: Satchel, name: str) -> None:
    agent = known.acting_as("mcp")
    agent.graph.add("Redis", "OWNS", "Gate", tail_type="Person", source_kind="tool")

    assert "Redis" in repr(ANSWERS[name](agent, "Redis").result)
