"""Precision and recall of answers over a sample project with hand-made labels, in English and Chinese.

`questions.jsonl` was written with the rules, the other sets after them. Only answers with a relevance of at least 0.4
count.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.graph.values import GraphAnswers
from tests.graph.samples import labelled_questions, store_memories, write_project
from tests.tables import each_case

MIN_PRECISION = 0.95
MIN_RECALL = 0.85
MIN_RELEVANCE = 0.4
SETS = ("questions.jsonl", "later.jsonl", "unseen.jsonl", "fresh.jsonl")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Satchel]:
    """A store with the graph of the sample project and the sample memories."""
    folder: Path = tmp_path_factory.mktemp("graph")
    with Satchel.open(settings=load(home=str(folder / "home"), embedding={"provider": "none"})) as memory:
        store_memories(memory)
        memory.graph.extract(str(write_project(folder)))
        memory.graph.extract(memories=True)
        yield memory


def _score(case: dict[str, Any], asked: GraphAnswers) -> tuple[int, int, int]:
    """Count the right answers, the wrong ones and the missing ones."""
    answers = [one for one in asked.answers if one.relevance >= MIN_RELEVANCE]
    if "path" in case:
        found = [[one.name for one in answer.path.entities] for answer in answers[:1]]
        right = bool(found) and found[0] in case["path"]
        return int(right), int(bool(found) and not right), int(bool(case["path"]) and not right)
    got = {one.entity.name.casefold() for one in answers}
    want = {name.casefold() for name in case["want"]}
    return len(got & want), len(got - want), len(want - got)


@pytest.mark.parametrize("name", SETS)
def test_answers_reach_precision_and_recall(known: Satchel, name: str) -> None:
    scores = [_score(case, known.graph.ask(str(case["q"]), limit=100).result) for case in labelled_questions(name)]
    right, wrong, missing = (sum(score[place] for score in scores) for place in range(3))

    assert right / (right + wrong) >= MIN_PRECISION
    assert right / (right + missing) >= MIN_RECALL


def test_the_sets_cover_every_kind_of_question() -> None:
    together = [case for name in SETS for case in labelled_questions(name)]

    assert len(together) >= 200
    assert sum("path" in case for case in together) >= 15
    assert sum(not str(case["q"]).isascii() for case in together) >= 25
    assert len({case["q"] for case in together}) == len(together)


def test_every_answer_has_words_and_citations(known: Satchel) -> None:
    for case in labelled_questions("questions.jsonl"):
        for answer in known.graph.ask(str(case["q"])).result.answers:
            assert answer.text and answer.citations and answer.path.hops == len(answer.path.ties) >= 1
            assert all(tie.citations for tie in answer.path.ties)
            assert 0.5 <= answer.relevance <= 1.0


def test_a_question_that_names_no_known_entity_has_no_relevance(known: Satchel) -> None:
    asked = known.graph.ask("how do I bake bread?").result

    assert (asked.named, asked.answers, asked.relevance) == ((), (), 0.0)


def test_relevance_falls_with_path_length(known: Satchel) -> None:
    relevance = {
        question: known.graph.ask(question).result.relevance
        for question in (
            "relationship between Lighthouse and Buoy",
            "how is Lighthouse connected to Rust",
            "how is Lighthouse related to the Moon",
        )
    }

    assert list(relevance.values()) == [1.0, 0.9, 0.5]


def test_being_in_the_same_file_is_only_a_hint(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("class OrderBook:\n    pass\n\n\nclass TaxTable:\n    pass\n", encoding="utf-8")
    memory.graph.extract(str(tmp_path))
    found = memory.graph.ask("relationship between OrderBook and TaxTable").result

    assert found.answers[0].path.arrows == "shop.OrderBook <-CONTAINS- shop -CONTAINS-> shop.TaxTable"
    assert found.relevance == 0.3


@each_case(
    ("question", "relevance"),
    [
        ("how does Till relate to Ledger", 1.0),
        ("how does Counter relate to Ledger", 0.9),
        ("how does Ledger relate to Oven", 0.3),  # both are imported by the same module
        ("how does Baker relate to Mirror", 0.3),  # both are in the same folder
        ("how does Till relate to Mirror", 0.3),
        ("how does Street relate to Counter", 0.9),  # it uses the base of the counter
        ("how does Counter relate to Kiosk", 0.3),  # both have the same base
    ],
)
def test_standing_beside_the_same_thing_is_no_relation(
    memory: Satchel, tmp_path: Path, question: str, relevance: float
) -> None:
    for path, text in {
        "shop/__init__.py": "",
        "shop/ledger.py": "class Ledger:\n    pass\n",
        "shop/oven.py": "class Oven:\n    pass\n",
        "shop/till.py": "from shop.ledger import Ledger\n\n\nclass Till(Ledger):\n    pass\n",
        "shop/front.py": "from shop.till import Till\n\n\nclass Counter(Till):\n    pass\n",
        "shop/kiosk.py": "from shop.till import Till\n\n\nclass Kiosk(Till):\n    pass\n",
        "street.py": "from shop.till import Till\n\n\nclass Street:\n    till: Till\n",
        "shop/day.py": "from shop.ledger import Ledger\nfrom shop.oven import Oven\n",
        "shop/people.py": "class Baker:\n    pass\n",
        "shop/mirror.py": "class Mirror:\n    pass\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    memory.graph.extract(str(tmp_path))

    assert memory.graph.ask(question).result.relevance == relevance


def test_the_same_question_gets_the_same_bytes(known: Satchel) -> None:
    first, second = (known.graph.ask("path from harbor.cli to harbor.tariff.rate") for _ in range(2))

    assert first.result == second.result
    assert first.receipt.digest == second.receipt.digest


def test_an_idea_matches_projects_with_paths(known: Satchel) -> None:
    matched = known.graph.match("store tides in PostgreSQL, read by apsw").result

    assert [one.project.name.casefold() for one in matched.recommendations] == ["harbor", "lighthouse"]
    assert all(path.text for one in matched.recommendations for path in one.paths)
    assert {path.entities[-1] for one in matched.recommendations for path in one.paths} == {
        one.project for one in matched.recommendations
    }
