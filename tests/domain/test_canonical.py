"""Canonical JSON and tagged digests."""

import hashlib
import json
import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from satchel.domain.canonical import Json, canonical, digest
from tests.tables import each_case

steady = settings(max_examples=80, deadline=None, derandomize=True)

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=15,
)
# Few values, so that two of them are often equal.
few_values = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 0.0, 1.0, "", "a"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=3,
)


def exact(value: Any) -> object:
    """The value with its types: Python calls 1, 1.0 and True equal, JSON does not."""
    match value:
        case dict():
            return {key: exact(inner) for key, inner in value.items()}
        case list():
            return [exact(inner) for inner in value]
        case _:
            return type(value).__name__, repr(value)


def reversed_keys(value: Any) -> Any:
    match value:
        case dict():
            return {key: reversed_keys(value[key]) for key in reversed(value)}
        case list():
            return [reversed_keys(inner) for inner in value]
        case _:
            return value


def test_keys_are_sorted_without_spaces_or_escapes() -> None:
    value: Json = {"b": [1, 2.5, None, True], "a": {"ü": "记忆", "é": '"\n'}}
    assert canonical(value) == '{"a":{"é":"\\"\\n","ü":"记忆"},"b":[1,2.5,null,true]}'


def test_a_tuple_is_written_like_a_list() -> None:
    assert canonical(("a", ("b",))) == canonical(["a", ["b"]]) == '["a",["b"]]'


@steady
@given(values)
def test_the_order_of_keys_does_not_matter_at_any_depth(value: Any) -> None:
    assert canonical(reversed_keys(value)) == canonical(value)


@steady
@given(values)
def test_canonical_json_round_trips_with_types(value: Any) -> None:
    assert exact(json.loads(canonical(value))) == exact(value)


@settings(steady, max_examples=300)
@given(few_values, few_values)
@example({"a": 1}, {"a": 1.0})
@example([0.0], [-0.0])
@example([True], [1])
def test_two_texts_are_equal_exactly_when_the_values_are(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) == (exact(one) == exact(other))


@steady
@given(values)
def test_a_text_is_one_line_without_needless_spaces(value: Any) -> None:
    assert canonical(value) == json.dumps(
        json.loads(canonical(value)), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert "\n" not in canonical(value)


@each_case("number", [math.nan, math.inf, -math.inf])
@each_case("depth", [0, 1, 3])
def test_nan_and_infinity_are_refused_at_any_depth(number: float, depth: int) -> None:
    value: Json = number
    for _ in range(depth):
        value = {"deep": [value]}
    with pytest.raises(ValueError):
        canonical(value)


def test_the_digest_of_an_empty_text_is_known() -> None:
    assert digest("") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@steady
@given(st.text())
def test_a_digest_is_the_tagged_hash_of_the_utf8_bytes(text: str) -> None:
    tag, _, value = digest(text).partition(":")
    assert (tag, value) == ("sha256", hashlib.sha256(text.encode()).hexdigest())


@steady
@given(st.text(), st.text())
def test_different_texts_have_different_digests(one: str, other: str) -> None:
    assert (digest(one) == digest(other)) == (one == other)
