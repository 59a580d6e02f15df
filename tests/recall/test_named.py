"""A number, version or key that a question states decides between memories that are otherwise alike."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.ranking import Contribution, Ranked
from satchel.domain.record import MemoryId
from satchel.recall.named import NAMED, NUMBER_ALONE, add_named, name_strengths, stated_names
from tests.recall.named_cases import DEVELOPED, HELD, STORES, NamedCase
from tests.recall.parts import memory
from tests.tables import each_case, fresh_folder

CASES = (*DEVELOPED, *HELD)
# By words alone a count is as good as any other word.
BY_WORDS = tuple(case for case in CASES if case.store != "life")


def open_store(folder: Path, texts: tuple[str, ...]) -> Satchel:
    opened = Satchel.open(settings=load(home=str(folder), recall={"catch_up_ms": 60_000}))
    for text in texts:
        opened.store(text)
    opened.maintenance.index_build()
    return opened


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Satchel]]:
    """Every store of the cases, with the bundled encoder."""
    parent = tmp_path_factory.mktemp("named")
    with ExitStack() as stack:
        yield {name: stack.enter_context(open_store(fresh_folder(parent), texts)) for name, texts in STORES.items()}


def first_text(store: Satchel, question: str, mode: str) -> str:
    return next((hit.memory.text for hit in store.recall(question, mode=mode).result.hits), "")


@each_case("case", CASES, ids=[case.question for case in CASES])
def test_the_memory_with_the_stated_number_comes_first(stores: dict[str, Satchel], case: NamedCase) -> None:
    assert first_text(stores[case.store], case.question, "hybrid").startswith(case.first)


@each_case("case", BY_WORDS, ids=[case.question for case in BY_WORDS])
def test_by_words_too(stores: dict[str, Satchel], case: NamedCase) -> None:
    assert first_text(stores[case.store], case.question, "lexical").startswith(case.first)


def test_it_is_the_most_relevant_and_the_others_are_less_relevant_than_without_it(stores: dict[str, Satchel]) -> None:
    hits = stores["issues"].recall("what was issue 489 about?").result.hits
    assert hits[0].memory.text.startswith("Issue 489")
    assert hits[0].relevance > 0.6
    assert max(hit.relevance for hit in hits[1:]) < 0.5


def test_a_turn_puts_the_named_issue_in_front_of_the_prompt(stores: dict[str, Satchel]) -> None:
    for number in range(480, 500):
        block = stores["issues"].turn.before(f"fix issue {number} please").result.block
        assert f"Issue {number}" in block


def test_an_important_memory_does_not_hide_the_named_one(tmp_path: Path) -> None:
    with open_store(tmp_path / "graded", ()) as store:
        for text in STORES["issues"]:
            store.store(text, importance=None if text.startswith("Issue 489") else 0.9)
        assert first_text(store, "what was issue 489 about?", "hybrid").startswith("Issue 489")


def test_turns_and_documents_with_the_number_come_first(stores: dict[str, Satchel]) -> None:
    store, texts = stores["life"], STORES["issues"]
    store.episodes.add(turns=[{"text": text, "session": f"s{place}"} for place, text in enumerate(texts)])
    store.documents.add([{"ref": f"n{place}.md", "text": text} for place, text in enumerate(texts)], collection="notes")
    for number in (480, 489, 497):
        question = f"what was issue {number} about?"
        assert store.episodes.search(question).result.hits[0].text.startswith(f"Issue {number}")
        assert store.documents.search(question).result.hits[0].text.startswith(f"Issue {number}")


def test_a_search_by_meaning_alone_does_not_ask_for_the_number(stores: dict[str, Satchel]) -> None:
    hits = stores["issues"].recall("what was issue 489 about?", mode="vector").result.hits
    assert all(hit.raw(NAMED) is None for hit in hits)


def test_a_number_that_no_memory_contains_changes_nothing(stores: dict[str, Satchel]) -> None:
    hits = stores["issues"].recall("what was issue 777 about?").result.hits
    assert hits
    assert all(hit.raw(NAMED) is None for hit in hits)


@each_case(
    ("question", "text", "strength"),
    [
        ("issue 489", "Issue 489: login", 1.0),
        ("issue 489", "Issues #489 and #490", 1.0),
        ("issue 489", "issue no. 489", 1.0),
        ("issue 489", "Issue 4890", 0.0),
        ("340 francs", "1,340 segments", 0.0),
        ("issue 489", "Bug 489", NUMBER_ALONE),
        ("issues 485 and 489", "Issue 489", 1.0),
        ("#489", "Issue 489", NUMBER_ALONE),
        ("#489", "see #489", 1.0),
        ("close #17", "Ticket 17", NUMBER_ALONE),
        ("decided on March 24", "On March 24 we met", 1.0),
        ("release 1.2", "Release 1.2 is out", 1.0),
        ("release 1.2", "Release 1.2.5 is out", 0.0),
        ("release 1.2", "Release 2.1 is out", 0.0),
        ("release 1.2", "Release v1.2 is out.", 1.0),
        ("release 1.2", "items 1, 2", 0.0),
        ("PAY-318", "pay 318 is done", 1.0),
        ("PAY-318", "PAY-3180", 0.0),
        ("PAY-318", "OPS-318", 0.0),
        ("E4012", "error e-4012", 1.0),
        ("on 2026-03-14", "2026-03-14: moved", NUMBER_ALONE),
        ("on 2026-03-14", "2026-03-15: moved", 0.0),
        ("问题489是什么", "问题489：登录", 1.0),
        ("第17号工单", "第17号", 1.0),
        ("по задаче 489", "Задача 489", 1.0),
    ],
)
def test_a_name_is_found_as_it_is_written(question: str, text: str, strength: float) -> None:
    assert max(name_strengths(stated_names(question), text)) == strength


@each_case(
    "question",
    [
        "top 3 books",
        "2 weeks ago",
        "in 2024",
        "in May 2024",
        "about 500 people",
        "until April 9",
        "it's 2 in the morning",
        "no digits",
    ],
)
def test_counts_and_years_are_not_names(question: str) -> None:
    assert stated_names(question) == ()


def test_a_memory_with_both_numbers_comes_before_a_memory_with_one() -> None:
    texts = {"one": "Issue 485 is open", "both": "Issue 489 repeats issue 485", "none": "Issue 499 is open"}
    records = {MemoryId(id): memory(id, text) for id, text in texts.items()}
    ranked = [
        Ranked(id, (Contribution("vector", 1, 1.0, score),)) for id, score in zip(records, (0.8, 0.7, 0.9), strict=True)
    ]
    assert [one.id for one in add_named(ranked, records, stated_names("issues 485 and 489"))] == ["both", "one", "none"]
