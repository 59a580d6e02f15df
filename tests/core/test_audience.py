"""An agent is shown no home folder, whatever operation answers; the operator is."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.core.audience import read_by_agent
from satchel.errors import NotFound
from tests.tables import each_case

PATH = "/home/anna/notes/plan.md"

ANSWERS: dict[str, Callable[[Satchel], Any]] = {
    "recall": lambda store: store.recall("release plan"),
    "list": lambda store: store.memories.list(),
    "facts": lambda store: store.facts.current("release"),
    "fact search": lambda store: store.facts.search("release configured"),
    "fact timeline": lambda store: store.facts.timeline("release"),
    "graph": lambda store: store.graph.neighbors("Checkout"),
    "graph ask": lambda store: store.graph.ask("what does Checkout use"),
    "route": lambda store: store.routing.route("who is connected with Checkout relationship"),
}
FOR_PROMPTS: dict[str, Callable[[Satchel], Any]] = {
    "fact pack": lambda store: store.facts.pack("release"),
    "turn": lambda store: store.turns.before("where is the release plan?"),
    "attention": lambda store: store.attention.route(f"go on with {PATH}", step_role="planner"),
}


@pytest.fixture
def stored(memory: Satchel) -> Satchel:
    """A store in which every feature knows a private path."""
    id = memory.store(f"The release plan is in {PATH}").result.id
    memory.facts.assert_("release", "configured_as", PATH, sources=[id])
    memory.graph.add("Checkout", "USES", PATH, tail_type="Project", head_type="Tool")
    return memory


@each_case("name", [*ANSWERS, *FOR_PROMPTS])
def test_an_agent_is_shown_no_home_folder(stored: Satchel, name: str) -> None:
    shown = repr((ANSWERS | FOR_PROMPTS)[name](stored.acting_as("mcp")))

    assert "anna" not in shown
    assert "~/notes/plan.md" in shown


@each_case("name", list(ANSWERS))
def test_the_operator_is_shown_all(stored: Satchel, name: str) -> None:
    assert PATH in repr(ANSWERS[name](stored))


@each_case("name", list(FOR_PROMPTS))
def test_what_is_for_a_prompt_is_for_an_agent(stored: Satchel, name: str) -> None:
    assert "anna" not in repr(FOR_PROMPTS[name](stored))


@each_case("name", [*ANSWERS, *FOR_PROMPTS])
def test_the_operator_may_allow_it(stored: Satchel, name: str) -> None:
    agent = stored.acting_as("mcp")
    policies = replace(agent.parts.policies, agents=replace(agent.parts.policies.agents, show_paths=True))

    assert PATH in repr((ANSWERS | FOR_PROMPTS)[name](Satchel(replace(agent.parts, policies=policies))))


def test_a_caller_with_the_rights_of_an_agent_is_one(stored: Satchel) -> None:
    user = stored.acting_as("user:ben/laptop")
    with read_by_agent():
        assert "anna" not in repr(user.recall("release plan"))
    assert "anna" in repr(user.recall("release plan"))


def test_ids_are_unharmed(stored: Satchel) -> None:
    agent = stored.acting_as("mcp")
    ours, theirs = (one.graph.neighbors("Checkout").result for one in (stored, agent))

    assert ours.neighbors[0].entity.id == theirs.neighbors[0].entity.id
    assert agent.graph.show(theirs.neighbors[0].entity.id).result.entity.name == "~/notes/plan.md"


def test_an_error_has_no_home_folder(stored: Satchel) -> None:
    with pytest.raises(NotFound) as missing:
        stored.acting_as("mcp").graph.show("/home/anna/none")
    assert "anna" not in str(missing.value)
