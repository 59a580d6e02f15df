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
from satchel.interfaces.cli.table import command_name, command_parameters, commands_beginning, option_help
from satchel.interfaces.cli.views.lookup import EXPLAIN, view_of
from satchel.interfaces.operations import AREAS, OPERATIONS, Parameter, Session, operations_in, operations_near
from satchel.interfaces.operations.operation import derive_operation
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


PAINT = derive_operation(Painting.wall, lambda session: Painting())


def test_parameters_come_from_the_annotated_signature() -> None:
    assert PAINT.parameters == (
        Parameter(name="name", help="which wall", required=True, positional=True, stdin=True),
        Parameter(name="tools", help="a tool", default=(), required=True, repeated=True, flag="tool"),
        Parameter(name="colour", help="its colour", default="red", choices=("red", "blue")),
        Parameter(name="coats", help="how many coats", type=int),
        Parameter(name="dry", help="let it dry", type=bool, default=True, off="do not let it dry", operator_only=True),
        Parameter(name="mix", help="the mixture", type=dict),
        Parameter(name="steps", help="a step", type=dict, default=(), repeated=True, each=True),
        Parameter(name="plan", help="all steps", type=list, default=()),
    )
    options = {one.name: one.option for one in PAINT.parameters}
    assert (options["tools"], options["coats"], options["dry"]) == ("--tool", "--coats", "--no-dry")


def test_help_comes_from_the_docstring_and_the_result_from_the_return_type() -> None:
    assert (PAINT.name, PAINT.help, PAINT.details) == ("paint wall", "paint a wall", "With a brush, or with a roller.")
    assert PAINT.result == tuple[str, ...]
    assert (PAINT.writes, PAINT.served, PAINT.examples) == (True, False, ("satchel paint wall",))


def test_running_an_operation_passes_the_progress_of_the_session() -> None:
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
    made = derive_operation(greet)

    assert [one.name for one in made.parameters] == ["name"]
    assert made.run(session, {"name": "Ann"}).result == "cli greets Ann"


def test_an_unsupported_parameter_type_is_rejected() -> None:
    @operation("odd")
    def odd(session: Session, name: Annotated[set[str], Param("names")]) -> Ok[str]:
        """Do something odd."""
        raise NotImplementedError

    with pytest.raises(TypeError):
        derive_operation(odd)


def test_a_switch_that_is_on_by_default_must_say_what_turning_it_off_does() -> None:
    @operation("shut")
    def shut(session: Session, gently: Annotated[bool, Param("shut it gently")] = True) -> Ok[str]:
        """Shut a door."""
        raise NotImplementedError

    with pytest.raises(TypeError, match="--no-gently"):
        derive_operation(shut)


def test_every_no_option_has_a_help_text_of_its_own() -> None:
    switches = [
        (command_name(command), one)
        for command in commands_beginning()
        for one in command_parameters(command)
        if one.option.startswith("--no-")
    ]

    assert len(switches) > 20
    assert [name for name, one in switches if option_help(one) != one.off or one.off == one.help] == []


def test_no_help_text_repeats_what_the_command_line_adds() -> None:
    texts = {(one.name, parameter.name): parameter.help for one in OPERATIONS for parameter in one.parameters}

    assert [where for where, help in texts.items() if "several times" in help] == []


def test_names_are_unique() -> None:
    assert len({operation.name for operation in OPERATIONS}) == len(OPERATIONS)


def test_every_area_is_found_by_the_first_words_of_its_commands() -> None:
    for name, area in AREAS.items():
        words = [command_name(one).split()[0] for one in operations_in(name)]

        assert tuple(dict.fromkeys(words)) == area.words
        assert all(operations_near(word) == operations_in(name) for word in words)
    assert operations_near("nothing") == ()


def test_every_argument_of_a_method_is_a_parameter_of_its_operation() -> None:
    """Except those that the interface itself provides."""
    provided = ("progress", "ask", "edit_text", "tell", "for_agent", "host_warnings", "like", "upload_name")
    for area in AREAS.values():
        for source in area.sources:
            module = import_module(f"satchel.{source.module}")
            owner = getattr(module, source.class_name) if source.class_name else module
            for function in (one for one in vars(owner).values() if MARK in getattr(one, "__dict__", ())):
                _, *own = inspect.signature(function).parameters
                taken = [one.name for one in derive_operation(function).parameters]
                assert [name for name in own if name not in provided] == taken, function.__qualname__


def test_every_command_has_a_view_and_explaining_views_take_the_option() -> None:
    for one in OPERATIONS:
        if not one.own_command:
            assert callable(view_of(command_name(one)))
    for name in EXPLAIN:
        assert "explain" in inspect.signature(view_of(name)).parameters


def test_only_memory_tools_are_for_agents_only_and_return_a_specified_shape() -> None:
    for one in OPERATIONS:
        assert not (one.operator_only and one.agents_only), one.name
        assert is_typeddict(one.result) == one.agents_only, one.name
        assert one.agents_only == one.name.startswith("memory_")
        assert not one.agents_only or one.handles_files == any(parameter.file for parameter in one.parameters)


def test_served_operations_are_offered_and_quick() -> None:
    for one in OPERATIONS:
        assert not (one.served and (one.terminal_only or one.long or one.agents_only)), one.name
        assert one.terminal_only <= one.operator_only, one.name
