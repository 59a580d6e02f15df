"""The fragments that an erasure proof searches for, and what the search proves."""

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.core.erasure import MAX_FRAGMENTS, compare_searches, sample_fragments
from satchel.domain.canonical import canonical
from satchel.domain.erasure import ErasureCheck
from satchel.domain.fragments import MAX_FRAGMENT_CHARS, MIN_FRAGMENT_BYTES
from satchel.ports import FileSearch
from tests.tables import each_case

steady = settings(max_examples=150, deadline=None, derandomize=True)

texts = st.text(max_size=200) | st.text(st.sampled_from('ab记忆😀 "\\\n\t\r'), max_size=900)


@steady
@given(texts)
@example("x" * 5_000)
@example('"quoted" and \\escaped\\ and\nbroken')
def test_fragments_are_in_the_text_and_long_enough_to_be_distinctive(text: str) -> None:
    pieces = sample_fragments(text)
    assert len(pieces) == len(set(pieces)) <= MAX_FRAGMENTS
    assert all(piece in text for piece in pieces)
    assert all(len(piece) <= MAX_FRAGMENT_CHARS for piece in pieces)
    assert all(len(piece.strip().encode()) >= MIN_FRAGMENT_BYTES for piece in pieces)


@steady
@given(texts)
def test_no_fragment_spans_a_character_that_files_escape(text: str) -> None:
    for piece in sample_fragments(text):
        assert not any(char in '"\\' or char < " " for char in piece)
        assert piece in canonical({"text": text})


@each_case("text", ["", "short", "       a       ", '"a"\\b\\"c"', "a\nb\nc\nd\ne\nf\ng", "\n" * 50])
def test_a_text_without_a_distinctive_fragment_has_none(text: str) -> None:
    assert sample_fragments(text) == []


@each_case(
    ("text", "pieces"),
    [
        ("12345678", ["12345678"]),
        ("记忆库", ["记忆库"]),
        ("first line here\nsecond line here", ["first line here", "second line here"]),
        ("a" * 32 + "b" * 32 + "c" * 7, ["a" * 32, "b" * 32]),
        ("same same same\nsame same same", ["same same same"]),
    ],
)
def test_a_text_is_split_at_breaks_and_at_the_maximum_length(text: str, pieces: list[str]) -> None:
    assert sample_fragments(text) == pieces


def test_fragments_of_a_long_text_are_sampled_from_all_of_it() -> None:
    lines = [f"line number {number:05}" for number in range(MAX_FRAGMENTS * 10)]
    places = [0, 11, 22, 32, 43, 54, 65, 76, 87, 97, 108, 119]
    assert sample_fragments("\n".join(lines)) == [lines[place] for place in places]


@steady
@given(st.integers(min_value=1, max_value=400))
@example(MAX_FRAGMENTS)
@example(MAX_FRAGMENTS + 1)
@example(2 * MAX_FRAGMENTS - 1)
def test_fragments_are_spread_evenly_from_the_first_to_the_last(count: int) -> None:
    lines = [f"line number {number:05}" for number in range(count)]
    places = [lines.index(piece) for piece in sample_fragments("\n".join(lines))]
    assert len(places) == min(count, MAX_FRAGMENTS)
    assert (places[0], places[-1]) == (0, count - 1)
    gaps = {later - earlier for earlier, later in pairwise(places)}
    assert not gaps or (min(gaps) >= 1 and max(gaps) - min(gaps) <= 1)


@steady
@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=MIN_FRAGMENT_BYTES, max_size=300))
def test_any_long_unbroken_text_has_a_fragment(text: str) -> None:
    assert sample_fragments(text)


BEFORE = FileSearch(files=4, bytes=120, holding=("ledger.sqlite3", "index/data"))
NOWHERE = FileSearch(files=3, bytes=99, holding=())
IN_A_BACKUP = FileSearch(files=3, bytes=99, holding=("backup",))


def test_fragments_found_before_and_gone_after_prove_the_erasure() -> None:
    assert compare_searches(2, BEFORE, NOWHERE) == ErasureCheck(
        conclusive=True, fragments=2, files=3, bytes=99, found_before=2, found_after=(), note=""
    )


def test_a_remaining_fragment_is_reported_with_its_file() -> None:
    assert compare_searches(2, BEFORE, IN_A_BACKUP) == ErasureCheck(
        conclusive=True, fragments=2, files=3, bytes=99, found_before=2, found_after=("backup",), note=""
    )


@each_case("before", [BEFORE, NOWHERE])
def test_without_a_unique_fragment_nothing_is_proven(before: FileSearch) -> None:
    check = compare_searches(0, before, NOWHERE)
    assert (check.conclusive, check.fragments, check.found_after) == (False, 0, ())
    assert check.note


def test_a_text_that_was_not_found_before_proves_nothing() -> None:
    check = compare_searches(2, NOWHERE, NOWHERE)
    assert check == ErasureCheck(
        conclusive=False, fragments=2, files=3, bytes=99, found_before=0, found_after=(), note=check.note
    )
    assert check.note
    assert check.note != compare_searches(0, NOWHERE, NOWHERE).note


def test_a_file_that_appears_only_afterwards_is_reported() -> None:
    check = compare_searches(1, NOWHERE, IN_A_BACKUP)
    assert (check.conclusive, check.found_before, check.found_after) == (False, 0, ("backup",))
