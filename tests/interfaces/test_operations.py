"""The table of operations agrees with the façade it stands for."""

import inspect
from keyword import iskeyword
from typing import get_args, get_type_hints, is_typeddict

import pytest

from satchel.app import Satchel
from satchel.attention.service import Attention
from satchel.conversations.service import Conversations
from satchel.documents.service import Documents
from satchel.episodes.service import Episodes
from satchel.explaining.service import Explaining
from satchel.facts.service import Facts
from satchel.graph.service import Graph
from satchel.interfaces.cli.parser import command_of
from satchel.interfaces.operations import AREAS, OPERATIONS, Operation, beginning_with, of_area
from satchel.interfaces.slot.tools import ToolResult
from satchel.memories.tags import Tags
from satchel.observations.lifecycle import Lifecycle
from satchel.packing.service import Packing
from satchel.routing.backends_service import Backends
from satchel.routing.service import Routing
from satchel.turns.service import Turns

# Not about a store, or with a store of its own.
ELSEWHERE = {
    "config show",
    "config explain",
    "config set",
    "config unset",
    "model install",
    "model status",
    "demo",
    "eval",
}
ON_THE_FACADE = [one for one in OPERATIONS if one.name not in ELSEWHERE]


# Areas that are loaded when they are first asked for: the word their commands begin with, and the class.
LOADED_LATER: dict[str, type] = {
    "attention": Attention,
    "conversation": Conversations,
    "docs": Documents,
    "episodes": Episodes,
    "fact": Facts,
    "graph": Graph,
    "grade": Lifecycle,
    "lifecycle": Lifecycle,
    "drift": Lifecycle,
    "pack": Packing,
    "route": Routing,
    "turn": Turns,
    "backends": Backends,
    "tag": Tags,
    "why": Explaining,
    "why-not": Explaining,
}


def _name(operation: Operation) -> str:
    """Return the name of its method; a word that Python keeps for itself has a line under its end."""
    group, _, own = operation.name.partition(" ")
    name = (own or group) if group in LOADED_LATER else operation.name
    return name.replace(" ", "_").replace("-", "_") + ("_" if iskeyword(name) else "")


def _owner(operation: Operation) -> type:
    return LOADED_LATER.get(operation.name.split()[0], Satchel)


def _method(operation: Operation) -> inspect.Signature:
    return inspect.signature(getattr(_owner(operation), _name(operation)))


def test_names_are_unique() -> None:
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)


def test_every_operation_of_the_facade_is_in_the_table() -> None:
    for owner in (Satchel, *LOADED_LATER.values()):
        public = {name for name, _ in inspect.getmembers(owner, inspect.isfunction) if not name.startswith("_")}
        in_table = {_name(operation) for operation in ON_THE_FACADE if _owner(operation) is owner}
        assert in_table <= public
        # What other areas ask of one that is loaded later need not be an operation.
        assert owner is not Satchel or public - {"close", "acting_as", "warm"} == in_table


@pytest.mark.parametrize("area", AREAS)
def test_an_area_is_found_by_the_words_its_commands_begin_with(area: str) -> None:
    words = [command_of(operation).split()[0] for operation in of_area(area)]

    assert tuple(dict.fromkeys(words)) == AREAS[area]
    assert all(beginning_with(word) == of_area(area) for word in words)


def test_a_word_that_begins_no_command_has_no_operations() -> None:
    assert beginning_with("nothing") == ()


@pytest.mark.parametrize("operation", ON_THE_FACADE, ids=lambda operation: operation.name)
def test_parameters_and_defaults_are_those_of_the_facade(operation: Operation) -> None:
    method = {name: one for name, one in _method(operation).parameters.items() if name not in ("self", "progress")}
    table = {one.name: one for one in operation.parameters if not one.only_shown}

    assert set(table) == set(method)
    for name, parameter in table.items():
        empty = method[name].default is inspect.Parameter.empty
        assert parameter.required == empty, name
        if not empty:
            assert parameter.default == method[name].default, name


@pytest.mark.parametrize("operation", ON_THE_FACADE, ids=lambda operation: operation.name)
def test_results_are_those_of_the_facade(operation: Operation) -> None:
    method = getattr(_owner(operation), _name(operation))

    # A tool's answer carries its details in a shape that the table names.
    expected = ToolResult if operation.agents_only else operation.result
    assert get_args(get_type_hints(method)["return"]) == (expected,)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_is_a_persons_or_an_agents_tool_of_its_own_shape(operation: Operation) -> None:
    assert not (operation.operator_only and operation.agents_only)
    assert is_typeddict(operation.result) == operation.agents_only
    assert operation.agents_only == operation.name.startswith("memory_")
    assert not operation.agents_only or operation.handles_files == any(one.file for one in operation.parameters)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_what_a_server_does_for_the_command_line_it_offers_and_does_quickly(operation: Operation) -> None:
    assert not (operation.served and (operation.terminal_only or operation.long or operation.agents_only))
    assert operation.terminal_only <= operation.operator_only
