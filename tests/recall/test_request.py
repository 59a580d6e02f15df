"""Parsing and validation of recall questions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.words import MAX_QUESTION_CHARS
from satchel.errors import InvalidRequest
from satchel.recall.request import MAX_LIMIT, MIN_POOL, Mode, RecallQuestion, parse_question
from tests.tables import each_case


def code_for(text: str, mode: str, limit: int) -> str:
    with pytest.raises(InvalidRequest) as caught:
        parse_question(text, mode, limit)
    return caught.value.code


def test_a_parsed_question_has_text_terms_mode_and_limit() -> None:
    assert parse_question("Where is the ledger?", "hybrid", 5) == RecallQuestion(
        text="Where is the ledger?",
        said="Where is the ledger?",
        terms=("ledger",),
        mode=Mode.HYBRID,
        limit=5,
        clamped=False,
    )


@each_case("mode", ["hybrid", "lexical", "vector"])
def test_every_mode_is_parsed_by_name(mode: str) -> None:
    assert parse_question("tea", mode, 1).mode == mode


@each_case("text", ["", " ", "\n\t", "\u3000"])
def test_an_empty_question_is_refused(text: str) -> None:
    assert code_for(text, "hybrid", 5) == "empty_query"


@each_case("limit", [-1, 0, MAX_LIMIT + 1])
def test_a_limit_out_of_range_is_refused(limit: int) -> None:
    assert code_for("tea", "hybrid", limit) == "out_of_range"


@each_case("mode", ["", "Hybrid", "semantic", "\ud800"])
def test_an_unknown_mode_is_refused(mode: str) -> None:
    assert code_for("tea", mode, 5) == "unknown_word"


def test_an_overlong_question_is_cut_and_marked_as_clamped() -> None:
    exact = parse_question("a" * MAX_QUESTION_CHARS, "lexical", 5)
    assert (len(exact.text), exact.clamped) == (MAX_QUESTION_CHARS, False)
    longer = parse_question("a" * MAX_QUESTION_CHARS + " tail", "lexical", 5)
    assert (longer.text, longer.clamped) == (exact.text, True)


def test_a_scope_tag_is_not_searched_for() -> None:
    tagged = parse_question("[SCOPE: team] release day", "lexical", 5)
    assert (tagged.text, tagged.said, tagged.terms) == ("release day", "[SCOPE: team] release day", ("release", "day"))
    assert parse_question("[SCOPE: team]", "lexical", 5).terms == ("scope", "team")


def test_undecodable_bytes_become_question_marks() -> None:
    assert parse_question("caf\udce9 menu", "lexical", 5) == RecallQuestion(
        "caf? menu", "caf? menu", ("caf", "menu"), Mode.LEXICAL, 5, clamped=False
    )


def test_a_question_of_emoji_only_is_valid_without_terms() -> None:
    assert parse_question("😀", "hybrid", 5) == RecallQuestion("😀", "😀", (), Mode.HYBRID, 5, clamped=False)


@each_case(("limit", "pool"), [(1, MIN_POOL), (5, 20), (6, 24), (50, 200)])
def test_the_pool_is_larger_than_the_limit(limit: int, pool: int) -> None:
    assert parse_question("tea", "hybrid", limit).pool == pool


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=())))
def test_any_text_is_parsed_or_rejected_as_empty(text: str) -> None:
    if text.strip():
        assert parse_question(text, "hybrid", 5).text.encode()
    else:
        assert code_for(text, "hybrid", 5) == "empty_query"
