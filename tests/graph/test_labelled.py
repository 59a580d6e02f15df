"""How well questions are answered: over a sample project with hand-made labels, in English and Chinese.

`questions.jsonl` was written with the rules, the others after them. Every answer to every question counts once, if it
is relevant enough to be one: less than 0.4 is a hint.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.graph_answers import Asked
from tests.graph.told import cases, remembered, unpacked

LEAST_PRECISION = 0.95
LEAST_RECALL = 0.85
ENOUGH = 0.4
SETS = ("questions.jsonl", "later.jsonl", "unseen.jsonl", "fresh.jsonl")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Satchel]:
    """A store that has read the sample project and the sample memories."""
    folder: Path = tmp_path_factory.mktemp("graph")
    with Satchel.open(settings=load(home=str(folder / "home"), embedding={"provider": "none"})) as memory:
        remembered(memory)
        memory.graph.extract(str(unpacked(folder)))
        memory.graph.extract(memories=True)
        yield memory


def _score(case: dict[str, Any], asked: Asked) -> tuple[int, int, int]:
    """Count the right answers, the wrong ones and the missing ones."""
    answers = [one for one in asked.answers if one.relevance >= ENOUGH]
    if "path" in case:
        found = [[one.name for one in answer.path.entities] for answer in answers[:1]]
        right = bool(found) and found[0] in case["path"]
        return int(right), int(bool(found) and not right), int(bool(case["path"]) and not right)
    got = {one.entity.name.casefold() for one in answers}
    want = {name.casefold() for name in case["want"]}
    return len(got & want), len(got - want), len(want - got)


@pytest.mark.parametrize("name", SETS)
def test_questions_get_the_right_answers_and_hardly_any_others(known: Satchel, name: str) -> None:
    scores = [_score(case, known.graph.ask(str(case["q"]), limit=100).result) for case in cases(name)]
    right, wrong, missing = (sum(score[place] for score in scores) for place in range(3))

    assert right / (right + wrong) >= LEAST_PRECISION
    assert right / (right + missing) >= LEAST_RECALL


def test_there_are_enough_questions_of_every_sort() -> None:
    together = [case for name in SETS for case in cases(name)]

    assert len(together) >= 200
    assert sum("path" in case for case in together) >= 15
    assert sum(not str(case["q"]).isascii() for case in together) >= 25
    assert len({case["q"] for case in together}) == len(together)


def test_every_answer_says_in_words_where_it_can_be_read(known: Satchel) -> None:
    for case in cases("questions.jsonl"):
        for answer in known.graph.ask(str(case["q"])).result.answers:
            assert answer.text and answer.citations and answer.path.hops == len(answer.path.ties) >= 1
            assert all(tie.citations for tie in answer.path.ties)
            assert 0.5 <= answer.relevance <= 1.0


def test_a_question_that_names_nothing_known_has_no_relevance(known: Satchel) -> None:
    asked = known.graph.ask("how do I bake bread?").result

    assert (asked.named, asked.answers, asked.relevance) == ((), (), 0.0)


def test_relevance_falls_with_the_length_of_the_path(known: Satchel) -> None:
    relevance = {
        question: known.graph.ask(question).result.relevance
        for question in (
            "relationship between Lighthouse and Buoy",
            "how is Lighthouse connected to Rust",
            "how is Lighthouse related to the Moon",
        )
    }

    assert list(relevance.values()) == [1.0, 0.9, 0.5]


def test_the_same_question_gets_the_same_bytes(known: Satchel) -> None:
    first, second = (known.graph.ask("path from harbor.cli to harbor.tariff.rate") for _ in range(2))

    assert first.result == second.result
    assert first.receipt.digest == second.receipt.digest


def test_an_idea_leads_to_projects_with_the_reasons(known: Satchel) -> None:
    matched = known.graph.match("store tides in PostgreSQL, read by apsw").result

    assert [one.project.name.casefold() for one in matched.recommendations] == ["harbor", "lighthouse"]
    assert all(path.text for one in matched.recommendations for path in one.paths)
    assert {path.entities[-1] for one in matched.recommendations for path in one.paths} == {
        one.project for one in matched.recommendations
    }
