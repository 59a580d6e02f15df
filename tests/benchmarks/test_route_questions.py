"""The questions to the router: their sources exist, both halves have every rule, and the first result is judged by them."""

from collections import Counter
from pathlib import Path

import pytest
from bench.route_questions import (
    HALVES,
    NOW,
    SETS,
    Half,
    Project,
    RouteQuestion,
    fill,
    half_by_hash,
    read_project,
    read_questions,
    right_first,
    source_problems,
)

from satchel.app import Satchel
from satchel.domain.routing import RouteItem
from tests.tables import each_case

NAMES = [name for names in SETS.values() for name in names]
PROJECT = read_project("mendwell")


@pytest.mark.parametrize("name", NAMES)
def test_a_project_has_documents_code_memories_and_conversations(name: str) -> None:
    project = read_project(name)
    kinds = Counter(Path(path).suffix for path in project.files)

    assert kinds[".md"] >= 10 and kinds[".py"] + kinds[".ts"] + kinds[".tsx"] >= 9
    assert len(project.memories) >= 20 and len(project.talks) >= 6
    times = [one.at for one in project.memories.values()]
    times += [one.at for talk in project.talks.values() for one in talk.messages]
    assert max(times) < NOW.isoformat()


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("names", SETS.values(), ids=SETS)
def test_each_half_asks_by_every_rule_and_for_what_is_missing(names: tuple[str, ...], half: Half) -> None:
    questions = [one for name in names for one in read_questions(half, name)]

    assert len(questions) >= 90
    assert min(Counter(one.rule for one in questions).values()) >= 3
    assert len({one.rule for one in questions}) == 7
    assert sum(not one.first for one in questions) >= 7


@pytest.mark.parametrize("name", NAMES)
def test_every_source_of_a_question_exists(name: str) -> None:
    project = read_project(name)

    assert [problem for one in questions_about(name) for problem in source_problems(one, project)] == []


def test_no_question_is_asked_twice() -> None:
    asked = [(name, one.ask) for name in NAMES for one in questions_about(name)]

    assert len(asked) == len(set(asked)) == 618


@pytest.mark.parametrize("name", SETS["second"])
def test_a_hash_puts_the_questions_of_the_second_set_into_halves(name: str) -> None:
    assert all(one.half == half_by_hash(one.ask) for one in questions_about(name))


@each_case(
    "first, contains, status",
    [
        (("file:docs/nowhere.md",), None, "success"),
        (("memory:m999",), None, "success"),
        (("talk:locker-pins#99",), None, "success"),
        (("between:BookingService+Nobody",), None, "success"),
        (("memory:m24",), "leather", "success"),
        ((), None, "success"),
    ],
    ids=str,
)
def test_a_source_that_does_not_exist_is_a_problem(first: tuple[str, ...], contains: str | None, status: str) -> None:
    assert list(source_problems(asked(first, contains, status), PROJECT))


@each_case(
    "first, content, path, right",
    [
        ("memory:m24", "We do not accept fur.", None, True),
        ("memory:m24", "We do not accept leather.", None, False),
        ("talk:locker-pins#4", "decided: 48 hours then", None, True),
        ("file:docs/auth.md", "Customers sign in", "/home/docs/auth.md", True),
        ("file:docs/auth.md", "Customers sign in", "/home/docs/photos.md", False),
        ("between:A1+B2", "A1 -DEPENDS_ON-> B2", None, True),
        ("between:A1+B2", "A1 -DEPENDS_ON-> C3", None, False),
    ],
    ids=str,
)
def test_the_first_result_is_judged_by_its_source(first: str, content: str, path: str | None, right: bool) -> None:
    results = (RouteItem(content, 1.0, "qmd", "2026-03-18T00:00:00Z", path=path),)

    assert right_first(asked((first,)), results, PROJECT) is right


def test_a_first_result_without_the_wanted_text_is_wrong() -> None:
    results = (RouteItem("We do not accept fur.", 1.0, "qmd", "2026-03-18T00:00:00Z"),)

    assert not right_first(asked(("memory:m24",), "leather"), results, PROJECT)
    assert not right_first(asked(("memory:m24",)), (), PROJECT)


def test_a_filled_store_knows_files_memories_and_conversations_at_their_time(memory: Satchel, tmp_path: Path) -> None:
    some = Project(
        files={"docs/lockers.md": PROJECT.files["docs/lockers.md"]},
        memories={"m24": PROJECT.memories["m24"]},
        talks={"locker-pins": PROJECT.talks["locker-pins"]},
    )

    filled = fill(memory, some, tmp_path)

    found = filled.routing.route("do we accept fur").result.results[0]
    assert right_first(asked(("memory:m24",), "fur"), (found,), some)
    assert found.timestamp.startswith("2026-02-06")
    assert filled.routing.route("docs/lockers.md").result.results[0].path is not None
    assert [one.name for one in filled.conversations.list().result.conversations] == ["locker-pins"]


def questions_about(project: str) -> list[RouteQuestion]:
    return [one for half in HALVES for one in read_questions(half, project)]


def asked(first: tuple[str, ...], contains: str | None = None, status: str = "success") -> RouteQuestion:
    return RouteQuestion("?", "default", "tuned", first, (status,), contains)  # type: ignore[arg-type]
