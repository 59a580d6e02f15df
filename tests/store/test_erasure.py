"""Which pieces of a text are looked for, and what finding them or not proves."""

from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.answers import ErasureCheck
from satchel.domain.canonical import canonical
from satchel.ports import FileSearch
from satchel.store.erasure import MAX_FRAGMENT_CHARS, MAX_FRAGMENTS, MIN_FRAGMENT_BYTES, fragments, judge

steady = settings(max_examples=150, deadline=None, derandomize=True)

texts = st.text(max_size=200) | st.text(st.sampled_from('ab记忆😀 "\\\n\t\r'), max_size=900)


@steady
@given(texts)
@example("x" * 5_000)
@example('"quoted" and \\escaped\\ and\nbroken')
def test_pieces_are_in_the_text_and_of_a_size_that_means_something(text: str) -> None:
    pieces = fragments(text)
    assert len(pieces) == len(set(pieces)) <= MAX_FRAGMENTS
    assert all(piece in text for piece in pieces)
    assert all(len(piece) <= MAX_FRAGMENT_CHARS for piece in pieces)
    assert all(len(piece.strip().encode()) >= MIN_FRAGMENT_BYTES for piece in pieces)


@steady
@given(texts)
def test_no_piece_spans_what_a_file_may_write_differently(text: str) -> None:
    for piece in fragments(text):
        assert not any(char in '"\\' or char < " " for char in piece)
        assert piece in canonical({"text": text})


@pytest.mark.parametrize("text", ["", "short", "       a       ", '"a"\\b\\"c"', "a\nb\nc\nd\ne\nf\ng", "\n" * 50])
def test_a_text_without_a_telling_piece_has_none(text: str) -> None:
    assert fragments(text) == []


@pytest.mark.parametrize(
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
    assert fragments(text) == pieces


def test_the_pieces_of_a_very_long_text_come_from_all_over_it() -> None:
    lines = [f"line number {number:05}" for number in range(MAX_FRAGMENTS * 10)]
    assert fragments("\n".join(lines)) == lines[::10]


@steady
@given(st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=MIN_FRAGMENT_BYTES, max_size=300))
def test_any_unbroken_text_that_is_long_enough_has_a_piece(text: str) -> None:
    assert fragments(text)


class Searched:
    """Files in which some words are left."""

    def __init__(self, *left: bytes) -> None:
        self.left = left
        self.needles: list[bytes] = []

    def __call__(self, needles: Sequence[bytes]) -> FileSearch:
        self.needles = list(needles)
        holding = tuple(one.decode() for one in self.left if one in needles)
        return FileSearch(files=3, bytes=99, holding=holding)


BEFORE = FileSearch(files=4, bytes=120, holding=("ledger.sqlite3", "index/data"))


def test_pieces_that_are_gone_prove_the_erasure() -> None:
    search = Searched()
    assert judge(["piece one", "记忆库"], BEFORE, lambda piece: False, search) == ErasureCheck(
        conclusive=True, fragments=2, files=3, bytes=99, found_before=2, found_after=(), note=""
    )
    assert search.needles == [b"piece one", "记忆库".encode()]


def test_a_piece_that_is_still_there_is_named_by_its_file() -> None:
    check = judge(["piece one", "piece two"], BEFORE, lambda piece: False, Searched(b"piece two"))
    assert check == ErasureCheck(
        conclusive=True, fragments=2, files=3, bytes=99, found_before=2, found_after=("piece two",), note=""
    )


def test_a_piece_that_another_memory_holds_is_not_searched_for() -> None:
    search = Searched(b"shared piece")
    check = judge(["shared piece", "own piece"], BEFORE, lambda piece: piece == "shared piece", search)
    assert check == ErasureCheck(
        conclusive=True, fragments=1, files=3, bytes=99, found_before=2, found_after=(), note=""
    )
    assert search.needles == [b"own piece"]


@pytest.mark.parametrize("pieces", [[], ["shared piece"]])
def test_without_a_piece_of_its_own_a_memory_s_erasure_proves_nothing(pieces: list[str]) -> None:
    check = judge(pieces, BEFORE, lambda piece: True, Searched(b"shared piece"))
    assert (check.conclusive, check.fragments, check.found_after) == (False, 0, ())
    assert check.note
