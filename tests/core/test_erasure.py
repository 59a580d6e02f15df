"""Which pieces of a text are looked for, and what finding them or not proves."""

from itertools import pairwise

from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.core.erasure import MAX_FRAGMENTS, compare_searches, sample_fragments
from satchel.domain.canonical import canonical
from satchel.domain.erasure import MAX_FRAGMENT_CHARS, MIN_FRAGMENT_BYTES, ErasureCheck
from satchel.ports import FileSearch
from tests.tables import each_case

steady = settings(max_examples=150, deadline=None, derandomize=True)

texts = st.text(max_size=200) | st.text(st.sampled_from('ab记忆😀 "\\\n\t\r'), max_size=900)


@steady
@given(texts)
@example("x" * 5_000)
@example('"quoted" and \\escaped\\ and\nbroken')
def test_pieces_are_in_the_text_and_of_a_size_that_means_something(text: str) -> None:
    pieces = sample_fragments(text)
    assert len(pieces) == len(set(pieces)) <= MAX_FRAGMENTS
    assert all(piece in text for piece in pieces)
    assert all(len(piece) <= MAX_FRAGMENT_CHARS for piece in pieces)
    assert all(len(piece.strip().encode()) >= MIN_FRAGMENT_BYTES for piece in pieces)


@steady
@given(texts)
def test_no_piece_spans_what_a_file_may_write_differently(text: str) -> None:
    for piece in sample_fragments(text):
        assert not any(char in '"\\' or char < " " for char in piece)
        assert piece in canonical({"text": text})


@each_case("text", ["", "short", "       a       ", '"a"\\b\\"c"', "a\nb\nc\nd\ne\nf\ng", "\n" * 50])
def test_a_text_without_a_telling_piece_has_none(text: str) -> None:
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
def test_a_text_is_cut_where_it_breaks_and_where_it_is_too_long(text: str, pieces: list[str]) -> None:
    assert sample_fragments(text) == pieces


def test_the_pieces_of_a_very_long_text_come_from_all_over_it() -> None:
    lines = [f"line number {number:05}" for number in range(MAX_FRAGMENTS * 10)]
    places = [0, 11, 22, 32, 43, 54, 65, 76, 87, 97, 108, 119]
    assert sample_fragments("\n".join(lines)) == [lines[place] for place in places]


@steady
@given(st.integers(min_value=1, max_value=400))
@example(MAX_FRAGMENTS)
@example(MAX_FRAGMENTS + 1)
@example(2 * MAX_FRAGMENTS - 1)
def test_pieces_are_spread_evenly_from_the_first_to_the_last(count: int) -> None:
    lines = [f"line number {number:05}" for number in range(count)]
    places = [lines.index(piece) for piece in sample_fragments("\n".join(lines))]
    assert len(places) == min(count, MAX_FRAGMENTS)
    assert (places[0], places[-1]) == (0, count - 1)
    gaps = {later - earlier for earlier, later in pairwise(places)}
    assert not gaps or (min(gaps) >= 1 and max(gaps) - min(gaps) <= 1)


@steady
@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=MIN_FRAGMENT_BYTES, max_size=300))
def test_any_unbroken_text_that_is_long_enough_has_a_piece(text: str) -> None:
    assert sample_fragments(text)


BEFORE = FileSearch(files=4, bytes=120, holding=("ledger.sqlite3", "index/data"))
NOWHERE = FileSearch(files=3, bytes=99, holding=())
IN_A_BACKUP = FileSearch(files=3, bytes=99, holding=("backup",))


def test_pieces_that_were_found_and_are_gone_prove_the_erasure() -> None:
    assert compare_searches(2, BEFORE, NOWHERE) == ErasureCheck(
        conclusive=True, fragments=2, files=3, bytes=99, found_before=2, found_after=(), note=""
    )


def test_a_piece_that_is_still_there_is_named_by_its_file() -> None:
    assert compare_searches(2, BEFORE, IN_A_BACKUP) == ErasureCheck(
        conclusive=True, fragments=2, files=3, bytes=99, found_before=2, found_after=("backup",), note=""
    )


@each_case("before", [BEFORE, NOWHERE])
def test_without_a_piece_of_its_own_a_memory_s_erasure_proves_nothing(before: FileSearch) -> None:
    check = compare_searches(0, before, NOWHERE)
    assert (check.conclusive, check.fragments, check.found_after) == (False, 0, ())
    assert check.note


def test_a_search_that_did_not_find_the_text_before_proves_nothing_by_not_finding_it_after() -> None:
    check = compare_searches(2, NOWHERE, NOWHERE)
    assert check == ErasureCheck(
        conclusive=False, fragments=2, files=3, bytes=99, found_before=0, found_after=(), note=check.note
    )
    assert check.note
    assert check.note != compare_searches(0, NOWHERE, NOWHERE).note


def test_what_turns_up_only_afterwards_is_still_named() -> None:
    check = compare_searches(1, NOWHERE, IN_A_BACKUP)
    assert (check.conclusive, check.found_before, check.found_after) == (False, 0, ("backup",))
