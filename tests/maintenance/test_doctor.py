"""What each part of a store looks like when it is well, and when it is not."""

from collections.abc import Iterable, Iterator
from typing import NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.domain.answers import HealthFinding
from satchel.domain.embedding import JUDGE_MODEL, ModelStatus, Space
from satchel.domain.hook_failures import HookFailures
from satchel.domain.record import MemoryId
from satchel.errors import Corrupt, EmbeddingFailed, Unavailable
from satchel.indexing.values import MoveProgress
from satchel.maintenance.doctor import (
    embeddings_finding,
    erasure_finding,
    hook_findings,
    index_findings,
    model_findings,
    move_findings,
    receipts_finding,
)
from satchel.ports import ChainState, Feed, FeedItem, Index, IndexStatus
from tests.tables import each_case

Rows = dict[str, str]


class FakeFeed:
    """A ledger of ids and hashes, and how far an index is behind it."""

    def __init__(self, rows: Rows, behind: int = 0) -> None:
        self._rows, self._behind = rows, behind

    def tip(self) -> int:
        return 9

    def behind(self, seq: int) -> int:
        return self._behind

    def since(self, seq: int, space: Space, limit: int) -> list[FeedItem]:
        return []

    def landmark(self) -> str:
        return "here"

    def has_landmark(self, landmark: str) -> bool:
        return True

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        yield from ((MemoryId(id), self._rows[id]) for id in sorted(self._rows))


class FakeIndex(InMemoryIndex):
    """An index that says of itself what it was told."""

    def __init__(self, rows: Rows, status: IndexStatus) -> None:
        super().__init__()
        self._fingerprints, self._status = FakeFeed(rows).fingerprints, status

    def status(self) -> IndexStatus:
        return self._status

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        return self._fingerprints()


class Unreadable(FakeIndex):
    """An index whose rows cannot be read, which shows only when one looks."""

    def fingerprints(self) -> Iterator[tuple[MemoryId, str]]:
        yield MemoryId("a"), "1"
        raise Unavailable("row 2 cannot be read")


def findings(ledger: Rows, index: Rows, status: IndexStatus | None = None, *, behind: int = 0) -> list[HealthFinding]:
    held: Index = FakeIndex(index, status or IndexStatus(exists=True, rows=len(index)))
    feed: Feed = FakeFeed(ledger, behind)
    return index_findings(held, feed)


def standing(some: Iterable[HealthFinding]) -> list[tuple[str, str]]:
    return [(one.check, one.status) for one in some]


# Receipts


def test_a_whole_chain_is_well() -> None:
    assert receipts_finding(ChainState(12, None)) == HealthFinding(
        "receipts", "ok", "the chain of 12 receipts is whole"
    )


def test_a_chain_of_one_is_in_the_singular() -> None:
    assert receipts_finding(ChainState(1, None)).message == "the chain of 1 receipt is whole"


def test_a_broken_chain_is_bad_and_says_where() -> None:
    finding = receipts_finding(ChainState(12, 5, "its body was changed"))
    assert standing([finding]) == [("receipts", "bad")]
    assert finding.message == "receipt 5: its body was changed"
    assert finding.fix


def test_a_chain_that_is_broken_at_nought_is_broken() -> None:
    assert receipts_finding(ChainState(0, 0, "the newest receipts were removed or added")).status == "bad"


# Embeddings


def test_vectors_for_every_text_are_well() -> None:
    assert embeddings_finding(0, 0, lambda: None) == HealthFinding("embeddings", "ok", "every text has its vector")


def test_texts_that_wait_are_well_and_counted() -> None:
    finding = embeddings_finding(7, 0, lambda: None)
    assert (finding.status, finding.message.split()[0]) == ("ok", "7")


@each_case("waiting", [0, 7])
def test_texts_that_got_no_vector_are_a_warning_with_a_way_out(waiting: int) -> None:
    finding = embeddings_finding(waiting, 3, lambda: None)
    assert (finding.status, finding.message.split()[0]) == ("warning", "3")
    assert "index build" in finding.fix


@each_case("kind", [Unavailable, EmbeddingFailed])
def test_an_embedder_that_does_not_answer_is_a_warning_whatever_the_counts(kind: type[Unavailable]) -> None:
    def fails() -> NoReturn:
        raise kind("nobody is there", hint="start it")

    for waiting, skipped in [(0, 0), (7, 0), (7, 3)]:
        assert embeddings_finding(waiting, skipped, fails) == HealthFinding(
            "embeddings", "warning", "nobody is there; recall works by words only", "start it"
        )


def test_damage_found_while_trying_the_embedder_is_not_taken_for_an_absent_one() -> None:
    def fails() -> NoReturn:
        raise Corrupt("the ledger is damaged")

    with pytest.raises(Corrupt):
        embeddings_finding(0, 0, fails)


# The index


def test_an_index_that_equals_the_ledger_is_well() -> None:
    assert findings({"a": "1", "b": "2"}, {"a": "1", "b": "2"}) == [
        HealthFinding("index", "ok", "all 2 rows equal the ledger")
    ]


def test_an_index_that_is_not_built_yet_is_well() -> None:
    assert standing(findings({"a": "1"}, {}, IndexStatus(exists=False))) == [("index", "ok")]


def test_an_index_that_is_behind_is_well_and_not_compared() -> None:
    (finding,) = findings({"a": "1", "b": "2"}, {"a": "old"}, behind=2)
    assert (finding.status, "2 changes behind" in finding.message) == ("ok", True)


@each_case(
    ("ledger", "index", "differing"),
    [
        ({"a": "1", "b": "2"}, {"a": "1"}, "b"),
        ({"a": "1"}, {"a": "1", "b": "2"}, "b"),
        ({"a": "1", "b": "2"}, {"b": "2"}, "a"),
        ({"b": "2"}, {"a": "1", "b": "2"}, "a"),
        ({"a": "1", "b": "2"}, {"a": "1", "b": "other"}, "b"),
        ({}, {"a": "1"}, "a"),
        ({"a": "1"}, {}, "a"),
        ({"a": "1", "c": "3"}, {"a": "1", "b": "2"}, "b"),
    ],
)
def test_an_index_that_differs_is_bad_and_names_the_first_difference(ledger: Rows, index: Rows, differing: str) -> None:
    (finding,) = findings(ledger, index)
    assert (finding.check, finding.status) == ("index", "bad")
    assert finding.message == f"differs from the ledger at {differing}"
    assert "doctor --fix" in finding.fix


def test_an_index_that_knows_its_own_problem_is_bad_even_when_it_does_not_exist() -> None:
    for exists in (True, False):
        (finding,) = findings({}, {}, IndexStatus(exists=exists, problem="a torn manifest"), behind=3)
        assert (finding.status, finding.message) == ("bad", "a torn manifest")


def test_an_index_that_cannot_be_read_is_bad() -> None:
    index = Unreadable({}, IndexStatus(exists=True, rows=2))
    (finding,) = index_findings(index, FakeFeed({"a": "1", "b": "2"}))
    assert (finding.status, finding.message) == ("bad", "row 2 cannot be read")


def test_traces_of_forgotten_memories_are_bad_until_they_are_cleared() -> None:
    assert (erasure_finding(0).status, erasure_finding(1).status) == ("ok", "bad")


@each_case("outgrown", [True, False])
def test_an_index_that_has_outgrown_the_exact_scan_is_a_warning(outgrown: bool) -> None:
    status = IndexStatus(exists=True, rows=1, rows_with_vectors=30_000, outgrown=outgrown)
    expected = [("index", "ok"), ("vector index", "warning")] if outgrown else [("index", "ok")]
    assert standing(findings({"a": "1"}, {"a": "1"}, status)) == expected


rows = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("12"), max_size=6)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(rows, rows)
def test_an_index_is_well_exactly_when_it_equals_the_ledger(ledger: Rows, index: Rows) -> None:
    (finding,) = findings(ledger, index)
    if ledger == index:
        assert finding.status == "ok"
    else:
        first = min(id for id in ledger.keys() | index.keys() if ledger.get(id) != index.get(id))
        assert (finding.status, finding.message) == ("bad", f"differs from the ledger at {first}")


@each_case(
    "models, found",
    [
        ([], []),
        ([ModelStatus(True, "m", "/m", 9)], [("embedding model", "ok")]),
        ([ModelStatus(False, "m", "/m", 0, "not installed")], []),
        ([ModelStatus(False, "m", "/m", 0, "model.onnx is damaged")], [("embedding model", "bad")]),
        (
            [ModelStatus(True, "m", "/m", 9), ModelStatus(False, JUDGE_MODEL, "/j", 0, "scores.npz is missing")],
            [("embedding model", "ok"), ("judge model", "bad")],
        ),
    ],
)
def test_a_damaged_model_is_bad_and_a_missing_one_is_left_to_the_embedder(
    models: list[ModelStatus], found: list[tuple[str, str]]
) -> None:
    assert [(one.check, one.status) for one in model_findings(models)] == found


def test_a_move_is_reported_with_its_progress() -> None:
    (finding,) = move_findings(MoveProgress("new", 1_200, 5_000), Space("old", 384))
    assert (finding.check, finding.status) == ("embedding space", "ok")
    assert finding.message == "1,200 of 5,000 texts have vectors of new; until all have, the vectors of old stay"
    assert move_findings(None, Space("old", 384)) == []


def test_failed_hooks_are_a_warning_until_they_are_cleared() -> None:
    failures = HookFailures(3, 0, 5_000, "claude-code", "Stop", "no room")
    (finding,) = hook_findings(failures, cleared=False)
    assert (finding.check, finding.status) == ("hooks", "warning")
    assert finding.message == "3 failed since 1970-01-01T00:00:00.000Z, last: Stop of claude-code: no room"
    (cleared,) = hook_findings(failures, cleared=True)
    assert (cleared.status, hook_findings(None, cleared=False)) == ("ok", [])
