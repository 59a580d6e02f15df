"""Vectors and the memory index catch up with the ledger before a search."""

from typing import cast

import pytest

from satchel.domain.embedding import Space, clamp
from satchel.indexing.embed import BATCH_SIZE
from satchel.indexing.memory_index import (
    MIN_CATCH_UP_SECONDS,
    IndexedStore,
    SearchReadiness,
    catch_up,
    current_index,
)
from satchel.indexing.memory_upkeep import build
from satchel.ports import CatchUp, Ledger
from satchel.threads import embedding_turn
from tests.indexing.parts import (
    LIMITS,
    OTHER,
    TOY,
    WIDE,
    WIDE_OTHER,
    Down,
    Lazy,
    Odd,
    ToldClock,
    Toy,
    WatchedIndex,
    Wide,
    derived,
    embedded,
    keep,
    untouchable,
    vector_of,
)

# Catch up


def test_catching_up_embeds_and_indexes_new_texts(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    index = WatchedIndex()
    ready = catch_up(derived(ledger, Toy(), index), "where?", 1.0)
    assert ready == SearchReadiness(vector_of("where?"), TOY, current=True, waiting=0, behind=0, tip=ledger.feed.tip())
    assert embedded(ledger) == {"m00": vector_of("a"), "m01": vector_of("bb")}
    assert list(index.fingerprints()) == list(ledger.feed.fingerprints())


def test_catching_up_again_changes_nothing(ledger: Ledger) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    first = catch_up(derived(ledger, Toy(), index), "where?", 1.0)
    embedder = Toy()
    assert catch_up(derived(ledger, embedder, index), "where?", 1.0) == first
    assert embedder.texts == ["where?"]


def test_threads_embed_new_texts_one_after_the_other(ledger: Ledger) -> None:
    keep(ledger, "a")
    embedder = Toy()
    with embedding_turn(0) as has_turn:
        assert has_turn
        ready = catch_up(derived(ledger, embedder), "where?", 0.0)
    assert (ready.waiting, embedder.texts) == (1, ["where?"]), "another thread is at it"
    assert catch_up(derived(ledger, embedder), "where?", 1.0).waiting == 0


def test_a_current_index_is_not_looked_at_again_unless_the_ledger_has_changed(ledger: Ledger) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    full = catch_up(derived(ledger, Toy(), index), "where?", 1.0)
    known = current_index(derived(ledger, Toy(), index))
    assert known is not None
    blind = IndexedStore(ledger, untouchable, lambda name: Toy(), LIMITS, ToldClock())
    assert catch_up(blind, "where?", 1.0, known=known) == full

    keep(ledger, "bb")
    assert current_index(derived(ledger, Toy(), index)) is None, "a text has no vector yet"
    ready = catch_up(derived(ledger, Toy(), index), "where?", 1.0, known=known)
    assert (ready.current, ready.tip) == (True, ledger.feed.tip())
    assert list(index.fingerprints()) == list(ledger.feed.fingerprints())


def test_an_empty_store_cannot_be_searched_by_meaning_and_loads_no_index(ledger: Ledger) -> None:
    parts = IndexedStore(ledger, untouchable, lambda name: Toy(), LIMITS, ToldClock())
    assert catch_up(parts, "where?", 1.0) == SearchReadiness()


def test_without_an_embedder_a_store_is_searched_by_words_with_a_warning(ledger: Ledger) -> None:
    keep(ledger, "a")
    ready = catch_up(derived(ledger, None), "where?", 1.0)
    assert ready == SearchReadiness(
        warning="embedder_none: no embedder is configured (leave SATCHEL_EMBEDDER empty for the default)"
    )


@pytest.mark.parametrize("code", ["endpoint_unreachable", "timeout", "bad_answer", "input_too_long"])
def test_an_embedder_that_is_down_gives_a_warning_not_an_error(ledger: Ledger, code: str) -> None:
    keep(ledger, "a")
    assert catch_up(derived(ledger, Down(code)), "where?", 1.0) == SearchReadiness(warning=f"{code}: it is down")
    assert ledger.vectors.backlog(TOY) == (1, 0)


def test_a_question_whose_vector_is_unusable_is_a_warning(ledger: Ledger) -> None:
    keep(ledger, "a")
    ready = catch_up(derived(ledger, Odd()), "nan", 1.0)
    assert (ready.vector, ready.warning.partition(":")[0]) == (None, "not_finite")
    assert ledger.vectors.backlog(TOY) == (1, 0)


@pytest.mark.parametrize(
    ("stranger", "asked"), [(Toy("other"), OTHER), (Wide("toy"), WIDE), (Wide("other"), WIDE_OTHER)]
)
def test_a_store_embedded_with_another_model_is_refused_with_a_warning_and_left_alone(
    ledger: Ledger, stranger: Toy, asked: Space
) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    keep(ledger, "new")
    tip, index.log = ledger.feed.tip(), []
    ready = catch_up(derived(ledger, stranger, index), "where?", 1.0)
    assert ready == SearchReadiness(warning=ready.warning)
    assert ready.warning.startswith("other_space: ")
    assert "toy (2 dimensions)" in ready.warning
    assert f"{asked.name} ({asked.dimensions} dimensions)" in ready.warning
    assert (ledger.vectors.space(), ledger.feed.tip(), index.log) == (TOY, tip, [])
    assert (embedded(ledger), embedded(ledger, asked)) == ({"m00": vector_of("a")}, {})
    assert ledger.vectors.backlog(TOY) == (1, 0)


def test_an_embedder_can_learn_its_dimensions_from_the_question(ledger: Ledger) -> None:
    keep(ledger, "a")
    ready = catch_up(derived(ledger, Lazy()), "where?", 1.0)
    assert ready == SearchReadiness(vector_of("where?"), TOY, current=True, tip=ledger.feed.tip())
    assert (ledger.vectors.space(), embedded(ledger)) == (TOY, {"m00": vector_of("a")})


def test_texts_left_after_the_deadline_are_counted_as_waiting(ledger: Ledger) -> None:
    keep(ledger, *(f"text {number}" for number in range(3 * BATCH_SIZE)))
    # Each reading of the clock takes a second, and there is one before the first batch, and one before each.
    ready = catch_up(derived(ledger, Toy(), clock=ToldClock(step=1.0)), "where?", 3.5)
    assert (ready.waiting, ready.current, ready.behind) == (BATCH_SIZE, True, 0)
    assert len(embedded(ledger)) == 2 * BATCH_SIZE


def test_the_index_gets_a_minimum_time_to_catch_up(ledger: Ledger) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    keep(ledger, "new")
    ready = catch_up(derived(ledger, Toy(), index), "where?", 0.0)
    assert ready == SearchReadiness(vector_of("where?"), TOY, current=True, waiting=1, behind=0, tip=ledger.feed.tip())
    assert index.seconds[-1] == MIN_CATCH_UP_SECONDS


def test_the_index_gets_the_remaining_time(ledger: Ledger) -> None:
    keep(ledger, "a")
    index = WatchedIndex()
    catch_up(derived(ledger, Toy(), index), "where?", 3.0)
    assert index.seconds == [3.0]


def test_an_index_that_is_behind_is_searched_and_reported(ledger: Ledger) -> None:
    keep(ledger, "a")
    ready = catch_up(derived(ledger, Toy(), WatchedIndex(CatchUp(applied=1, behind=4))), "where?", 1.0)
    assert ready == SearchReadiness(vector_of("where?"), TOY, current=False, waiting=0, behind=4, tip=ledger.feed.tip())


def test_an_unusable_index_gives_a_warning(ledger: Ledger) -> None:
    keep(ledger, "a")
    ready = catch_up(derived(ledger, Toy(), WatchedIndex(CatchUp(behind=2, problem="in pieces"))), "where?", 1.0)
    assert ready == SearchReadiness(space=TOY, behind=2, warning="index_unusable: in pieces")


def test_a_repaired_index_is_used_and_reported(ledger: Ledger) -> None:
    keep(ledger, "a")
    ready = catch_up(derived(ledger, Toy(), WatchedIndex(CatchUp(repaired="a torn manifest"))), "where?", 1.0)
    assert (ready.vector, ready.current) == (vector_of("where?"), True)
    assert ready.warning == "index_repaired: a torn manifest"


def test_an_embedder_that_fails_after_the_question_leaves_texts_waiting_with_a_warning(ledger: Ledger) -> None:
    keep(ledger, "a")
    build(derived(ledger, Toy()), None)
    keep(ledger, "new")
    ready = catch_up(derived(ledger, Down("timeout", answers_first=1)), "where?", 1.0)
    assert (ready.vector, ready.waiting, ready.current) == (vector_of("where?"), 1, True)
    assert ready.warning.startswith("timeout: ")


def test_a_store_without_any_vector_is_searched_lexically(ledger: Ledger) -> None:
    keep(ledger, "a")
    ready = catch_up(derived(ledger, Down("timeout", answers_first=1)), "where?", 1.0)
    assert (ready.vector, ready.space, ready.waiting) == (None, None, 1)
    assert ready.warning.startswith("timeout: ")


def test_a_long_question_is_clamped(ledger: Ledger) -> None:
    embedder = Toy()
    catch_up(derived(ledger, embedder), "x" * 999, 1.0)
    assert embedder.texts == [clamp("x" * 999, LIMITS)]


def test_a_store_that_is_read_only_is_searched_without_embedding(ledger: Ledger) -> None:
    class ReadOnly:
        read_only = True
        memories, receipts, vectors, feed = ledger.memories, ledger.receipts, ledger.vectors, ledger.feed

    keep(ledger, "a")
    index = WatchedIndex()
    build(derived(ledger, Toy(), index), None)
    keep(ledger, "new")
    embedder = Toy()
    ready = catch_up(derived(cast("Ledger", ReadOnly()), embedder, index), "where?", 1.0)
    assert (ready.vector, ready.waiting, ready.current) == (vector_of("where?"), 1, True)
    assert embedder.texts == ["where?"]
