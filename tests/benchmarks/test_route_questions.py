"""The questions to the router: their sources exist, both halves have every rule, and the first result is judged by them."""

from collections import Counter
from pathlib import Path

import pytest
from bench.decisions import HALVES, Half
from bench.route_questions import (
    NOW,
    Project,
    RouteQuestion,
    fill,
    read_project,
    read_questions,
    right_first,
    source_problems,
)

from satchel.app import Satchel
from satchel.domain.routing import RouteItem
from tests.tables import each_case

PROJECT = read_project()


def test_the_project_has_documents_code_memories_and_conversations() -> None:
    kinds = Counter(Path(path).suffix for path in PROJECT.files)

    assert kinds[".md"] >= 12 and kinds[".py"] + kinds[".ts"] + kinds[".tsx"] >= 15
    assert len(PROJECT.memories) == 60 and len(PROJECT.talks) >= 6
    times = [one.at for one in PROJECT.memories.values()]
    times += [one.at for talk in PROJECT.talks.values() for one in talk.messages]
    assert max(times) < NOW.isoformat()


@pytest.mark.parametrize("half", HALVES)
def test_each_half_asks_by_every_rule_and_for_what_is_missing(half: Half) -> None:
    questions = read_questions(half)

    assert sum(not one.added for one in questions) == 50
    assert sum(one.added for one in questions) >= 70
    assert min(Counter(one.rule for one in questions).values()) >= 4
    assert len({one.rule for one in questions}) == 7
    assert sum(not one.first for one in questions) >= 7
    assert [problem for one in questions for problem in source_problems(one, PROJECT)] == []


def test_no_question_is_in_both_halves() -> None:
    asked = [one.ask for half in HALVES for one in read_questions(half)]

    assert len(asked) == len(set(asked)) == 381


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


def asked(first: tuple[str, ...], contains: str | None = None, status: str = "success") -> RouteQuestion:
    return RouteQuestion("?", "default", "tuned", first, (status,), contains)  # type: ignore[arg-type]
