"""Validation of request fields with any JSON value."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.attention import fields
from satchel.domain.attention import Role
from satchel.errors import InvalidRequest

_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=4), inner, max_size=3)),
    max_leaves=6,
)
CHECKS: dict[str, Any] = {
    "text": lambda value: fields.text(value, "colour"),
    "texts": lambda value: fields.texts(value, "colour"),
    "word": lambda value: fields.word(Role, value, "colour"),
    "share": lambda value: fields.share(value, "colour"),
    "clamped": lambda value: fields.clamped(value, "colour"),
    "whole": lambda value: fields.whole(value, "colour", least=0, most=3),
    "switch": lambda value: fields.switch(value, "colour"),
    "moment": lambda value: fields.moment(value, "colour"),
    "object": lambda value: fields.obj(value, "colour"),
}


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@settings(max_examples=120, deadline=None, derandomize=True)
@given(value=_JSON)
def test_any_value_is_accepted_or_rejected_by_field_name(check: Any, value: Any) -> None:
    try:
        check(value)
    except InvalidRequest as refused:
        assert refused.message.startswith("colour")
        refused.message.encode("utf-8")


def test_a_single_value_becomes_a_list_and_blanks_are_dropped() -> None:
    assert fields.texts("a", "x") == ("a",)
    assert fields.texts(["a", " ", "", "b"], "x") == ("a", "b")
    assert fields.texts(None, "x") == ()
    assert fields.several({"a": 1}, "x") == ({"a": 1},)


def test_numbers_are_clamped_and_integers_may_be_floats() -> None:
    assert [fields.clamped(value, "x") for value in (-3, 0.25, 10**400, None)] == [0.0, 0.25, 1.0, None]
    assert fields.whole(2.0, "x", least=0, most=3) == 2


def test_a_deeply_nested_object_is_rejected() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}

    with pytest.raises(InvalidRequest, match="colour"):
        fields.obj(deep, "colour")
    while deep:  # freeing it all at once would go as deep
        deep = deep.pop("a")
