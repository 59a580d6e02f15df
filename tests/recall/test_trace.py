"""Tracing a record with a wrong, broken or outdated index, which tests through the façade cannot produce."""

from typing import Any

import pytest

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.policies import Policies
from satchel.domain.ranking import Candidate
from satchel.domain.record import MemoryId
from satchel.domain.view import admin_view
from satchel.indexing.memory_index import SearchReadiness
from satchel.recall.lanes import VectorQuery
from satchel.recall.recaller import CompletedRecall
from satchel.recall.request import build_request
from satchel.recall.trace import trace_record
from satchel.recall.values import RecordTrace
from satchel.recall.with_fallback import answer_with_fallback
from tests.recall.parts import EAST, NORTH, SPACE, VIEW, Broken, FixedIndex, give, keep, memory


def found(ledger: SqliteLedger, index: Any, id: str, **options: Any) -> RecordTrace:
    asked = build_request(
        "walrus",
        scope=None,
        limit=1,
        mode=options.get("mode", "hybrid"),
        kinds=(),
        media=None,
        min_relevance=None,
        untrusted=False,
        policies=Policies(),
        now=1_000,
    )
    query = VectorQuery(EAST, SPACE, index, options.get("current", True))
    answered = answer_with_fallback(asked, ledger, query)
    record = ledger.memories.fetch([MemoryId(id)], admin_view(VIEW.reach, 0))[MemoryId(id)]
    return trace_record(record, CompletedRecall(asked, ledger, SearchReadiness(), query, answered))


@pytest.fixture
def stocked(ledger: SqliteLedger) -> SqliteLedger:
    keep(ledger, memory("a", "the walrus"), memory("b", "a teapot"))
    give(ledger, {"a": EAST, "b": NORTH})
    return ledger


def test_a_record_that_differs_in_the_index_is_a_mismatch(stocked: SqliteLedger) -> None:
    at = found(stocked, FixedIndex(Candidate(MemoryId("a"), 1.0, "of another text")), "a", mode="vector")
    assert (at.mismatch, at.rank, at.returned) == (True, None, None)


def test_a_broken_index_is_reported_and_lexical_search_goes_on(stocked: SqliteLedger) -> None:
    at = found(stocked, Broken(), "b")
    assert {lane.lane: lane.problem for lane in at.lanes} == {"lexical": "no_common_word", "vector": "index_unusable"}
    assert found(stocked, Broken(), "a").returned == 1


def test_an_outdated_index_is_distinguished_from_a_low_rank(stocked: SqliteLedger) -> None:
    empty = InMemoryIndex()
    behind = found(stocked, empty, "b", mode="vector", current=False)
    assert (behind.lanes[0].problem, behind.lanes[0].score) == ("index_behind", 0.0)
    empty.catch_up(stocked.feed, SPACE)
    assert found(stocked, empty, "b", mode="vector").lanes[0].problem == ""


def test_the_traced_place_is_the_rank_in_a_longer_answer(stocked: SqliteLedger) -> None:
    index = InMemoryIndex()
    index.catch_up(stocked.feed, SPACE)
    at = found(stocked, index, "b")
    assert (at.returned, at.rank, at.place, at.ranked) == (None, 2, 2, 2)
    assert set(at.parts) == {"vector", "recency"}
