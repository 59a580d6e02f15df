"""Convert every result to JSON and back, and describe it as JSON Schema."""

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NewType, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import UNSET, Struct, UnsetType

from satchel.domain.answers import Stored
from satchel.domain.canonical import Json
from satchel.domain.envelope import Failed, Ok
from satchel.domain.ranking import Contribution
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Label, MemoryId
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.operations import OPERATIONS, Operation
from satchel.interfaces.serialization import (
    envelope,
    from_json,
    receipt_from_json,
    receipt_to_json,
    schema_of,
    to_json,
)
from tests.faults.extent import extent
from tests.tables import each_case

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


class Part(Struct, frozen=True):
    name: MemoryId
    label: Label


class Whole(Struct, frozen=True):
    parts: tuple[Part, ...]
    count: int
    share: float | None
    by_name: Mapping[str, int]
    anything: Mapping[str, Json]
    done: bool = False


class Shape(TypedDict):
    name: str
    more: NotRequired[Mapping[str, Json]]


def test_structs_become_objects_and_enumerations_become_text() -> None:
    value = {"kind": Kind.DECISION, "parts": (Contribution("lexical", 1, 2.5, 0.5),), "none": None}

    assert to_json(value) == {
        "kind": "decision",
        "parts": [{"name": "lexical", "rank": 1, "raw": 2.5, "value": 0.5}],
        "none": None,
    }


def test_the_envelope_has_a_result_or_an_error() -> None:
    receipt = Receipt("stats", asked={})

    assert set(envelope(Ok({"a": 1}, receipt))) == {"ok", "result", "receipt"}
    assert envelope(Failed("busy", "it is busy", "wait", receipt))["error"] == {
        "code": "busy",
        "message": "it is busy",
        "hint": "wait",
    }


@cache
def _values(kind: Any) -> st.SearchStrategy[Any]:
    """Return a strategy for the values of a type."""
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
        return st.one_of(*(st.just(UNSET) if part is UnsetType else _values(part) for part in parts))
    if origin in (list, Sequence):
        return st.lists(_values(parts[0]), max_size=3)
    if origin is tuple:
        return st.lists(_values(parts[0]), max_size=3).map(tuple)
    assert origin in (dict, Mapping), kind
    return st.dictionaries(st.text(), _values(parts[1]), max_size=3)


@each_case("name", RESULTS)
@settings(
    max_examples=extent(6, 15), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_every_result_survives_a_round_trip(name: str, data: st.DataObject) -> None:
    value = data.draw(_values(RESULTS[name]))
    wire = json.loads(json.dumps(to_json(value)))

    assert from_json(RESULTS[name], wire) == value
    assert json.dumps(to_json(from_json(RESULTS[name], wire))) == json.dumps(to_json(value))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    asked=st.dictionaries(st.text(alphabet=st.characters(codec="utf-8")), st.integers() | st.booleans(), max_size=3),
    warnings=st.lists(st.text(alphabet=st.characters(codec="utf-8")), max_size=3),
    kept=st.booleans(),
)
def test_a_receipt_survives_a_round_trip_with_its_digest(
    asked: dict[str, Any], warnings: list[str], kept: bool
) -> None:
    receipt = Receipt("recall", asked, {"a": [1]}, {"b": None}, tuple(warnings), 7, 1.5, kept)
    wire = json.loads(json.dumps(receipt_to_json(receipt)))

    assert receipt_from_json(wire) == receipt
    assert json.dumps(receipt_to_json(receipt_from_json(wire))) == json.dumps(receipt_to_json(receipt))


def test_a_changed_receipt_is_rejected() -> None:
    wire = receipt_to_json(Receipt("recall", {"limit": 1}))
    changed = {**wire, "body": {**dict(wire["body"]), "asked": {"limit": 2}}}  # type: ignore[arg-type]

    with pytest.raises(ValueError, match="digest"):
        receipt_from_json(changed)


@each_case(
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
def test_a_value_of_another_type_is_rejected(kind: Any, value: Any) -> None:
    with pytest.raises(ValueError):
        from_json(kind, value)


def test_a_malformed_receipt_is_rejected() -> None:
    wires: tuple[Any, ...] = (None, [], {}, {"body": {}}, {"body": None}, {"body": {"operation": "recall"}, "at": 1})
    for wire in wires:
        with pytest.raises(ValueError):
            receipt_from_json(wire)


def test_a_typed_dictionary_becomes_an_object_with_optional_fields() -> None:
    assert schema_of(Shape) == {
        "type": "object",
        "properties": {"name": {"type": "string"}, "more": {"type": "object", "additionalProperties": {}}},
        "required": ["name"],
        "additionalProperties": False,
    }


def test_a_struct_becomes_an_object_with_exactly_its_fields() -> None:
    assert schema_of(Part) == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "label": {"enum": ["must_remember", "nice_to_have", "ignore", "unknown"]},
        },
        "required": ["name", "label"],
        "additionalProperties": False,
    }


def test_encoded_values_conform_to_their_schema() -> None:
    validator = Draft202012Validator(schema_of(Whole))
    whole = Whole((Part(MemoryId("a"), Label.IGNORE),), 1, None, {"a": 1}, {"a": [None, {"b": 1.5}]})

    assert not list(validator.iter_errors(to_json(whole)))
    assert list(validator.iter_errors({**dict(to_json(whole)), "more": 1}))  # type: ignore[arg-type]
    assert list(validator.iter_errors({"parts": []}))


@each_case(
    ("kind", "schema"),
    [
        (Any, {}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    ],
)
def test_generic_types_become_arrays_objects_and_alternatives(kind: Any, schema: dict[str, Any]) -> None:
    assert schema_of(kind) == schema


def test_an_unsupported_type_has_no_schema() -> None:
    with pytest.raises(TypeError):
        schema_of(object)


@each_case("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_result_has_a_valid_schema(operation: Operation) -> None:
    Draft202012Validator.check_schema(schema_of(operation.result))
