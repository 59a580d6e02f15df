"""Stores with prompts that teach the judge, and what varying them keeps."""

from typing import Any

import numpy as np
from bench.turns import read_cases
from training.judge_examples import MOST, Example, Examples, Variation, as_read, of_places
from training.judge_prepare import STORES, read_rows
from training.judge_weigh import examples as weighed
from training.judge_weigh import fitted

KEPT = Variation(without_wanted=0.0, elsewhere=0.0, general=0.0, questions=0.0)
ASKED: dict[str, Any] = {"prompt": [7], "family": "direct", "wanted": [2], "fine": [3], "found": [2, 3, 0, 1, 4, 5]}


def _store(first: int) -> dict[str, Any]:
    return {"memories": [[first + place] for place in range(6)], "prompts": [ASKED]}


def _wanted(one: Example) -> list[Any]:
    return [one.memories[place] for place in one.wanted]


def test_every_label_names_a_memory_and_nothing_is_from_the_benchmark() -> None:
    rows, known = read_rows(STORES), read_cases()
    measured = {one.text for case in known for one in case.memories}

    assert len(rows) > 400 and len({row["store"] for row in rows}) == len(rows)
    for row in rows:
        ids = {one["id"] for one in row["memories"]}
        assert len(ids) == len(row["memories"])
        assert measured.isdisjoint(one["text"] for one in row["memories"])
        for one in row["prompts"]:
            assert ids.issuperset({*one["wanted"], *one["fine"]})
            assert bool(one["wanted"]) == (one["family"] != "off-topic")


def test_the_wanted_memory_is_among_a_few_others_in_any_order() -> None:
    made = Examples([_store(10)], [], [], KEPT)
    several = [one for _ in range(50) for one in made.epoch()]

    assert all(_wanted(one) == [[12]] and len(one.memories) <= MOST for one in several)
    assert {min(one.wanted) for one in several} == set(range(MOST))


def test_how_many_memories_are_read_does_not_tell_whether_one_is_wanted() -> None:
    unneeded = {**ASKED, "family": "off-topic", "wanted": [], "fine": []}
    made = [Examples([{**_store(10), "prompts": [one]}], [], [], KEPT) for one in (ASKED, unneeded)]
    counts = [{len(one.memories) for _ in range(100) for one in several.epoch()} for several in made]

    assert counts == [set(range(1, MOST + 1))] * 2


def test_without_the_wanted_memory_none_is_wanted() -> None:
    varied = Variation(without_wanted=1.0, elsewhere=0.0, general=0.0, questions=0.0)
    (one,) = Examples([_store(10)], [], [], varied).epoch()

    assert not one.wanted and [12] not in one.memories


def test_in_another_store_and_for_a_general_prompt_none_is_wanted() -> None:
    varied = Variation(without_wanted=0.0, elsewhere=1.0, general=1.0, questions=0.0)
    general = [{"prompt": [8], "near": [[40], [41]]}]
    several = Examples([_store(10), _store(20)], [], general, varied).epoch()

    assert sum(bool(one.wanted) for one in several) < len(several)
    assert all(not one.wanted for one in several if one.prompt == [8])


def test_a_prompt_is_read_as_in_the_product() -> None:
    groups = as_read(_store(10), ASKED, 6)

    assert [one.memories for one in groups] == [([12], [13], [10]), ([11], [14], [15])]
    assert groups[0].wanted == {0} and groups[0].fine == {1}


def test_what_is_fine_is_neither_wanted_nor_not() -> None:
    one = of_places(_store(10), ASKED, [3, 2])
    assert one.wanted == {1} and one.fine == {0}

    prompt = {"judged": [3.0, 1.0, -2.0], "is_wanted": [True, False, False], "is_fine": [False, True, False]}
    known = {"relevance": [0.0] * 3, "is_rule": [False] * 3, "own": 1.0}
    assert [wanted for _, wanted, _ in weighed([{**prompt, **known}])] == [1.0, 0.0]


def test_a_signal_that_tells_the_wanted_apart_gets_a_weight() -> None:
    inputs = np.array([[1.0, 2.0], [1.0, -2.0], [1.0, 1.0], [1.0, -1.0]])
    found = fitted(inputs, np.array([1.0, 0.0, 1.0, 0.0]), np.ones(4))

    assert found[1] > 1 and abs(found[0]) < 1e-6
