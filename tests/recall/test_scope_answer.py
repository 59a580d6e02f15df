"""The answer within one view, and the account of every other candidate."""

from typing import Any

import pytest
from msgspec.structs import replace

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Candidate, Contribution
from satchel.domain.record import Label, MemoryId, State, Trust
from satchel.ports import Ledger
from satchel.recall.lanes import VectorQuery
from satchel.recall.prefetch import MAX_NAMED
from satchel.recall.request import parse_question
from satchel.recall.scope_answer import ScopeAnswer, answer_in_scope
from satchel.recall.values import HeldOut
from tests.recall.parts import EAST, NORTH, SPACE, VIEW, FixedIndex, give, keep, memory

TEA, COFFEE = memory("m1", "green tea"), memory("m2", "tea or coffee")
PLAIN = RecallPolicy(fusion="rrf", importance_weight=0.0, recency_weight=0.0)
GATED = replace(PLAIN, trust_gate=True)


@pytest.fixture
def stocked(ledger: Ledger) -> Ledger:
    keep(ledger, TEA, COFFEE)
    give(ledger, {"m1": EAST, "m2": NORTH})
    return ledger


def found(
    ledger: Ledger,
    index: InMemoryIndex | None = None,
    *,
    limit: int = 5,
    policy: RecallPolicy = PLAIN,
    query: str = "tea",
    mode: str = "hybrid",
) -> ScopeAnswer:
    if index is None:
        return answer_in_scope(parse_question(query, mode, limit), VIEW, ledger, None, policy)
    index.catch_up(ledger.feed, SPACE)
    return answer_in_scope(
        parse_question(query, mode, limit), VIEW, ledger, VectorQuery(EAST, SPACE, index, current=True), policy
    )


def ids(result: ScopeAnswer) -> list[str]:
    return [hit.memory.id for hit in result.hits]


def test_hits_are_ledger_records_with_rank_score_and_contributions(stocked: Ledger) -> None:
    both = found(stocked, InMemoryIndex())
    assert [(hit.memory, hit.rank, hit.score, hit.contributions) for hit in both.hits] == [
        (TEA, 1, 2 / 61, (Contribution("lexical", 1, 1.0, 1 / 61), Contribution("vector", 1, 1.0, 1 / 61))),
        (COFFEE, 2, 2 / 62, (Contribution("lexical", 2, 1.0, 1 / 62), Contribution("vector", 2, 0.0, 1 / 62))),
    ]
    assert (both.below_limit, both.held_out, both.mismatches) == ((), (), 0)


def test_matches_below_the_limit_are_named(stocked: Ledger) -> None:
    short = found(stocked, InMemoryIndex(), limit=1)
    assert ids(short) == ["m1"]
    assert [(one.id, one.score) for one in short.below_limit] == [("m2", 2 / 62)]


def test_only_the_best_matches_below_the_limit_are_named(ledger: Ledger) -> None:
    keep(ledger, *(memory(f"m{number:02}", "tea") for number in range(15)))
    assert [one.id for one in found(ledger, limit=1).below_limit] == [f"m{n:02}" for n in range(1, MAX_NAMED + 1)]


def test_excluded_matches_are_named_with_their_rule(ledger: Ledger) -> None:
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
    assert ids(result) == ["m1"]
    assert set(result.held_out) == {
        HeldOut(MemoryId("old"), "state"),
        HeldOut(MemoryId("bad"), "trust"),
        HeldOut(MemoryId("late"), "expired"),
        HeldOut(MemoryId("early"), "not_yet_valid"),
    }


def test_a_record_of_another_scope_is_neither_hit_nor_named(ledger: Ledger) -> None:
    keep(ledger, TEA, memory("secret", "tea", scope="team"))
    give(ledger, {"m1": EAST, "secret": EAST})
    result = found(ledger, FixedIndex(Candidate(MemoryId("secret"), 1.0, memory("secret", "tea").content_hash)))
    assert (result.hits, result.below_limit, result.held_out, result.mismatches) == ((), (), (), 1)


def test_a_candidate_that_is_not_in_the_ledger_is_a_mismatch(stocked: Ledger) -> None:
    forged = Candidate(MemoryId("nobody"), 9.0, "sha256:forged")
    result = found(stocked, FixedIndex(Candidate(TEA.id, 1.0, TEA.content_hash), matches=[forged]))
    assert (ids(result), result.mismatches) == (["m1"], 1)


def test_a_candidate_whose_text_changed_is_a_mismatch(stocked: Ledger) -> None:
    result = found(stocked, FixedIndex(Candidate(TEA.id, 1.0, "sha256:of an older text")))
    assert (result.hits, result.mismatches) == ((), 1)


def test_an_empty_store_has_no_hits(ledger: Ledger) -> None:
    assert found(ledger) == ScopeAnswer()


def test_the_same_question_gets_the_same_answer(stocked: Ledger) -> None:
    assert found(stocked, InMemoryIndex()) == found(stocked, InMemoryIndex())


class TestTrust:
    def test_untrusted_records_are_held_out_and_named_while_a_trusted_one_answers(self, ledger: Ledger) -> None:
        keep(ledger, memory("good", "tea", trust=Trust.TRUSTED), memory("doubtful", "tea tea"))
        result = found(ledger)
        assert ids(result) == ["good"]
        assert result.held_out == (HeldOut(MemoryId("doubtful"), "trust_gate"),)

    @pytest.mark.parametrize("quarantined", [0, MAX_NAMED - 1, MAX_NAMED, MAX_NAMED + 1])
    def test_held_out_untrusted_records_are_named_up_to_the_maximum(self, ledger: Ledger, quarantined: int) -> None:
        keep(ledger, memory("good", "tea", trust=Trust.TRUSTED))
        keep(ledger, *(memory(f"bad {number:02}", "tea", trust=Trust.QUARANTINED) for number in range(quarantined)))
        keep(ledger, *(memory(f"doubtful {number:02}", "tea") for number in range(MAX_NAMED + 1)))
        rules = [one.rule for one in found(ledger).held_out]
        named = min(quarantined, MAX_NAMED)
        assert rules == ["trust"] * named + ["trust_gate"] * (MAX_NAMED - named)

    def test_untrusted_records_answer_if_no_trusted_record_matches(self, ledger: Ledger) -> None:
        keep(ledger, memory("good", "coffee", trust=Trust.TRUSTED), memory("doubtful", "tea"))
        result = found(ledger)
        assert ids(result) == ["doubtful"]
        assert result.held_out == ()

    def test_an_irrelevant_trusted_record_does_not_close_the_gate(self, ledger: Ledger) -> None:
        keep(ledger, memory("good", "coffee", trust=Trust.TRUSTED), memory("doubtful", "tea"))
        give(ledger, {"good": NORTH, "doubtful": EAST})
        assert ids(found(ledger, InMemoryIndex())) == ["doubtful", "good"]

    def test_without_the_gate_untrusted_records_are_ranked_with_the_others(self, ledger: Ledger) -> None:
        keep(ledger, memory("good", "tea", trust=Trust.TRUSTED), memory("doubtful", "tea"))
        assert ids(found(ledger, policy=replace(PLAIN, trust_gate=False))) == ["doubtful", "good"]

    @pytest.mark.parametrize("gate", [True, False])
    def test_a_quarantined_record_is_never_returned(self, ledger: Ledger, gate: bool) -> None:
        keep(ledger, memory("bad", "tea", trust=Trust.QUARANTINED))
        give(ledger, {"bad": EAST})
        result = found(ledger, InMemoryIndex(), policy=replace(PLAIN, trust_gate=gate))
        assert (result.hits, result.held_out) == ((), (HeldOut(MemoryId("bad"), "trust"),))


class TestTiers:
    def test_ungraded_records_are_left_out_if_graded_ones_answer(self, ledger: Ledger) -> None:
        keep(
            ledger,
            memory("must", "tea", label=Label.MUST_REMEMBER),
            memory("nice", "tea", label=Label.NICE_TO_HAVE),
            memory("unknown", "tea"),
        )
        assert sorted(ids(found(ledger, limit=2))) == ["must", "nice"]
        assert sorted(ids(found(ledger, limit=3))) == ["must", "nice", "unknown"]

    def test_an_ungraded_record_that_answers_is_found_if_graded_ones_do_not(self, ledger: Ledger) -> None:
        keep(
            ledger,
            *(memory(f"must{n}", "coffee", label=Label.MUST_REMEMBER) for n in range(30)),
            memory("unknown", "tea"),
        )
        give(ledger, {f"must{n}": NORTH for n in range(30)} | {"unknown": EAST})
        assert ids(found(ledger, InMemoryIndex(), limit=3))[0] == "unknown"

    def test_unimportant_records_are_returned_only_if_nothing_else_is(self, ledger: Ledger) -> None:
        ignored = memory("ignored", "tea", label=Label.IGNORE)
        keep(ledger, ignored, memory("unknown", "coffee"))
        assert ids(found(ledger)) == ["ignored"]
        keep(ledger, memory("other", "tea"))
        assert ids(found(ledger)) == ["other"]

    def test_without_tiers_all_labels_are_ranked_together(self, ledger: Ledger) -> None:
        keep(ledger, memory("must", "tea", label=Label.MUST_REMEMBER), memory("ignored", "tea", label=Label.IGNORE))
        assert ids(found(ledger, limit=2, policy=replace(PLAIN, tiers=False))) == ["ignored", "must"]


def test_a_hit_below_the_minimum_relevance_is_left_out(ledger: Ledger) -> None:
    keep(ledger, TEA, memory("far", "coffee"))
    give(ledger, {"m1": EAST, "far": NORTH})
    strict = found(ledger, InMemoryIndex(), policy=replace(PLAIN, min_relevance=0.3))
    assert ids(strict) == ["m1"]
    assert [one.id for one in strict.below_limit] == ["far"]
    assert [(hit.memory.id, hit.rank) for hit in strict.nearest] == [("far", 2)]


def test_the_nearest_take_the_places_that_hits_leave(ledger: Ledger) -> None:
    keep(ledger, *(memory(f"m{number}", "coffee") for number in range(4)))
    give(ledger, {"m0": EAST} | {f"m{number}": NORTH for number in range(1, 4)})
    strict = found(ledger, InMemoryIndex(), limit=3, policy=replace(PLAIN, min_relevance=0.3))
    assert strict.hits == ()
    assert [(hit.memory.id, hit.rank) for hit in strict.nearest] == [("m0", 1), ("m1", 2), ("m2", 3)]
    assert found(ledger, InMemoryIndex(), policy=replace(PLAIN, min_relevance=0.0)).nearest == ()


class TestNeighbours:
    QUESTION = "which tea do you like?"
    ASKED = memory("asked", "which tea do you like?", session="s")

    def neighbours(self, ledger: Ledger) -> dict[str, float]:
        """Return what each hit gets from its neighbours."""
        result = found(ledger, InMemoryIndex(), policy=replace(PLAIN, fusion="scores"), query=self.QUESTION)
        parts = {hit.memory.id: hit.contributions for hit in result.hits}
        return {id: part.value for id, found in parts.items() for part in found if part.name == "neighbours"}

    def test_a_short_answer_is_found_through_the_memory_before_it(self, ledger: Ledger) -> None:
        keep(ledger, self.ASKED, memory("answer", "green", session="s"), memory("apart", "blue", session="s"))
        give(ledger, {"asked": EAST, "answer": NORTH, "apart": NORTH})
        assert self.neighbours(ledger).keys() == {"answer"}

    @pytest.mark.parametrize(
        "outside",
        [{"trust": Trust.QUARANTINED}, {"state": State.RETIRED}, {"scope": "team"}, {"valid_to": VIEW.now}],
    )
    def test_a_neighbour_outside_the_view_lends_nothing(self, ledger: Ledger, outside: dict[str, Any]) -> None:
        keep(ledger, replace(self.ASKED, **outside), memory("answer", "green", session="s"), TEA)
        give(ledger, {"asked": EAST, "answer": NORTH, "m1": EAST})
        assert self.neighbours(ledger) == {}

    def test_a_memory_outside_the_view_does_not_separate_neighbours(self, ledger: Ledger) -> None:
        hidden = memory("hidden", "tea", session="s", trust=Trust.QUARANTINED)
        keep(ledger, self.ASKED, hidden, memory("answer", "green", session="s"))
        give(ledger, {"asked": EAST, "hidden": EAST, "answer": NORTH})
        assert self.neighbours(ledger).keys() == {"answer"}

    def test_neighbours_of_different_tiers_lend_to_each_other(self, ledger: Ledger) -> None:
        graded = replace(self.ASKED, label=Label.MUST_REMEMBER)
        keep(ledger, graded, memory("answer", "green", session="s"))
        give(ledger, {"asked": EAST, "answer": NORTH})
        assert self.neighbours(ledger).keys() == {"answer"}


class TestContenders:
    """Untrusted records that answer clearly better than every trusted one."""

    def test_one_passes_the_gate_and_the_others_are_still_named(self, ledger: Ledger) -> None:
        keep(ledger, memory("good", "green tea shop", trust=Trust.TRUSTED))
        keep(ledger, memory("exact", "green tea brewing temperature"), memory("doubtful", "tea"))
        result = found(ledger, policy=GATED, query="green tea brewing temperature")
        assert ids(result) == ["exact", "good"]
        assert HeldOut(MemoryId("doubtful"), "trust_gate") in result.held_out
        assert HeldOut(MemoryId("exact"), "trust_gate") not in result.held_out

    def test_no_number_of_them_changes_which_trusted_records_answer(self, ledger: Ledger) -> None:
        keep(ledger, memory("good", "tea brewing", trust=Trust.TRUSTED))
        keep(ledger, *(memory(f"loud {number}", "green tea brewing temperature") for number in range(80)))
        result = found(ledger, policy=GATED, query="green tea brewing temperature", limit=50)
        assert "good" in ids(result)


def test_a_good_hit_is_listed_before_an_implausible_one_with_a_higher_score(ledger: Ledger) -> None:
    keep(ledger, memory("kettle", "the kettle", label=Label.MUST_REMEMBER), memory("harbour", "lisbon harbour"))
    give(ledger, {"kettle": EAST, "harbour": NORTH})
    policy = replace(PLAIN, tiers=False, trust_gate=False, importance_weight=3.0)
    result = found(ledger, InMemoryIndex(), policy=policy, query="lisbon harbour")
    assert [one.id for one in result.ranked] == ["kettle", "harbour"]
    assert [(hit.memory.id, hit.rank) for hit in result.hits] == [("harbour", 1), ("kettle", 2)]
