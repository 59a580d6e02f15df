"""Clamping of texts, validity of vectors, and cosines."""

import math
from array import array

from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.embedding import GAP, Clamp, Vector, clamp, cosine, vector_problem
from tests.tables import each_case

steady = settings(max_examples=150, deadline=None, derandomize=True)

# The settings require at least 200, but the property holds for any limit.
limits = st.builds(
    Clamp, max_chars=st.integers(min_value=0, max_value=40), head_chars=st.integers(min_value=0, max_value=50)
)


@steady
@given(st.text(max_size=80), limits)
@example("x" * 41, Clamp(40, 50))
@example("x" * 4, Clamp(3, 0))
@example("x" * 4, Clamp(2, 9))
@example("x" * 4, Clamp(0, 0))
def test_a_clamped_text_is_never_longer_than_the_limit(text: str, limit: Clamp) -> None:
    assert len(clamp(text, limit)) == min(len(text), limit.max_chars)


@steady
@given(st.text(max_size=80), limits)
def test_a_long_text_keeps_its_head_and_its_tail_around_the_gap(text: str, limit: Clamp) -> None:
    room = limit.max_chars - len(GAP)
    head = min(limit.head_chars, room)
    if len(text) <= limit.max_chars:
        assert clamp(text, limit) == text
    elif room < 0:
        assert clamp(text, limit) == text[: limit.max_chars]
    else:
        assert clamp(text, limit) == text[:head] + GAP + text[len(text) - (room - head) :]


@steady
@given(st.text(max_size=40))
def test_a_text_that_fits_is_unchanged(text: str) -> None:
    assert clamp(text, Clamp(max_chars=40, head_chars=5)) == text
    assert clamp(text, Clamp()) == text


@steady
@given(st.text(max_size=80), limits)
def test_clamping_twice_changes_nothing_more(text: str, limit: Clamp) -> None:
    assert clamp(clamp(text, limit), limit) == clamp(text, limit)


in_bytes = st.builds(
    Clamp,
    max_chars=st.integers(min_value=0, max_value=40),
    head_chars=st.integers(min_value=0, max_value=50),
    max_bytes=st.integers(min_value=1, max_value=60),
)
# Characters of one to four bytes, and a lone surrogate.
wide = st.text(st.sampled_from("aé記🎒\ud83c"), max_size=80)


@steady
@given(wide, in_bytes)
@example("🎒" * 2, Clamp(2, 0, 6))
@example("記" * 30, Clamp(40, 5, 60))
def test_a_clamped_text_stays_within_its_characters_and_its_bytes(text: str, limit: Clamp) -> None:
    clamped = clamp(text, limit)
    assert len(clamped) <= limit.max_chars
    assert len(clamped.encode("utf-8", "surrogatepass")) <= limit.max_bytes


@steady
@given(wide, in_bytes)
def test_a_byte_limit_keeps_whole_characters_of_head_and_tail(text: str, limit: Clamp) -> None:
    clamped = clamp(text, limit)
    head, gap, tail = clamped.partition(GAP)
    assert clamped == text or (text.startswith(head) and text.endswith(tail))
    assert clamped == text or len(head) + len(tail) < len(text)
    assert not gap or len(head) <= limit.head_chars


@steady
@given(wide, in_bytes)
def test_the_byte_limit_is_used_fully(text: str, limit: Clamp) -> None:
    clamped = clamp(text, limit)
    if clamped != text:
        size = len(clamped.encode("utf-8", "surrogatepass"))
        assert len(clamped) == limit.max_chars or size > limit.max_bytes - 4


def test_a_byte_limit_leaves_one_gap_only() -> None:
    assert clamp("é" * 40, Clamp(max_chars=20, head_chars=4, max_bytes=25)) == "éééé\n…\néééééé"
    assert clamp("é" * 12, Clamp(max_chars=20, head_chars=2, max_bytes=23)) == "éé\n…\nééééééé"
    assert clamp("é" * 12, Clamp(max_chars=20, head_chars=2, max_bytes=24)) == "é" * 12


def test_a_clamped_text_reads_as_head_gap_tail() -> None:
    assert clamp("abcdefghij" * 3, Clamp(max_chars=12, head_chars=4)) == "abcd\n…\nfghij"


@each_case(("max_chars", "expected"), [(0, ""), (1, "a"), (2, "ab"), (3, "\n…\n"), (4, "a\n…\n"), (9, "abcd\n…\nij")])
def test_a_limit_without_room_for_the_gap_keeps_the_head_alone(max_chars: int, expected: str) -> None:
    assert clamp("abcdefghij", Clamp(max_chars, head_chars=4)) == expected


@each_case(
    ("vector", "problem"),
    [
        (array("f", [0.6, 0.8]), None),
        (array("f", [0.0, -0.1]), None),
        (array("f", []), "wrong_dimension"),
        (array("f", [1.0]), "wrong_dimension"),
        (array("f", [1.0, 0.0, 0.0]), "wrong_dimension"),
        (array("f", [math.nan, 1.0]), "not_finite"),
        (array("f", [1.0, math.inf]), "not_finite"),
        (array("f", [-math.inf, 1.0]), "not_finite"),
        (array("f", [math.nan, 0.0]), "not_finite"),
        (array("f", [0.0, 0.0]), "zero_vector"),
        (array("f", [-0.0, 0.0]), "zero_vector"),
        (array("f", [math.nan]), "wrong_dimension"),
    ],
)
def test_an_unusable_vector_has_a_problem_code(vector: Vector, problem: str | None) -> None:
    assert vector_problem(vector, 2) == problem


def test_a_vector_of_no_dimensions_is_unusable() -> None:
    assert vector_problem(array("f"), 0) == "zero_vector"


@steady
@given(st.lists(st.floats(width=32), max_size=6), st.integers(min_value=1, max_value=6))
def test_a_vector_is_usable_exactly_if_its_length_is_right_and_it_is_finite_and_not_zero(
    numbers: list[float], dimensions: int
) -> None:
    sound = len(numbers) == dimensions and all(map(math.isfinite, numbers)) and any(numbers)
    assert (vector_problem(array("f", numbers), dimensions) is None) == sound


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32)), max_size=8))
def test_the_cosine_is_symmetric_and_has_six_digits(pairs: list[tuple[float, float]]) -> None:
    one, other = array("f", [pair[0] for pair in pairs]), array("f", [pair[1] for pair in pairs])
    assert cosine(one, other) == cosine(other, one) == round(cosine(one, other), 6)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32)), max_size=8), st.data())
def test_the_cosine_does_not_depend_on_the_order_of_dimensions(
    pairs: list[tuple[float, float]], data: st.DataObject
) -> None:
    def of(some: list[tuple[float, float]]) -> float:
        return cosine(array("f", [pair[0] for pair in some]), array("f", [pair[1] for pair in some]))

    assert of(data.draw(st.permutations(pairs))) == of(pairs)


def test_the_cosine_sums_exactly() -> None:
    assert cosine(array("f", [1e16, 0.5, -1e16]), array("f", [1.0, 1.0, 1.0])) == 0.5
