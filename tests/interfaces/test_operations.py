"""Operations are derived from the signatures of the methods they call."""

import inspect
from collections.abc import Mapping, Sequence
from enum import StrEnum
from importlib import import_module
from typing import Annotated, Any, is_typeddict

import pytest

from satchel.core.operations import MARK, Param, operation
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.interfaces.cli.parser import command_of
from satchel.interfaces.cli.views.lookup import EXPLAIN, view_of
from satchel.interfaces.operations import AREAS, OPERATIONS, Parameter, Session, beginning_with, of_area
from satchel.interfaces.operations.operation import derived
from satchel.ports import Progress


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Painting:
    """A feature with one operation."""

    @operation("paint wall", writes=True, examples=("satchel paint wall",))
    def wall(
        self,
        name: Annotated[str, Param("which wall", positional=True, stdin=True)],
        tools: Annotated[Sequence[str], Param("a tool", flag="tool")],
        *,
        colour: Annotated[str, Param("its colour", choices=Colour)] = Colour.RED,
        coats: Annotated[int | None, Param("how many coats")] = None,
        dry: Annotated[bool, Param("let it dry", off="do not let it dry", operator_only=True)] = True,
        mix: Annotated[Mapping[str, Any] | None, Param("the mixture")] = None,
        steps: Annotated[Sequence[Mapping[str, Any]], Param("a step", each=True)] = (),
        plan: Annotated[Sequence[Any], Param("all steps")] = (),
        private: int = 0,
        progress: Progress | None = None,
    ) -> Ok[tuple[str, ...]]:
        """Paint a wall.

        With a brush, or
        with a roller.
        """
        assert progress is not None
        progress(private, 1, name)
        return Ok((name, *tools, colour), Receipt("paint wall", asked={}))


PAINT = derived(Painting.wall, lambda session: Painting())


def test_parameters_come_from_the_annotated_signature() -> None:
    assert PAINT.parameters == (
        Parameter("name", "which wall", required=True, positional=True, from_stdin=True),
        Parameter("tools", "a tool", default=(), required=True, repeated=True, flag="tool"),
        Parameter("colour", "its colour", default="red", choices=("red", "blue")),
        Parameter("coats", "how many coats", type=int),
        Parameter("dry", "let it dry", type=bool, default=True, off="do not let it dry", operator_only=True),
        Parameter("mix", "the mixture", type=dict),
        Parameter("steps", "a step", type=dict, default=(), repeated=True),
        Parameter("plan", "all steps", type=list, default=()),
    )
    options = {one.name: one.option for one in PAINT.parameters}
    assert (options["tools"], options["coats"], options["dry"]) == ("--tool", "--coats", "--no-dry")


def test_help_comes_from_the_docstring_and_the_result_from_the_return_type() -> None:
    assert (PAINT.name, PAINT.help, PAINT.details) == ("paint wall", "paint a wall", "With a brush, or with a roller.")
    assert PAINT.result == tuple[str, ...]
    assert (PAINT.writes, PAINT.served, PAINT.examples) == (True, False, ("satchel paint wall",))


def test_running_an_operation_calls_its_method_with_the_progress_of_the_session() -> None:
    seen: list[tuple[int, int, str]] = []
    session: Any = type("Session", (), {"progress": lambda self, *step: seen.append(step)})()

    assert PAINT.run(session, {"name": "north", "tools": ("brush",)}).result == ("north", "brush", "red")
    assert seen == [(0, 1, "north")]


def test_an_operation_may_be_a_function_of_a_session() -> None:
    @operation("greet")
    def greet(session: Session, name: Annotated[str, Param("whom")]) -> Ok[str]:
        """Greet somebody."""
        return Ok(f"{session.actor} greets {name}", Receipt("greet", asked={}))

    session: Any = type("Session", (), {"actor": "cli"})()
    made = derived(greet)

    assert [one.name for one in made.parameters] == ["name"]
    assert made.run(session, {"name": "Ann"}).result == "cli greets Ann"


def test_a_type_that_no_interface_can_give_is_refused() -> None:
    @operation("odd")
    def odd(session: Session, name: Annotated[set[str], Param("names")]) -> Ok[str]:
        """Do something odd."""
        raise NotImplementedError

    with pytest.raises(TypeError):
        derived(odd)


def test_names_are_unique() -> None:
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)


def test_every_area_is_found_by_the_words_its_commands_begin_with() -> None:
    for name, area in AREAS.items():
        words = [command_of(one).split()[0] for one in of_area(name)]

        assert tuple(dict.fromkeys(words)) == area.words
        assert all(beginning_with(word) == of_area(name) for word in words)
    assert beginning_with("nothing") == ()


def test_a_caller_from_python_and_an_interface_can_give_the_same_to_every_operation() -> None:
    """Whatever a method takes is a parameter of its operation; only progress is not, which an interface shows itself."""
    for area in AREAS.values():
        for home in area.homes:
            module = import_module(f"satchel.{home.module}")
            place = getattr(module, home.owner) if home.owner else module
            for function in (one for one in vars(place).values() if MARK in getattr(one, "__dict__", ())):
                _, *own = inspect.signature(function).parameters
                taken = [one.name for one in derived(function).parameters]
                assert [name for name in own if name != "progress"] == taken, function.__qualname__


def test_every_command_has_a_view_and_those_that_explain_take_it() -> None:
    for one in OPERATIONS:
        if not one.own_command:
            assert callable(view_of(command_of(one)))
    for name in EXPLAIN:
        assert "explain" in inspect.signature(view_of(name)).parameters


def test_every_operation_is_for_people_or_for_agents_in_the_shape_of_its_specification() -> None:
    for one in OPERATIONS:
        assert not (one.operator_only and one.agents_only), one.name
        assert is_typeddict(one.result) == one.agents_only, one.name
        assert one.agents_only == one.name.startswith("memory_")
        assert not one.agents_only or one.handles_files == any(parameter.file for parameter in one.parameters)


def test_what_a_server_does_for_the_command_line_it_offers_and_does_quickly() -> None:
    for one in OPERATIONS:
        assert not (one.served and (one.terminal_only or one.long or one.agents_only)), one.name
        assert one.terminal_only <= one.operator_only, one.name
