"""Texts get their vectors, later than the store and never in its way."""

from collections.abc import Callable, Sequence

import pytest

from satchel.adapters.embedders.hashing import Hashing
from satchel.adapters.sql.float16 import pack, unpack
from satchel.adapters.sql.vectors import SqlVectors
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.embedding import Clamp, Space, Vector, clamp
from satchel.domain.record import MemoryId
from satchel.errors import EmbeddingFailed
from satchel.indexing.embed import (
    BATCH_SIZE,
    BULK_BATCH_SIZE,
    SHARED_BATCH_SIZE,
    BacklogResult,
    embed_backlog,
    embed_text,
    embed_unclaimed,
)
from satchel.ports import Embedded, Ledger
from tests.indexing.parts import (
    LIMITS,
    OTHER,
    TOY,
    WIDE,
    Down,
    Lazy,
    LazyOdd,
    Meddling,
    Miscounting,
    Odd,
    Picky,
    Toy,
    Wide,
    change,
    embedded,
    erase,
    keep,
    vector_of,
)
from tests.tables import each_case


def texts(count: int) -> list[str]:
    return [f"text number {number}" for number in range(count)]


def batches(count: int) -> Callable[[], float]:
    """Leave time for this many batches: the clock is read before each batch."""
    answers = iter([1.0] * count)
    return lambda: next(answers, 0.0)


def test_every_waiting_text_gets_its_vector(ledger: Ledger) -> None:
    keep(ledger, "a", "bb", "ccc")
    assert embed_backlog(ledger.vectors, Toy(), TOY, LIMITS) == BacklogResult(made=3)
    assert embedded(ledger) == {"m00": vector_of("a"), "m01": vector_of("bb"), "m02": vector_of("ccc")}
    assert ledger.vectors.backlog(TOY) == (0, 0)


def test_the_model_free_embedder_fills_a_real_ledger(ledger: Ledger) -> None:
    (id,) = keep(ledger, "green tea")
    assert embed_backlog(ledger.vectors, Hashing(32), Space("hashing-32", 32), LIMITS) == BacklogResult(made=1)
    assert embedded(ledger, Space("hashing-32", 32)) == {id: unpack(pack(Hashing(32).embed(["green tea"])[0]), 32)}
    assert ledger.vectors.space() == Space("hashing-32", 32)


def test_texts_are_embedded_newest_first_in_batches(ledger: Ledger) -> None:
    keep(ledger, *texts(BULK_BATCH_SIZE + 3))
    embedder = Toy()
    embed_backlog(ledger.vectors, embedder, TOY, LIMITS)
    assert embedder.texts == list(reversed(texts(BULK_BATCH_SIZE + 3)))
    assert list(map(len, embedder.calls)) == [BULK_BATCH_SIZE, 3]


def test_an_empty_store_uses_no_embedder_and_adopts_no_space(ledger: Ledger) -> None:
    embedder = Toy()
    assert embed_backlog(ledger.vectors, embedder, TOY, LIMITS) == BacklogResult()
    assert (embedder.calls, ledger.vectors.space()) == ([], None)


def test_a_second_run_has_nothing_to_do(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    embed_backlog(ledger.vectors, Toy(), TOY, LIMITS)
    again = Toy()
    assert embed_backlog(ledger.vectors, again, TOY, LIMITS) == BacklogResult()
    assert again.calls == []


def test_the_first_space_is_adopted_and_kept(ledger: Ledger) -> None:
    keep(ledger, "a")
    embed_backlog(ledger.vectors, Toy(), TOY, LIMITS)
    assert embed_backlog(ledger.vectors, Toy("other"), OTHER, LIMITS) == BacklogResult(made=1)
    assert ledger.vectors.space() == TOY
    assert embedded(ledger, TOY) == embedded(ledger, OTHER) == {"m00": vector_of("a")}


def test_vectors_of_the_same_name_and_other_dimensions_are_kept_separate(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    embed_backlog(ledger.vectors, Toy(), TOY, LIMITS)
    wide = Wide()
    assert embed_backlog(ledger.vectors, wide, WIDE, LIMITS) == BacklogResult(made=2)
    assert ledger.vectors.space() == TOY
    assert embedded(ledger, TOY) == {"m00": vector_of("a"), "m01": vector_of("bb")}
    assert embedded(ledger, WIDE) == {"m00": wide.one("a"), "m01": wide.one("bb")}


def test_a_long_text_is_embedded_by_its_head_and_tail(ledger: Ledger) -> None:
    long = "head " * 30 + "tail " * 30
    keep(ledger, long)
    embedder = Toy()
    embed_backlog(ledger.vectors, embedder, TOY, LIMITS)
    assert embedder.texts == [clamp(long, LIMITS)]
    assert len(embedder.texts[0]) == LIMITS.max_chars


def test_when_the_embedder_is_down_nothing_is_skipped_and_a_later_run_fills_the_gap(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    assert embed_backlog(ledger.vectors, Down(), TOY, LIMITS) == BacklogResult(problem="endpoint_unreachable")
    assert (ledger.vectors.backlog(TOY), ledger.vectors.space()) == ((2, 0), None)
    assert embed_backlog(ledger.vectors, Toy(), TOY, LIMITS) == BacklogResult(made=2)


def test_an_embedder_that_fails_midway_keeps_what_it_made(ledger: Ledger) -> None:
    keep(ledger, *texts(BULK_BATCH_SIZE + 2))
    assert embed_backlog(ledger.vectors, Down("timeout", answers_first=1), TOY, LIMITS) == BacklogResult(
        made=BULK_BATCH_SIZE, problem="timeout"
    )
    assert ledger.vectors.backlog(TOY) == (2, 0)
    later = Toy()
    assert embed_backlog(ledger.vectors, later, TOY, LIMITS) == BacklogResult(made=2)
    assert later.texts == ["text number 1", "text number 0"]


def test_one_text_that_is_too_long_does_not_affect_the_others(ledger: Ledger) -> None:
    keep(ledger, "a", "too long", "ccc")
    embedder = Picky()
    assert embed_backlog(ledger.vectors, embedder, TOY, LIMITS) == BacklogResult(made=2, skipped={"input_too_long": 1})
    assert embedder.calls == [["ccc", "too long", "a"], ["ccc"], ["too long"], ["a"]]
    assert embedded(ledger) == {"m00": vector_of("a"), "m02": vector_of("ccc")}
    assert ledger.vectors.backlog(TOY) == (0, 1)


def test_a_bad_answer_to_every_text_skips_each_of_them(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    assert embed_backlog(ledger.vectors, Down("bad_answer"), TOY, LIMITS) == BacklogResult(skipped={"bad_answer": 2})


def test_an_embedder_that_goes_down_during_single_texts_skips_none(ledger: Ledger) -> None:
    class GoesDown(Picky):
        def one(self, text: str) -> Vector:
            raise EmbeddingFailed("gone", code="endpoint_unreachable")

    keep(ledger, "a", "too long")
    assert embed_backlog(ledger.vectors, GoesDown(), TOY, LIMITS) == BacklogResult(problem="endpoint_unreachable")
    assert ledger.vectors.backlog(TOY) == (2, 0)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nan", "not_finite"),
        ("inf", "not_finite"),
        ("zero", "zero_vector"),
        ("short", "wrong_dimension"),
        ("long", "wrong_dimension"),
        ("empty", "wrong_dimension"),
    ],
)
def test_an_unusable_vector_is_skipped_with_its_reason_and_the_rest_is_kept(
    ledger: Ledger, text: str, reason: str
) -> None:
    keep(ledger, "a", text)
    assert embed_backlog(ledger.vectors, Odd(), TOY, LIMITS) == BacklogResult(made=1, skipped={reason: 1})
    assert embedded(ledger) == {"m00": vector_of("a")}
    assert ledger.vectors.backlog(TOY) == (0, 1)


def test_skip_reasons_are_counted_separately(ledger: Ledger) -> None:
    keep(ledger, "nan", "inf", "zero", "a")
    assert embed_backlog(ledger.vectors, Odd(), TOY, LIMITS) == BacklogResult(
        made=1, skipped={"not_finite": 2, "zero_vector": 1}
    )


def test_the_space_sets_the_dimensions_if_the_embedder_does_not_know_them(ledger: Ledger) -> None:
    keep(ledger, "short", "long", "a")
    assert embed_backlog(ledger.vectors, LazyOdd(), TOY, LIMITS) == BacklogResult(
        made=1, skipped={"wrong_dimension": 2}
    )
    assert (ledger.vectors.space(), embedded(ledger)) == (TOY, {"m02": vector_of("a")})


def test_a_store_adopts_its_first_space_with_its_first_result(ledger: Ledger) -> None:
    keep(ledger, *texts(BULK_BATCH_SIZE + 1))
    seen: list[Space | None] = []

    class Watching(Toy):
        def embed(self, texts: Sequence[str]) -> list[Vector]:
            seen.append(ledger.vectors.space())
            return super().embed(texts)

    embed_backlog(ledger.vectors, Watching(), TOY, LIMITS)
    assert seen == [None, TOY]


def test_a_store_whose_texts_were_all_skipped_keeps_the_space(ledger: Ledger) -> None:
    keep(ledger, "too long", "too long as well")
    assert embed_backlog(ledger.vectors, Picky(), TOY, LIMITS) == BacklogResult(skipped={"input_too_long": 2})
    assert (ledger.vectors.space(), ledger.vectors.backlog(TOY)) == (TOY, (0, 2))


@pytest.mark.parametrize("too_many", [-1, 1])
def test_a_wrong_number_of_vectors_is_a_bad_answer_and_discarded(ledger: Ledger, too_many: int) -> None:
    keep(ledger, "a", "bb")
    embedder = Miscounting(too_many)
    assert embed_backlog(ledger.vectors, embedder, TOY, LIMITS) == BacklogResult(skipped={"bad_answer": 2})
    assert embedder.calls == [["bb", "a"], ["bb"], ["a"]]
    assert (embedded(ledger), ledger.vectors.backlog(TOY)) == ({}, (0, 2))


@pytest.mark.parametrize("too_many", [-1, 1])
def test_after_a_wrong_number_of_vectors_each_text_is_embedded_alone(ledger: Ledger, too_many: int) -> None:
    keep(ledger, "a", "bb")
    assert embed_backlog(ledger.vectors, Miscounting(too_many, alone=False), TOY, LIMITS) == BacklogResult(made=2)
    assert embedded(ledger) == {"m00": vector_of("a"), "m01": vector_of("bb")}


def test_skipped_texts_are_recorded_per_space(ledger: Ledger) -> None:
    keep(ledger, "nan", "a")
    embed_backlog(ledger.vectors, Toy(), TOY, LIMITS)
    assert embed_backlog(ledger.vectors, Odd("other"), OTHER, LIMITS) == BacklogResult(
        made=1, skipped={"not_finite": 1}
    )
    assert (ledger.vectors.backlog(TOY), ledger.vectors.backlog(OTHER)) == ((0, 0), (0, 1))
    assert (ledger.vectors.count(TOY), ledger.vectors.count(OTHER)) == (2, 1)
    again = Odd("other")
    assert embed_backlog(ledger.vectors, again, OTHER, LIMITS, retry=True) == BacklogResult(skipped={"not_finite": 1})
    assert again.texts == ["nan"]


def test_a_text_that_changed_meanwhile_gets_the_vector_of_its_new_text(ledger: Ledger) -> None:
    (id,) = keep(ledger, "old")
    embedder = Meddling(lambda: change(ledger, id, "newer"))
    embed_backlog(ledger.vectors, embedder, TOY, LIMITS)
    assert embedder.texts == ["old", "newer"]
    assert embedded(ledger) == {id: vector_of("newer")}


def test_the_vector_of_an_outdated_text_is_dropped(ledger: Ledger) -> None:
    (id,) = keep(ledger, "old")
    embed_backlog(ledger.vectors, Meddling(lambda: change(ledger, id, "newer")), TOY, LIMITS, seconds_left=batches(1))
    assert (embedded(ledger), ledger.vectors.backlog(TOY)) == ({}, (1, 0))


def test_the_vector_of_a_text_that_was_erased_meanwhile_is_dropped(ledger: Ledger) -> None:
    keep(ledger, "a", "bb")
    embed_backlog(ledger.vectors, Meddling(lambda: erase(ledger, fetched_id(ledger, "bb"))), TOY, LIMITS)
    assert embedded(ledger) == {"m00": vector_of("a")}


def fetched_id(ledger: Ledger, text: str) -> MemoryId:
    return next(one.id for one in ledger.vectors.pending(TOY, 99) if one.text == text)


def test_a_text_that_changed_loses_its_vector_and_waits_again(ledger: Ledger) -> None:
    (id,) = keep(ledger, "old")
    embed_backlog(ledger.vectors, Toy(), TOY, LIMITS)
    change(ledger, id, "newer")
    assert (embedded(ledger), ledger.vectors.backlog(TOY)) == ({}, (1, 0))
    assert embed_backlog(ledger.vectors, Toy(), TOY, LIMITS) == BacklogResult(made=1)


def test_embedding_stops_at_the_deadline_and_continues_later(ledger: Ledger) -> None:
    keep(ledger, *texts(2 * BATCH_SIZE + 1))
    assert embed_backlog(ledger.vectors, Toy(), TOY, LIMITS, seconds_left=batches(0)) == BacklogResult()
    assert embed_backlog(ledger.vectors, Toy(), TOY, LIMITS, seconds_left=batches(1)) == BacklogResult(made=BATCH_SIZE)
    assert ledger.vectors.backlog(TOY) == (BATCH_SIZE + 1, 0)
    assert embed_backlog(ledger.vectors, Toy(), TOY, LIMITS) == BacklogResult(made=BATCH_SIZE + 1)


def test_skipped_texts_are_not_retried_by_default(ledger: Ledger) -> None:
    keep(ledger, "too long")
    embed_backlog(ledger.vectors, Picky(), TOY, LIMITS)
    again = Picky()
    assert embed_backlog(ledger.vectors, again, TOY, LIMITS) == BacklogResult()
    assert again.calls == []


def test_a_retry_tries_each_skipped_text_once(ledger: Ledger) -> None:
    keep(ledger, "too long", "a", "too long as well")
    embed_backlog(ledger.vectors, Picky(), TOY, LIMITS)
    again = Picky()
    assert embed_backlog(ledger.vectors, again, TOY, LIMITS, retry=True) == BacklogResult(skipped={"input_too_long": 2})
    # The batch of both, then each alone.
    assert again.calls == [["too long as well", "too long"], ["too long as well"], ["too long"]]
    assert ledger.vectors.backlog(TOY) == (0, 2)


def test_a_retry_goes_over_many_batches_once(ledger: Ledger) -> None:
    keep(ledger, *(["nan"] * (2 * BULK_BATCH_SIZE + 1)))
    embed_backlog(ledger.vectors, Odd(), TOY, LIMITS)
    again = Odd()
    assert embed_backlog(ledger.vectors, again, TOY, LIMITS, retry=True) == BacklogResult(
        skipped={"not_finite": 2 * BULK_BATCH_SIZE + 1}
    )
    assert list(map(len, again.calls)) == [BULK_BATCH_SIZE, BULK_BATCH_SIZE, 1]


def test_a_retry_with_a_better_embedder_embeds_skipped_texts(ledger: Ledger) -> None:
    keep(ledger, "too long", "a")
    embed_backlog(ledger.vectors, Picky(), TOY, LIMITS)
    keep(ledger, "new")
    able = Toy()
    assert embed_backlog(ledger.vectors, able, TOY, LIMITS, retry=True) == BacklogResult(made=2)
    assert able.texts == ["new", "too long"]
    assert ledger.vectors.backlog(TOY) == (0, 0)


def test_progress_is_reported_after_every_batch_and_ends_at_the_total(ledger: Ledger) -> None:
    keep(ledger, "nan", *texts(BULK_BATCH_SIZE + 1))
    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, what: str) -> None:
        told.append((done, total, what))

    embed_backlog(ledger.vectors, Odd(), TOY, LIMITS, progress=progress)
    assert told == [
        (BULK_BATCH_SIZE, BULK_BATCH_SIZE + 2, "embedding"),
        (BULK_BATCH_SIZE + 2, BULK_BATCH_SIZE + 2, "embedding"),
    ]


def test_the_progress_of_a_retry_includes_skipped_texts(ledger: Ledger) -> None:
    keep(ledger, *(["nan"] * BULK_BATCH_SIZE))
    embed_backlog(ledger.vectors, Odd(), TOY, LIMITS)
    keep(ledger, "a")
    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, what: str) -> None:
        told.append((done, total, what))

    embed_backlog(ledger.vectors, Odd(), TOY, LIMITS, retry=True, progress=progress)
    assert told == [
        (BULK_BATCH_SIZE, BULK_BATCH_SIZE + 1, "embedding"),
        (BULK_BATCH_SIZE + 1, BULK_BATCH_SIZE + 1, "embedding"),
    ]


def test_progress_ends_at_the_total_even_with_skipped_texts(ledger: Ledger) -> None:
    keep(ledger, "nan")
    embed_backlog(ledger.vectors, Odd(), TOY, LIMITS)
    keep(ledger, "a")
    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, what: str) -> None:
        told.append((done, total, what))

    embed_backlog(ledger.vectors, Odd(), TOY, LIMITS, progress=progress)
    assert told == [(1, 1, "embedding")]


def test_a_question_is_clamped_and_embedded() -> None:
    embedder = Toy()
    assert embed_text(embedder, "x" * 300, LIMITS) == vector_of("x" * 200)
    assert embedder.texts == [clamp("x" * 300, LIMITS)]


def test_a_question_can_be_the_first_text_of_an_embedder() -> None:
    assert embed_text(Lazy(), "a", Clamp()) == vector_of("a")


@each_case(
    ("text", "code"),
    [
        ("nan", "not_finite"),
        ("inf", "not_finite"),
        ("zero", "zero_vector"),
        ("short", "wrong_dimension"),
        ("long", "wrong_dimension"),
    ],
)
def test_a_question_with_an_unusable_vector_fails_with_a_code(text: str, code: str) -> None:
    with pytest.raises(EmbeddingFailed) as caught:
        embed_text(Odd(), text, LIMITS)
    assert caught.value.code == code


def test_a_question_fails_with_the_embedder_s_own_code() -> None:
    with pytest.raises(EmbeddingFailed) as caught:
        embed_text(Down("timeout"), "a", LIMITS)
    assert caught.value.code == "timeout"


@each_case("too_many", [-1, 1])
def test_a_question_with_zero_or_two_vectors_fails_with_a_code(too_many: int) -> None:
    with pytest.raises(EmbeddingFailed) as caught:
        embed_text(Miscounting(too_many), "a", LIMITS)
    assert caught.value.code == "bad_answer"


# Workers


def never() -> bool:
    return False


def test_a_worker_makes_the_vectors_that_one_process_makes(ledger: Ledger) -> None:
    keep(ledger, *texts(3 * SHARED_BATCH_SIZE))
    done = embed_unclaimed(ledger.vectors, Toy(), TOY, LIMITS, stopped=never)
    assert done == BacklogResult(made=3 * SHARED_BATCH_SIZE)
    assert embedded(ledger) == {
        f"m{number:02}": vector_of(text) for number, text in enumerate(texts(3 * SHARED_BATCH_SIZE))
    }


def test_a_worker_stops_between_batches(ledger: Ledger) -> None:
    keep(ledger, *texts(2 * SHARED_BATCH_SIZE))
    answers = iter([False])
    done = embed_unclaimed(ledger.vectors, Toy(), TOY, LIMITS, stopped=lambda: next(answers, True))
    assert done == BacklogResult(made=SHARED_BATCH_SIZE)


def test_a_worker_that_fails_keeps_what_it_has_and_says_why(ledger: Ledger) -> None:
    keep(ledger, *texts(3))
    assert embed_unclaimed(ledger.vectors, Down(), TOY, LIMITS, stopped=never).problem
    assert ledger.vectors.backlog(TOY) == (3, 0)


class Refusing(SqlVectors):
    """Takes no vector."""

    def put(self, space: Space, made: Sequence[Embedded], *, optional: bool = False) -> None:
        pass


def test_a_text_whose_vector_cannot_be_stored_is_tried_once(ledger: SqliteLedger) -> None:
    keep(ledger, "old")
    toy = Toy()
    embed_unclaimed(Refusing(ledger.database), toy, TOY, LIMITS, stopped=never)
    assert toy.calls == [["old"]]
