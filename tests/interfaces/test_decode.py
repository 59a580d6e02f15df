"""JSON back to values: the inverse of encoding, for every result of the table."""

import json
from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from satchel.domain.answers import Stored
from satchel.domain.receipt import Receipt
from satchel.interfaces.decode import decoded, receipt_of
from satchel.interfaces.encode import encoded
from satchel.interfaces.encode import receipt as encoded_receipt
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.operations import OPERATIONS

RESULTS = {one.name: one.result for one in OPERATIONS if not one.agents_only} | {"serve": ServerStatus}
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    str: st.text(),
    NoneType: st.none(),
}
JSON = st.recursive(
    st.one_of(*PLAIN.values()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)


def _values(kind: Any) -> st.SearchStrategy[Any]:
    """Return any value of a type."""
    if isinstance(kind, NewType):
        return _values(kind.__supertype__)
    if kind in PLAIN:
        return PLAIN[kind]
    if kind is Any:
        return JSON
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    if is_typeddict(kind) or (isinstance(kind, type) and issubclass(kind, Struct)):
        hints = get_type_hints(kind)
        return st.fixed_dictionaries({name: _values(one) for name, one in hints.items()}).map(lambda all: kind(**all))
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return st.one_of(*(_values(part) for part in parts))
    if origin is list:
        return st.lists(_values(parts[0]), max_size=3)
    if origin is tuple:
        return st.lists(_values(parts[0]), max_size=3).map(tuple)
    assert origin in (dict, Mapping), kind
    return st.dictionaries(st.text(), _values(parts[1]), max_size=3)


@pytest.mark.parametrize("name", RESULTS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(data=st.data())
def test_every_result_of_the_table_comes_back_as_it_was(name: str, data: st.DataObject) -> None:
    value = data.draw(_values(RESULTS[name]))
    wire = json.loads(json.dumps(encoded(value)))

    assert decoded(RESULTS[name], wire) == value
    assert json.dumps(encoded(decoded(RESULTS[name], wire))) == json.dumps(encoded(value))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    asked=st.dictionaries(st.text(alphabet=st.characters(codec="utf-8")), st.integers() | st.booleans(), max_size=3),
    warnings=st.lists(st.text(alphabet=st.characters(codec="utf-8")), max_size=3),
    kept=st.booleans(),
)
def test_a_receipt_comes_back_with_its_digest(asked: dict[str, Any], warnings: list[str], kept: bool) -> None:
    receipt = Receipt("recall", asked, {"a": [1]}, {"b": None}, tuple(warnings), 7, 1.5, kept)
    wire = json.loads(json.dumps(encoded_receipt(receipt)))

    assert receipt_of(wire) == receipt
    assert json.dumps(encoded_receipt(receipt_of(wire))) == json.dumps(encoded_receipt(receipt))


def test_a_receipt_that_was_changed_is_refused() -> None:
    wire = encoded_receipt(Receipt("recall", {"limit": 1}))
    changed = {**wire, "body": {**dict(wire["body"]), "asked": {"limit": 2}}}  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="digested"):
        receipt_of(changed)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (int, True),
        (int, 1.0),
        (bool, 1),
        (str, None),
        (float, "1"),
        (tuple[str, ...], "text"),
        (tuple[str, ...], [1]),
        (Mapping[str, int], []),
        (str | None, 7),
        (Stored, {"id": "a"}),
        (Stored, []),
    ],
)
def test_what_does_not_fit_is_refused(kind: Any, value: Any) -> None:
    with pytest.raises(ValueError):
        decoded(kind, value)


def test_what_is_no_receipt_is_refused() -> None:
    wires: tuple[Any, ...] = (None, [], {}, {"body": {}}, {"body": None}, {"body": {"operation": "recall"}, "at": 1})
    for wire in wires:
        with pytest.raises(ValueError):
            receipt_of(wire)
