"""Parsing of golden sets."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.errors import InvalidRequest
from satchel.interfaces.evaluation.golden import Case, GoldenSet, Sample, golden_set
from tests.tables import each_case

SHIP: dict[str, Any] = {"key": "ship", "text": "We ship on Thursdays", "scope": "repo/api", "kind": "decision"}
TEA: dict[str, Any] = {"key": "tea", "text": "茶比咖啡好", "importance": 0.5, "title": "茶"}
ASKED: dict[str, Any] = {"id": "q1", "query": "release day", "scope": "repo/api", "expect": ["ship"]}


def read(*rows: dict[str, Any]) -> GoldenSet:
    return golden_set(((f"line {place}", row) for place, row in enumerate(rows, start=1)), default_scope="global")


def problem(*rows: dict[str, Any]) -> str:
    with pytest.raises(InvalidRequest) as caught:
        read(*rows)
    assert caught.value.code == "invalid_golden_set"
    assert "docs/evaluation.md" in caught.value.hint
    return caught.value.message


def test_rows_become_samples_and_cases_with_defaults() -> None:
    assert read(SHIP, TEA, ASKED) == GoldenSet(
        (
            Sample("ship", "We ship on Thursdays", "repo/api", "decision", None, None, "line 1"),
            Sample("tea", "茶比咖啡好", "global", "other", 0.5, "茶", "line 2"),
        ),
        (Case("q1", "release day", "repo/api", ("ship",), "other", "other", "line 3"),),
    )


def test_cases_may_come_before_their_memories() -> None:
    assert read(ASKED, SHIP).cases == (Case("q1", "release day", "repo/api", ("ship",), "other", "other", "line 1"),)


def test_a_set_without_memories_may_expect_anything() -> None:
    assert read(ASKED | {"expect": ["an id", "or a whole text"]}).cases[0].expect == ("an id", "or a whole text")


def test_the_digest_does_not_depend_on_places() -> None:
    assert read(SHIP, ASKED).digest == read(ASKED, SHIP).digest
    assert read(SHIP, ASKED).digest != read(SHIP, ASKED | {"query": "release days"}).digest
    assert read(SHIP, ASKED).digest != read(SHIP | {"importance": 0.9}, ASKED).digest


@each_case(
    ("rows", "said"),
    [
        ([SHIP, {"note": "what is this?"}, ASKED], "line 2: it has neither a text"),
        ([SHIP, SHIP | {"text": "another"}, ASKED], "line 2: the key 'ship' is already used at line 1"),
        ([SHIP, ASKED, ASKED], "line 3: the id 'q1' is already used at line 2"),
        ([SHIP | {"keys": "ship"}, ASKED], "line 1: unknown field 'keys'"),
        ([SHIP, ASKED | {"expected": ["ship"]}], "line 2: unknown field 'expected'"),
        ([SHIP | {"key": None}, ASKED], "line 1: it has no key"),
        ([SHIP | {"key": 7}, ASKED], "line 1: the key must be a string"),
        ([SHIP | {"text": "  "}, ASKED], "line 1: the text is empty"),
        ([SHIP | {"text": "\ud800"}, ASKED], "line 1: the text contains U+D800"),
        ([SHIP | {"scope": "No Scope"}, ASKED], "line 1: scope 'No Scope' is not valid"),
        ([SHIP | {"kind": 1}, ASKED], "line 1: the kind must be a string"),
        ([SHIP | {"importance": "high"}, ASKED], "line 1: the importance must be a number"),
        ([SHIP | {"importance": True}, ASKED], "line 1: the importance must be a number"),
        ([SHIP, ASKED | {"query": ""}], "line 2: the query is empty"),
        ([SHIP, ASKED | {"query": "x" * 20_001}], "line 2: the query has 20,001 characters"),
        ([SHIP, ASKED | {"expect": "ship"}], "line 2: 'expect' must be a list"),
        ([SHIP, ASKED | {"expect": []}], "line 2: 'expect' must be a list"),
        ([SHIP, ASKED | {"expect": [1]}], "line 2: what to expect must be a string"),
        ([SHIP, ASKED | {"expect": None}], "line 2: 'expect' must be a list"),
        ([SHIP, ASKED | {"expect": ["shop"]}], "line 2: no memory of the set has the key 'shop'"),
        ([SHIP, TEA, ASKED | {"expect": ["tea"]}], "line 3: 'tea' is in scope 'global', the case asks in 'repo/api'"),
        ([SHIP], "the golden set: it has no cases"),
        ([], "the golden set: it has no cases"),
    ],
)
def test_an_invalid_row_is_refused_with_its_place(rows: list[dict[str, Any]], said: str) -> None:
    assert problem(*rows).startswith(said)


def test_a_set_of_too_many_rows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.interfaces.evaluation.golden.MAX_ROWS", 2)

    assert problem(SHIP, TEA, ASKED) == "line 3: a golden set has at most 2 rows"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


@settings(deadline=None, derandomize=True)
@given(field=st.sampled_from(sorted({*SHIP, *TEA, *ASKED, "family", "language"})), value=JSON)
def test_any_field_value_is_parsed_or_refused(field: str, value: Any) -> None:
    try:
        golden = read(TEA | {field: value} if field in TEA | SHIP else TEA, SHIP, ASKED | {field: value})
    except InvalidRequest as error:
        assert error.code == "invalid_golden_set"
    else:
        assert golden.digest
