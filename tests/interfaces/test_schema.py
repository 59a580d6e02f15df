"""Types as JSON Schema."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

import pytest
from jsonschema import Draft202012Validator
from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.record import Label, MemoryId
from satchel.interfaces.encode import encoded
from satchel.interfaces.operations import OPERATIONS, Operation
from satchel.interfaces.schema import schema_of


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


def test_a_typed_dictionary_becomes_an_object_that_may_lack_what_is_not_required() -> None:
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


def test_what_is_encoded_conforms_to_what_was_said() -> None:
    validator = Draft202012Validator(schema_of(Whole))
    whole = Whole((Part(MemoryId("a"), Label.IGNORE),), 1, None, {"a": 1}, {"a": [None, {"b": 1.5}]})

    assert not list(validator.iter_errors(encoded(whole)))
    assert list(validator.iter_errors({**dict(encoded(whole)), "more": 1}))  # type: ignore[arg-type]
    assert list(validator.iter_errors({"parts": []}))


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        (Any, {}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (Sequence[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, bool], {"type": "object", "additionalProperties": {"type": "boolean"}}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
    ],
)
def test_composed_types_become_arrays_objects_and_alternatives(kind: Any, schema: dict[str, Any]) -> None:
    assert schema_of(kind) == schema


def test_a_type_that_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError):
        schema_of(object)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_result_has_a_valid_schema(operation: Operation) -> None:
    Draft202012Validator.check_schema(schema_of(operation.result))
