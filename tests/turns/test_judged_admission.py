"""A judge that reads prompt and memories together decides what is admitted; without one the other signals do."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.embedding import BUNDLED_MODEL
from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Memory, MemoryId, Trust
from satchel.errors import Unavailable
from satchel.turns.admission import (
    MAX_BEHIND_READ,
    MAX_READ_TRUSTED,
    MAX_READ_UNTRUSTED,
    MIN_READ,
    Judge,
    Prompt,
    Signals,
    admit,
    judged_log_odds,
    prior_log_odds,
)

ASKED = Prompt("who waters the plants?", own_log_odds=2.0, is_rated=True, gives_task=False)
YES, NO = 8.0, -8.0


def _hit(number: int, *, relevance: float = 0.3, trust: Trust = Trust.TRUSTED) -> Hit:
    memory = Memory(
        id=MemoryId(f"m{number}"),
        text=f"memory {number}",
        scope="global",
        created_at=number,
        updated_at=number,
        kind=Kind.FACT,
        trust=trust,
    )
    return Hit(memory, number, 1.0, (), relevance)


class FakeJudge:
    """Implements ports.PromptJudge: wants the memories that contain a word."""

    def __init__(self, word: str, space: str = BUNDLED_MODEL) -> None:
        self.space = space
        self.read: list[Sequence[Sequence[str]]] = []
        self._word = word

    def load(self) -> None: ...

    def judge(self, prompt: str, sets: Sequence[Sequence[str]]) -> list[tuple[float, ...]]:
        self.read.append(sets)
        return [tuple(YES if self._word in one else NO for one in memories) for memories in sets]


class BrokenJudge(FakeJudge):
    """Cannot be loaded."""

    def judge(self, prompt: str, sets: Sequence[Sequence[str]]) -> list[tuple[float, ...]]:
        raise Unavailable("the model is broken", code="judge_broken")


def _admitted(hits: Sequence[Hit], judge: Judge | None) -> list[str]:
    found = admit(hits, ASKED, 0.001, judge)
    return [hit.memory.id for hit in (*found.trusted, *found.untrusted)]


def test_what_is_far_behind_the_likeliest_is_not_read() -> None:
    likeliest, near, far = _hit(1, relevance=0.98), _hit(2, relevance=0.5), _hit(3, relevance=0.02)
    judge = FakeJudge("memory")

    assert prior_log_odds(likeliest, ASKED) - prior_log_odds(far, ASKED) > MAX_BEHIND_READ
    assert prior_log_odds(far, ASKED) > MIN_READ
    assert _admitted([likeliest, near, far], judge.judge) == ["m1", "m2"]
    assert judge.read == [[["memory 1", "memory 2"], []]]


def test_only_what_the_judge_wants_is_admitted() -> None:
    hits = [_hit(number) for number in range(1, 5)]

    assert _admitted(hits, FakeJudge("memory 3").judge) == ["m3"]
    assert _admitted(hits, FakeJudge("nothing").judge) == []


def test_a_judge_that_cannot_read_leaves_the_decision_to_the_other_signals() -> None:
    hits = [_hit(number) for number in range(1, 5)]

    assert _admitted(hits, lambda prompt, sets: None) == _admitted(hits, None) != []


def test_the_likelihood_of_everything_that_was_read_is_known() -> None:
    found = admit([_hit(1), _hit(2)], ASKED, 0.001, FakeJudge("memory 2").judge)

    assert found.likelihoods[MemoryId("m2")] > 0.5 > found.likelihoods[MemoryId("m1")]
    assert admit([_hit(1)], ASKED, 0.001).likelihoods == {}


def test_few_memories_are_read_and_agents_memories_take_no_place_of_others() -> None:
    agents = [_hit(number, relevance=0.9, trust=Trust.UNTRUSTED) for number in range(20)]
    own = [_hit(number) for number in range(20, 40)]
    judge = FakeJudge("memory")
    admit([*agents, *own], ASKED, 0.001, judge.judge)

    ((trusted, untrusted),) = judge.read
    assert [int(one.split()[1]) >= 20 for one in trusted] == [True] * MAX_READ_TRUSTED
    assert [int(one.split()[1]) < 20 for one in untrusted] == [True] * MAX_READ_UNTRUSTED


def test_nothing_is_read_if_no_memory_is_likely_enough() -> None:
    judge, distant = FakeJudge("memory"), _hit(1, relevance=0.0011)
    prompt = replace(ASKED, own_log_odds=-3.0)
    assert prior_log_odds(distant, prompt) < MIN_READ

    assert admit([distant], prompt, 0.001, judge.judge).trusted == ()
    assert judge.read == []


def test_every_signal_raises_the_log_odds_of_a_memory() -> None:
    def odds(*, relevance: float = -3.0, rule: bool = False, own: float = 0.0, judged: float = 0.0) -> float:
        return judged_log_odds(Signals(relevance, rule, False), replace(ASKED, own_log_odds=own), judged)

    assert odds() < min(odds(judged=1.0), odds(relevance=0.0), odds(rule=True), odds(own=1.0))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Satchel]:
    with Satchel.open(settings=load(home=str(tmp_path), recall={"catch_up_ms": 20_000})) as memory:
        memory.store("Nadia waters the plants when we travel.", kind="fact")
        memory.store("The plants on the balcony need water twice a day in July.", kind="fact")
        memory.maintenance.index_build()
        yield memory


def _with(store: Satchel, judge: FakeJudge) -> Satchel:
    return Satchel(replace(store.parts, judge=lambda: judge))


def test_the_receipt_says_what_the_judge_found(store: Satchel) -> None:
    answer = _with(store, FakeJudge("Nadia")).turns.before("who waters the plants?")
    decided: Any = answer.receipt.decided

    (entry,) = decided["injected"]
    assert entry["judged"] > 0.5
    assert [one["rule"] for one in decided["left_out"]] == ["not_needed"]


@pytest.mark.parametrize("judge", [FakeJudge("nothing", space="another"), BrokenJudge("nothing")])
def test_without_a_judge_for_the_vectors_the_turn_goes_on(store: Satchel, judge: FakeJudge) -> None:
    answer = _with(store, judge).turns.before("who waters the plants?")

    assert "Nadia" in answer.result.block
    assert any(one.startswith("judge_broken") for one in answer.receipt.warnings) == isinstance(judge, BrokenJudge)


def test_words_alone_are_not_judged(store: Satchel) -> None:
    judge = FakeJudge("nothing")

    assert "Nadia" in _with(store, judge).turns.before("who waters the plants?", mode="lexical").result.block
    assert judge.read == []
