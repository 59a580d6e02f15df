"""The table decorator that most tests use."""

import pytest

from tests.tables import each_case


def test_every_case_runs_with_the_fixtures_of_the_test() -> None:
    seen: list[tuple[str, int, str]] = []

    @each_case("word, number", [("a", 1), ("b", 2)])
    def table(fixture: str, word: str, number: int) -> None:
        seen.append((fixture, number, word))

    table(fixture="f")

    assert seen == [("f", 1, "a"), ("f", 2, "b")]


def test_one_failing_case_is_raised_with_its_name() -> None:
    @each_case("number", [1, 2, 3])
    def table(number: int) -> None:
        assert number != 2

    with pytest.raises(AssertionError) as caught:
        table()

    assert caught.value.__notes__ == ["case: 2"]


def test_all_failing_cases_are_raised_together_with_their_names() -> None:
    @each_case("number", [1, 0, 2], ids=["one", "none", "two"])
    def table(number: int) -> None:
        if number:
            with pytest.raises(ValueError, match="never raised"):
                pass

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases failed") as caught:
        table()

    assert [failure.__notes__ for failure in caught.value.exceptions] == [["case: one"], ["case: two"]]


def test_tables_on_top_of_each_other_are_multiplied() -> None:
    seen = []

    @each_case("letter", "ab")
    @each_case("number", [1, 2])
    def table(letter: str, number: int) -> None:
        seen.append(f"{letter}{number}")

    table()

    assert seen == ["a1", "a2", "b1", "b2"]


def test_an_empty_table_is_an_error() -> None:
    with pytest.raises(ValueError, match="tests nothing"):
        each_case("number", [])


def test_a_column_the_test_does_not_take_is_an_error() -> None:
    with pytest.raises(TypeError, match="does not take word"):

        @each_case("word", ["a"])
        def table(number: int) -> None: ...
