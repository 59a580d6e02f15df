"""Passage search: lexical, neighbour, vector and prior contributions to the score."""

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import (
    ALTERNATIVE,
    EvidenceLane,
    Passage,
    PassageId,
    PassageView,
    embedding_spans,
    with_content_hash,
)
from satchel.domain.ranking import Contribution
from satchel.domain.record import Trust
from satchel.domain.scope import Reach
from satchel.errors import Unavailable
from satchel.ports import CatchUp, Embedded, IndexStatus, PassageFeed, Progress
from satchel.recall import passages as passage_search
from satchel.recall.passages import PassageVectorQuery, PassageWeights, ScoredPassage, search_passages, without_tail
from satchel.recall.request import Mode

SPACE = Space("toy", 2)
VIEW = PassageView(EvidenceLane.EPISODES, Reach(("here",)))
QUESTION: Vector = array("f", (1, 0))


class FixedIndex:
    """An index that returns given ids."""

    def __init__(self, *ids: str, broken: bool = False) -> None:
        self._ids, self._broken = ids, broken

    def nearest(self, vector: Vector, sight: PassageView, limit: int) -> list[PassageId]:
        if self._broken:
            raise Unavailable("it broke", code="index_unusable")
        return [PassageId(id) for id in self._ids][:limit]

    def catch_up(
        self, feed: PassageFeed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        return CatchUp()

    def optimize(self, *, only_if_due: bool = False) -> bool:
        return False

    def drop(self, *, only: str = "", seconds: float | None = None) -> None: ...

    def status(self) -> IndexStatus:
        return IndexStatus(exists=True)

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        return iter(())


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    opened = SqliteLedger()
    opened.vectors.adopt(SPACE)
    yield opened
    opened.close()


def keep(
    ledger: SqliteLedger, *texts: str, group: str = "talk", vectors: Mapping[int, tuple[float, float]] = {}
) -> None:
    kept = [
        with_content_hash(Passage(PassageId(f"{group}{place}"), EvidenceLane.EPISODES, "here", group, place, text))
        for place, text in enumerate(texts)
    ]
    ledger.passages.put(kept, [])
    waiting = {one.id: one for one in ledger.passages.vectors.pending(SPACE, 100)}
    made = [
        Embedded(one.id, one.content_hash, array("f", vectors[place]))
        for place in vectors
        if (one := waiting[f"{group}{place}#0"])  # type: ignore[index]
    ]
    ledger.passages.vectors.put(SPACE, made)


def found(ledger: SqliteLedger, *terms: str, mode: Mode = Mode.LEXICAL, near: FixedIndex | None = None) -> list[str]:
    query = None if near is None else PassageVectorQuery(QUESTION, SPACE, near)
    return [hit.passage.id for hit in search_passages(terms, mode, VIEW, 10, ledger.passages, query).hits]


def test_neighbours_of_a_match_get_a_share_that_falls_with_distance(ledger: SqliteLedger) -> None:
    keep(ledger, "one", "two", "the harbour", "three", "four", "five")

    assert found(ledger, "harbour") == ["talk2", "talk1", "talk3", "talk0", "talk4"]


def test_a_long_passage_gets_less_from_its_neighbours(ledger: SqliteLedger) -> None:
    keep(ledger, "word " * 400, "the harbour", "short")

    assert found(ledger, "harbour") == ["talk1", "talk2", "talk0"]


def test_the_lexical_score_of_a_long_passage_falls_with_its_length_if_asked_for(ledger: SqliteLedger) -> None:
    keep(ledger, "harbour " * 3 + "word " * 7, group="long")
    keep(ledger, "the harbour", group="short")

    def scores(weights: PassageWeights) -> dict[str, float]:
        answer = search_passages(("harbour",), Mode.LEXICAL, VIEW, 10, ledger.passages, None, weights=weights)
        return {str(hit.passage.id): hit.contributions[0].raw for hit in answer.hits}

    plain, damped = scores(PassageWeights()), scores(PassageWeights(half_match_words=10))

    assert damped == {
        "long0": pytest.approx(plain["long0"] / 2),
        "short0": pytest.approx(plain["short0"] / 1.2),
    }


def test_scores_are_not_shared_across_groups(ledger: SqliteLedger) -> None:
    keep(ledger, "the harbour", group="one")
    keep(ledger, "an answer", group="two")

    assert found(ledger, "harbour") == ["one0"]


def test_cosines_come_from_the_ledger_not_from_the_order_of_the_index(ledger: SqliteLedger) -> None:
    for group, vector in (("a", (0.0, 1.0)), ("b", (1.0, 0.0)), ("c", (0.6, 0.8))):
        keep(ledger, group, group=group, vectors={0: vector})

    assert found(ledger, mode=Mode.VECTOR, near=FixedIndex("a0", "b0", "c0")) == ["b0", "c0", "a0"]


def test_the_cosine_of_a_short_passage_is_smoothed_by_its_neighbours(ledger: SqliteLedger) -> None:
    for group, beside in (("far", (0.0, 1.0)), ("near", (1.0, 0.0))):
        keep(ledger, "question", "answer", group=group, vectors={0: beside, 1: (0.6, 0.8)})
    near = PassageVectorQuery(QUESTION, SPACE, FixedIndex("far1", "near1"))

    hits = search_passages((), Mode.VECTOR, VIEW, 10, ledger.passages, near).hits

    assert [hit.passage.id for hit in hits] == ["near1", "far1"]
    gained = {
        str(hit.passage.id): part.value for hit in hits for part in hit.contributions if part.name == "neighbours"
    }
    assert gained["near1"] > 0 > gained["far1"]


def test_what_comes_before_and_what_comes_after_have_weights_of_their_own(ledger: SqliteLedger) -> None:
    keep(ledger, "one", "two", "three", group="last", vectors={0: (0.0, 1.0), 1: (0.6, 0.8), 2: (1.0, 0.0)})
    keep(ledger, "one", "two", "three", group="first", vectors={0: (1.0, 0.0), 1: (0.6, 0.8), 2: (0.0, 1.0)})
    near = PassageVectorQuery(QUESTION, SPACE, FixedIndex("first1", "last1"))

    def best(before: float, after: float) -> PassageId:
        weights = PassageWeights(neighbour_cosines=(before, after))
        return search_passages((), Mode.VECTOR, VIEW, 10, ledger.passages, near, weights=weights).hits[0].passage.id

    assert (best(0.4, 0.1), best(0.1, 0.4)) == ("first1", "last1")


def test_a_long_neighbour_does_not_smooth_a_cosine(ledger: SqliteLedger) -> None:
    for group, length in (("long", 2_000), ("short", 1)):
        keep(ledger, "word " * length, "answer", group=group, vectors={0: (1.0, 0.0), 1: (0.6, 0.8)})
    near = PassageVectorQuery(QUESTION, SPACE, FixedIndex("long1", "short1"))

    assert [hit.passage.id for hit in search_passages((), Mode.VECTOR, VIEW, 10, ledger.passages, near).hits] == [
        "short1",
        "long1",
    ]


def test_an_invisible_passage_does_not_affect_its_neighbours(ledger: SqliteLedger) -> None:
    for group in "ab":
        keep(ledger, "question", "answer", group=group, vectors={0: (1.0, 0.0), 1: (0.6, 0.8)})
    hidden = ledger.passages.fetch([PassageId("b0")], VIEW)[PassageId("b0")]
    ledger.passages.put([with_content_hash(replace(hidden, trust=Trust.QUARANTINED))], [])
    near = PassageVectorQuery(QUESTION, SPACE, FixedIndex("a1", "b1"))

    hits = search_passages((), Mode.VECTOR, VIEW, 10, ledger.passages, near).hits

    assert [hit.passage.id for hit in hits] == ["a1", "b1"]
    assert "neighbours" not in {part.name for part in hits[1].contributions}


def test_spread_ranks_another_group_higher(ledger: SqliteLedger) -> None:
    keep(ledger, "harbour harbour", "harbour harbour", "harbour harbour", group="one")
    keep(ledger, "harbour harbour and quay", group="two")

    def ranked(spread: float) -> list[str]:
        hits = search_passages(("harbour",), Mode.LEXICAL, VIEW, 10, ledger.passages, None, spread=spread).hits
        assert all(hit.score == math.fsum(part.value for part in hit.contributions) for hit in hits)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        return [hit.passage.id for hit in hits]

    assert ranked(0.0) == ["one0", "one1", "one2", "two0"]
    assert ranked(0.5) == ["one0", "two0", "one1", "one2"]


def test_index_candidates_missing_in_the_ledger_are_counted_and_left_out(ledger: SqliteLedger) -> None:
    keep(ledger, "harbour", vectors={0: (1.0, 0.0)})
    near = PassageVectorQuery(QUESTION, SPACE, FixedIndex("talk0", "gone"))

    answer = search_passages(("harbour",), Mode.HYBRID, VIEW, 10, ledger.passages, near)

    assert ([hit.passage.id for hit in answer.hits], answer.mismatches) == (["talk0"], 1)


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.VECTOR])
def test_lexical_search_answers_if_the_index_fails(ledger: SqliteLedger, mode: Mode) -> None:
    keep(ledger, "harbour")
    near = PassageVectorQuery(QUESTION, SPACE, FixedIndex(broken=True))

    answer = search_passages(("harbour",), mode, VIEW, 10, ledger.passages, near)

    assert [hit.passage.id for hit in answer.hits] == ["talk0"]
    assert answer.problem == "it broke"
    assert answer.lexical_share == 1.0


def test_a_prior_is_one_more_contribution(ledger: SqliteLedger) -> None:
    keep(ledger, "harbour", "harbour harbour")

    def prior(weighed: Sequence[ScoredPassage]) -> Mapping[PassageId, Contribution]:
        return {PassageId("talk0"): Contribution("liked", None, 1.0, 5.0)}

    hits = search_passages(("harbour",), Mode.LEXICAL, VIEW, 10, ledger.passages, None, [prior]).hits

    assert hits[0].passage.id == "talk0"
    assert hits[0].contributions[-1] == Contribution("liked", None, 1.0, 5.0)
    assert all(hit.score == math.fsum(part.value for part in hit.contributions) for hit in hits)


def test_ties_break_by_id(ledger: SqliteLedger) -> None:
    for group in "cab":
        keep(ledger, "harbour", group=group)

    assert found(ledger, "harbour") == ["a0", "b0", "c0"]


def test_common_terms_are_skipped_if_they_match_too_many_passages(
    ledger: SqliteLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passage_search, "MAX_MATCHED", 3)
    for group in "abc":
        keep(ledger, "common", group=group)
    keep(ledger, "rare common", group="d")

    assert found(ledger, "common", "rare") == ["d0"]
    assert len(found(ledger, "common")) == 4


@given(st.text(st.characters(exclude_characters=ALTERNATIVE), max_size=3_000))
def test_the_parts_of_a_text_cover_all_of_it(text: str) -> None:
    one = Passage(PassageId("x"), EvidenceLane.DOCUMENTS, "here", "g", 0, text)
    cut = embedding_spans(one)

    assert "".join(text[start:end] for start, end in cut) == text
    assert len(cut) >= 1


class Found(Struct, frozen=True):
    score: float
    relevance: float


def test_the_tail_has_neither_relevance_nor_score() -> None:
    best, by_session, relevant, tail = Found(2.0, 0.5), Found(1.2, 0.001), Found(0.3, 0.05), Found(0.3, 0.001)
    hits = [best, by_session, relevant, tail]
    assert without_tail(hits, 0.02, rated=True) == [best, by_session, relevant]
    assert without_tail(hits, 0.02, rated=False) == hits
    assert without_tail([], 0.02, rated=True) == []
