"""The memory index is built, rebuilt, purged and described."""

from array import array
from collections.abc import Sequence
from typing import NoReturn

import pytest

from satchel.domain.embedding import Space, Vector
from satchel.errors import EmbeddingFailed, Refused, Unavailable
from satchel.indexing.embed import BULK_BATCH_SIZE, BacklogResult
from satchel.indexing.memory_index import (
    PURGE_SECONDS,
    IndexedStore,
    catch_up,
    get_embedder,
)
from satchel.indexing.memory_upkeep import build, index_report, purge_index, rebuild, update_index
from satchel.indexing.values import IndexReport
from satchel.ports import CatchUp, Index, Ledger
from tests.indexing.parts import (
    LIMITS,
    OTHER,
    TOY,
    WIDE,
    WIDE_OTHER,
    Down,
    Lazy,
    Odd,
    Picky,
    ToldClock,
    Toy,
    WatchedIndex,
    Wide,
    code_of,
    derived,
    embedded,
    erase,
    keep,
    untouchable,
    vector_of,
)

# Build


def test_building_embeds_everything_and_optimizes_a_current_index(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    assert build(derived(ledger, Toy(), index), None) == BacklogResult(made=2)
    assert index.status().rows_with_vectors == 2
    assert index.log == ["catch up in toy", "optimize"]
    assert index.seconds == [None]


def test_building_tries_again_what_was_skipped(ledger: Ledger) -> None:
    keep(ledger, "too long", "a")
    assert build(derived(ledger, Picky()), None) == BacklogResult(made=1, skipped={"input_too_long": 1})
    assert build(derived(ledger, Toy()), None) == BacklogResult(made=1)


def test_building_with_an_embedder_that_is_down_fails_but_still_indexes(ledger: Ledger) -> None:
    keep(ledger, "a")
    build(derived(ledger, Toy()), None)
    keep(ledger, "new")
    index = WatchedIndex()
    with pytest.raises(Unavailable) as stopped:
        build(derived(ledger, Down(), index), None)
    assert stopped.value.code == "endpoint_unreachable"
    assert (index.status().rows, index.status().rows_with_vectors) == (2, 1)


def test_building_an_empty_store_does_nothing(ledger: Ledger) -> None:
    parts = IndexedStore(ledger, untouchable, lambda name: Toy(), LIMITS, ToldClock())
    assert build(parts, None) == BacklogResult()


def test_building_without_an_embedder_is_refused(ledger: Ledger) -> None:
    assert code_of(lambda: build(derived(ledger, None), None)) == "embedder_none"
    assert code_of(lambda: rebuild(derived(ledger, None), None, None)) == "embedder_none"


def test_progress_is_reported_for_embedding_and_indexing(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, what: str) -> None:
        told.append((done, total, what))

    build(derived(ledger, Toy()), progress)
    assert told == [(2, 2, "embedding"), (2, 2, "indexing")]


def test_an_embedder_is_found_by_name_or_is_the_store_s_own(ledger: Ledger) -> None:
    own, other = Toy(), Toy("other")
    parts = derived(ledger, own, others={"other": other})
    assert (get_embedder(parts), get_embedder(parts, "other")) == (own, other)


@pytest.mark.parametrize(("stranger", "asked"), [(Toy("other"), OTHER), (Wide("toy"), WIDE), (Lazy("other"), OTHER)])
def test_building_with_an_embedder_that_is_not_the_store_s_is_refused_and_changes_nothing(
    ledger: Ledger, stranger: Toy, asked: Space
) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    keep(ledger, "new")
    tip, index.log = ledger.feed.tip(), []
    with pytest.raises(Refused) as caught:
        build(derived(ledger, stranger, index), None)
    assert caught.value.code == "other_space"
    assert caught.value.hint
    assert (ledger.vectors.space(), ledger.feed.tip(), index.log) == (TOY, tip, [])
    assert (embedded(ledger), embedded(ledger, asked)) == ({"m00": vector_of("a")}, {})
    assert ledger.vectors.backlog(TOY) == (1, 0)


def test_building_embeds_a_word_first_if_the_dimensions_are_unknown(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index, embedder = WatchedIndex(), Lazy()
    assert build(derived(ledger, embedder, index), None) == BacklogResult(made=2)
    assert (len(embedder.calls[0]), embedder.calls[1:]) == (1, [["bb", "a"]])
    assert (ledger.vectors.space(), index.status().rows_with_vectors) == (TOY, 2)


def test_an_embedder_that_fails_to_give_its_dimensions_fails_with_its_own_code(ledger: Ledger) -> None:
    keep(ledger, "a")
    down = Down("timeout")
    down.dimensions = None
    parts = IndexedStore(ledger, untouchable, lambda name: down, LIMITS, ToldClock())
    assert code_of(lambda: build(parts, None)) == "timeout"
    assert code_of(lambda: rebuild(parts, None, None)) == "timeout"
    assert (ledger.vectors.space(), ledger.vectors.backlog(TOY)) == (None, (1, 0))


# Rebuild


def test_rebuilding_the_index_does_not_embed_again(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index, embedder = WatchedIndex(), Toy()
    build(derived(ledger, embedder, index), None)
    index.log.clear()
    assert rebuild(derived(ledger, embedder, index), None, None) == BacklogResult()
    assert index.log == ["drop", "catch up in toy", "optimize"]
    assert embedder.texts == ["bb", "a"]
    assert list(index.fingerprints()) == list(ledger.feed.fingerprints())


@pytest.mark.parametrize("kind", [Toy, Lazy])
def test_rebuilding_with_another_embedder_switches_the_store(ledger: Ledger, kind: type[Toy]) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    parts = derived(ledger, Toy(), index, others={"other": kind("other")})
    assert rebuild(parts, "other", None) == BacklogResult(made=2)
    assert ledger.vectors.space() == OTHER
    assert (embedded(ledger, TOY), len(embedded(ledger, OTHER))) == ({}, 2)
    assert (index.status().space, index.status().rows_with_vectors) == ("other", 2)


def test_the_store_switches_only_after_every_text_was_embedded_again(ledger: Ledger) -> None:
    keep(ledger, *(f"text {number}" for number in range(BULK_BATCH_SIZE + 4)))
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    index.log.clear()
    failing = Down("timeout", answers_first=1, name="other")
    assert code_of(lambda: rebuild(derived(ledger, Toy(), index, others={"o": failing}), "o", None)) == "timeout"
    # The old space is still complete, and the new vectors are kept.
    assert (ledger.vectors.space(), len(embedded(ledger, TOY)), len(embedded(ledger, OTHER))) == (
        TOY,
        BULK_BATCH_SIZE + 4,
        BULK_BATCH_SIZE,
    )
    assert (index.log, index.status().rows_with_vectors) == ([], BULK_BATCH_SIZE + 4)
    assert catch_up(derived(ledger, Toy(), index), "where?", 1.0).current

    mended = Toy("other")
    assert rebuild(derived(ledger, Toy(), index, others={"o": mended}), "o", None) == BacklogResult(made=4)
    assert len(mended.texts) == 4
    assert (ledger.vectors.space(), len(embedded(ledger, OTHER))) == (OTHER, BULK_BATCH_SIZE + 4)
    assert embedded(ledger, TOY) == {}


def test_after_the_switch_the_former_embedder_is_refused(ledger: Ledger) -> None:
    keep(ledger, "a")
    index, other = WatchedIndex(), Toy("other")
    build(derived(ledger, Toy(), index), None)
    rebuild(derived(ledger, Toy(), index, others={"other": other}), "other", None)
    assert catch_up(derived(ledger, Toy(), index), "where?", 1.0).warning.startswith("other_space: ")
    assert catch_up(derived(ledger, other, index), "where?", 1.0).current


def test_texts_skipped_by_the_new_embedder_are_counted_after_the_switch(ledger: Ledger) -> None:
    keep(ledger, "nan", "a")
    build(derived(ledger, Toy()), None)
    odd = Odd("other")
    assert rebuild(derived(ledger, Toy(), others={"o": odd}), "o", None) == BacklogResult(
        made=1, skipped={"not_finite": 1}
    )
    assert ledger.vectors.backlog(OTHER) == (0, 1)


def test_rebuilding_a_store_that_was_never_embedded_embeds_it(ledger: Ledger) -> None:
    keep(ledger, "a")
    assert rebuild(derived(ledger, Toy()), None, None) == BacklogResult(made=1)
    assert ledger.vectors.space() == TOY


@pytest.mark.parametrize("kind", [Toy, Lazy])
def test_rebuilding_an_empty_store_takes_the_embedder_s_space(ledger: Ledger, kind: type[Toy]) -> None:
    assert rebuild(derived(ledger, Toy(), others={"o": kind("other")}), "o", None) == BacklogResult()
    assert ledger.vectors.space() == OTHER


def test_rebuilding_replaces_vectors_of_the_same_name_and_another_length(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    wide = Wide()
    assert rebuild(derived(ledger, wide, index), None, None) == BacklogResult(made=2)
    assert (ledger.vectors.space(), ledger.vectors.backlog(WIDE)) == (WIDE, (0, 0))
    assert embedded(ledger, WIDE) == {"m00": wide.one("a"), "m01": wide.one("bb")}
    assert embedded(ledger, TOY) == {}
    assert index.status().rows_with_vectors == 2
    assert catch_up(derived(ledger, wide, index), "where?", 1.0).current


def test_vectors_of_different_dimensions_stay_separate_until_the_switch(
    ledger: Ledger,
) -> None:
    keep(ledger, *(f"text {number}" for number in range(BULK_BATCH_SIZE + 4)))
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    before = embedded(ledger)
    half_way = Down("timeout", answers_first=1, name="other")
    assert code_of(lambda: rebuild(derived(ledger, Toy(), index, others={"o": half_way}), "o", None)) == "timeout"
    assert len(embedded(ledger, OTHER)) == BULK_BATCH_SIZE

    class WideDown(Wide):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            raise EmbeddingFailed("it is down", code="timeout")

    wide_down = WideDown("other")
    assert code_of(lambda: rebuild(derived(ledger, Toy(), index, others={"o": wide_down}), "o", None)) == "timeout"
    assert (ledger.vectors.space(), embedded(ledger)) == (TOY, before)
    assert (len(embedded(ledger, OTHER)), embedded(ledger, WIDE_OTHER)) == (BULK_BATCH_SIZE, {})

    wide = Wide("other")
    assert rebuild(derived(ledger, Toy(), index, others={"o": wide}), "o", None) == BacklogResult(
        made=BULK_BATCH_SIZE + 4
    )
    assert ledger.vectors.space() == WIDE_OTHER
    assert [len(vector) for vector in embedded(ledger, WIDE_OTHER).values()] == [3] * (BULK_BATCH_SIZE + 4)
    assert (embedded(ledger), embedded(ledger, OTHER)) == ({}, {})


class Useless(Toy):
    """Returns a zero vector for every text."""

    def one(self, text: str) -> Vector:
        return array("f", [0.0, 0.0])


@pytest.mark.parametrize(
    ("useless", "code"),
    [
        (Down("bad_answer", name="other"), "bad_answer"),
        (Down("input_too_long", name="other"), "input_too_long"),
        (Useless("other"), "zero_vector"),
        (Down("endpoint_unreachable", name="other"), "endpoint_unreachable"),
    ],
)
def test_an_embedder_that_fails_on_every_text_replaces_no_vector(ledger: Ledger, useless: Toy, code: str) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    tip, before, index.log = ledger.feed.tip(), embedded(ledger), []
    assert code_of(lambda: rebuild(derived(ledger, Toy(), index, others={"o": useless}), "o", None)) == code
    assert (ledger.vectors.space(), embedded(ledger), ledger.feed.tip()) == (TOY, before, tip)
    assert (index.log, index.status().rows_with_vectors) == ([], 2)
    assert catch_up(derived(ledger, Toy(), index), "where?", 1.0).current


def test_an_embedder_that_fails_on_every_text_twice_replaces_no_vector(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    before, parts = embedded(ledger), derived(ledger, Toy(), index, others={"o": Useless("other")})
    assert code_of(lambda: rebuild(parts, "o", None)) == "zero_vector"
    assert code_of(lambda: rebuild(parts, "o", None)) == "zero_vector"
    assert (ledger.vectors.space(), embedded(ledger)) == (TOY, before)


def test_an_embedder_of_other_dimensions_that_is_down_replaces_no_vector(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index, down = WatchedIndex(), Down()
    build(derived(ledger, Toy(), index), None)
    before, down.dimensions = embedded(ledger), 3
    assert code_of(lambda: rebuild(derived(ledger, down, index), None, None)) == "endpoint_unreachable"
    assert (ledger.vectors.space(), embedded(ledger)) == (TOY, before)


def test_vectors_of_a_run_that_stopped_count_when_the_next_one_can_only_skip_the_rest(ledger: Ledger) -> None:
    keep(ledger, "nan", *(f"text {number}" for number in range(BULK_BATCH_SIZE)))
    build(derived(ledger, Toy()), None)
    stopped = Down("timeout", answers_first=1, name="other")
    assert code_of(lambda: rebuild(derived(ledger, Toy(), others={"o": stopped}), "o", None)) == "timeout"
    odd = Odd("other")
    assert rebuild(derived(ledger, Toy(), others={"o": odd}), "o", None) == BacklogResult(skipped={"not_finite": 1})
    assert (ledger.vectors.space(), ledger.vectors.count(OTHER), ledger.vectors.backlog(OTHER)) == (
        OTHER,
        BULK_BATCH_SIZE,
        (0, 1),
    )


def test_rebuilding_tries_again_what_was_skipped(ledger: Ledger) -> None:
    keep(ledger, "nan", "a")
    index = WatchedIndex()
    assert build(derived(ledger, Odd(), index), None) == BacklogResult(made=1, skipped={"not_finite": 1})
    able = Toy()
    assert rebuild(derived(ledger, able, index), None, None) == BacklogResult(made=1)
    assert (able.texts, ledger.vectors.backlog(TOY)) == (["nan"], (0, 0))
    assert index.status().rows_with_vectors == 2


def test_the_index_is_rebuilt_even_if_the_only_new_text_cannot_be_embedded(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    build(derived(ledger, Odd(), index), None)
    keep(ledger, "nan")
    assert rebuild(derived(ledger, Odd(), index), None, None) == BacklogResult(skipped={"not_finite": 1})
    assert (index.status().rows, index.status().rows_with_vectors) == (3, 2)


# Update


def test_an_index_that_cannot_catch_up_is_unavailable(ledger: Ledger) -> None:
    keep(ledger, "a")
    build(derived(ledger, Toy()), None)
    index = WatchedIndex(CatchUp(problem="in pieces"))
    assert code_of(lambda: update_index(derived(ledger, Toy(), index))) == "index_unusable"
    full = WatchedIndex(CatchUp(problem="the disk is full", code="disk_full"))
    assert code_of(lambda: update_index(derived(ledger, Toy(), full))) == "disk_full"
    assert index.log == ["catch up in toy"]


def test_a_store_without_vectors_needs_no_index_update(ledger: Ledger) -> None:
    keep(ledger, "a")
    update_index(IndexedStore(ledger, untouchable, lambda name: None, LIMITS, ToldClock()))


# Purge


def test_without_vectors_or_an_index_there_is_nothing_to_purge(ledger: Ledger) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    assert purge_index(derived(ledger, None, index))
    build(derived(ledger, Toy()), None)
    assert purge_index(derived(ledger, Toy(), index))
    assert index.log == []


def test_purging_removes_erased_records_from_the_index(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    erase(ledger, keep(ledger, "secret")[0])
    gone, *_ = [id for id, _ in ledger.feed.fingerprints()]
    erase(ledger, gone)
    assert purge_index(derived(ledger, Toy(), index))
    assert [id for id, _ in index.fingerprints()] == ["m01"]
    assert index.seconds[-1] == PURGE_SECONDS


@pytest.mark.parametrize("answer", [CatchUp(behind=1), CatchUp(problem="locked")])
def test_an_index_that_cannot_catch_up_is_not_purged(ledger: Ledger, answer: CatchUp) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    index.answer = answer
    assert not purge_index(derived(ledger, Toy(), index))


def test_an_index_of_a_store_without_a_space_is_purged_by_dropping_it(ledger: Ledger) -> None:
    gone, _ = keep(ledger, "a", "bb")
    index = WatchedIndex()
    index.catch_up(ledger.feed, TOY)
    erase(ledger, gone)
    assert (ledger.vectors.space(), index.status().rows) == (None, 2)
    assert purge_index(derived(ledger, None, index))
    assert (index.status().exists, list(index.fingerprints())) == (False, [])


# Report


def test_the_report_compares_vectors_and_index_with_the_ledger(ledger: Ledger) -> None:
    keep(ledger, "nan", "a", "bb")
    index = WatchedIndex()
    build(derived(ledger, Odd(), index), None)
    keep(ledger, "new")
    assert index_report(derived(ledger, Odd(), index)) == IndexReport(
        exists=True,
        rows=3,
        rows_with_vectors=2,
        behind=1,
        space="toy",
        vector_index="exact scan",
        unindexed_rows=0,
        fragments=0,
        versions=0,
        bytes=0,
        embeddings_waiting=1,
        embeddings_skipped=1,
        problem="",
        health="behind",
    )


def test_the_report_of_an_empty_store_is_empty(ledger: Ledger) -> None:
    assert index_report(derived(ledger)) == IndexReport(
        exists=False,
        rows=0,
        rows_with_vectors=0,
        behind=0,
        space=None,
        vector_index="exact scan",
        unindexed_rows=0,
        fragments=0,
        versions=0,
        bytes=0,
        embeddings_waiting=0,
        embeddings_skipped=0,
        problem="",
    )


def test_the_report_does_not_use_the_embedder(ledger: Ledger) -> None:
    def nobody(name: str | None) -> NoReturn:
        raise AssertionError("an embedder was called for")

    keep(ledger, "a")
    index: Index = WatchedIndex()
    assert index_report(IndexedStore(ledger, lambda: index, nobody, LIMITS, ToldClock())).embeddings_waiting == 1
