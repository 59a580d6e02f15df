"""The answer, and what became of every other candidate."""

from dataclasses import replace

import pytest

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.domain.answers import HeldOut
from satchel.domain.ranking import Candidate, Contribution, Hit
from satchel.domain.record import MemoryId, State, Trust
from satchel.ports import Ledger
from satchel.recall.answer import NAMED_OTHERS, Answer, answer, considered, decided
from satchel.recall.lanes import Meaning
from satchel.recall.question import ask

from .parts import EAST, NORTH, SPACE, VIEW, Broken, Forgery, give, keep, memory

TEA, COFFEE = memory("m1", "green tea"), memory("m2", "tea or coffee")


@pytest.fixture
def stocked(ledger: Ledger) -> Ledger:
    keep(ledger, TEA, COFFEE)
    give(ledger, {"m1": EAST, "m2": NORTH})
    return ledger


def found(ledger: Ledger, index: InMemoryIndex | None = None, *, limit: int = 5) -> Answer:
    if index is None:
        return answer(ask("tea", "hybrid", limit), VIEW, ledger, None, "rrf")
    index.catch_up(ledger.feed, SPACE)
    return answer(ask("tea", "hybrid", limit), VIEW, ledger, Meaning(EAST, SPACE, index, current=True), "rrf")


def test_hits_are_the_ledger_s_records_with_rank_score_and_reasons(stocked: Ledger) -> None:
    both = found(stocked, InMemoryIndex())
    assert both.hits == (
        Hit(TEA, 1, 2 / 61, (Contribution("lexical", 1, 1.0, 1 / 61), Contribution("vector", 1, 1.0, 1 / 61))),
        Hit(COFFEE, 2, 2 / 62, (Contribution("lexical", 2, 1.0, 1 / 62), Contribution("vector", 2, 0.0, 1 / 62))),
    )
    assert (both.below_limit, both.held_out, both.strays) == ((), (), 0)


def test_what_does_not_fit_the_limit_is_named_below_it(stocked: Ledger) -> None:
    short = found(stocked, InMemoryIndex(), limit=1)
    assert [hit.memory.id for hit in short.hits] == ["m1"]
    assert [(one.id, one.score) for one in short.below_limit] == [("m2", 2 / 62)]


def test_matching_records_that_a_rule_keeps_out_are_named_with_the_rule(ledger: Ledger) -> None:
    keep(
        ledger,
        TEA,
        memory("old", "tea", state=State.RETIRED),
        memory("bad", "tea", trust=Trust.QUARANTINED),
        memory("late", "tea", valid_to=VIEW.now),
        memory("early", "tea", valid_from=VIEW.now + 1),
        memory("elsewhere", "tea", scope="team"),
        memory("unrelated", "coffee", state=State.RETIRED),
    )
    result = found(ledger)
    assert [hit.memory.id for hit in result.hits] == ["m1"]
    assert set(result.held_out) == {
        HeldOut(MemoryId("old"), "state"),
        HeldOut(MemoryId("bad"), "trust"),
        HeldOut(MemoryId("late"), "expired"),
        HeldOut(MemoryId("early"), "not_yet_valid"),
    }


def test_a_record_of_another_scope_is_neither_hit_nor_named(ledger: Ledger) -> None:
    keep(ledger, memory("secret", "tea", scope="team"))
    give(ledger, {"secret": EAST})
    result = found(ledger, Forgery(Candidate(MemoryId("secret"), 1.0, memory("secret", "tea").content_hash)))
    assert (result.hits, result.below_limit, result.held_out, result.strays) == ((), (), (), 1)


def test_a_candidate_that_is_not_in_the_ledger_is_a_stray(stocked: Ledger) -> None:
    forged = Candidate(MemoryId("nobody"), 9.0, "sha256:forged")
    result = found(stocked, Forgery(Candidate(TEA.id, 1.0, TEA.content_hash), by_word=[forged]))
    assert ([hit.memory.id for hit in result.hits], result.strays) == (["m1"], 1)


def test_a_candidate_whose_text_is_no_longer_the_same_is_a_stray(stocked: Ledger) -> None:
    result = found(stocked, Forgery(Candidate(TEA.id, 1.0, "sha256:of an older text")))
    assert (result.hits, result.strays) == ((), 1)


def test_an_empty_store_answers_with_nothing(ledger: Ledger) -> None:
    result = found(ledger)
    assert (result.hits, result.below_limit, result.held_out, result.strays) == ((), (), (), 0)


def test_the_same_question_is_answered_the_same(stocked: Ledger) -> None:
    assert found(stocked, InMemoryIndex()) == found(stocked, InMemoryIndex())


def test_a_receipt_counts_the_candidates_of_each_lane(stocked: Ledger) -> None:
    assert considered(found(stocked, InMemoryIndex())) == {"lexical": 2, "vector": 2, "lexical_source": "index"}
    assert considered(found(stocked)) == {"lexical": 2, "lexical_source": "ledger"}
    assert considered(found(stocked, Broken())) == {"lexical": 2, "lexical_source": "ledger"}


def test_a_receipt_says_what_was_returned_and_what_was_not_without_any_text(stocked: Ledger) -> None:
    keep(stocked, replace(memory("old", "tea"), state=State.RETIRED))
    facts = decided(found(stocked, InMemoryIndex(), limit=1))
    assert facts == {
        "fusion": "rrf",
        "hits": [
            {
                "id": "m1",
                "score": 2 / 61,
                "lanes": {"lexical": {"rank": 1, "score": 1.0}, "vector": {"rank": 1, "score": 1.0}},
            }
        ],
        "below_limit": [{"id": "m2", "score": 2 / 62}],
        "held_out": [{"id": "old", "rule": "state"}],
    }
    assert "tea" not in str(facts)


def test_a_receipt_names_only_the_best_of_those_below_the_limit(ledger: Ledger) -> None:
    keep(ledger, *(memory(f"m{number:02}", "tea") for number in range(15)))
    result = found(ledger, limit=1)
    below = decided(result)["below_limit"]
    assert [one.id for one in result.below_limit] == [f"m{number:02}" for number in range(1, 11)]
    assert below == [{"id": one.id, "score": one.score} for one in result.below_limit[:NAMED_OTHERS]]
