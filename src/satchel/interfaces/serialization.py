"""Convert results, answers and receipts to JSON and back, and describe result types as JSON Schema."""

from collections.abc import Mapping, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints, is_typeddict

from msgspec import Struct, UnsetType, ValidationError, convert, to_builtins
from msgspec.structs import fields as struct_fields

from satchel.domain.canonical import Json
from satchel.domain.envelope import Failed, Ok
from satchel.domain.receipt import Receipt

Schema = dict[str, Any]

_SCALARS: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    Any: {},
}


def envelope(answer: Ok[Any] | Failed) -> dict[str, Json]:
    """Return the JSON of an answer: result or error, with the receipt."""
    if isinstance(answer, Ok):
        return {"ok": True, "result": to_json(answer.result), "receipt": receipt_to_json(answer.receipt)}
    error: dict[str, Json] = {"code": answer.code, "message": answer.message, "hint": answer.hint}
    return {"ok": False, "error": error, "receipt": receipt_to_json(answer.receipt)}


def to_json(value: Any) -> Json:
    """Convert a value to plain JSON: Structs to objects, enumerations to their values, unknown types to text."""
    return _tuples_to_lists(to_builtins(value, str_keys=True, enc_hook=str))


def _tuples_to_lists(value: Any) -> Json:
    # msgspec keeps tuples, which JSON Schema validators do not accept as arrays.
    if isinstance(value, dict):
        return {name: _tuples_to_lists(item) for name, item in value.items()}
    return [_tuples_to_lists(item) for item in value] if isinstance(value, (list, tuple)) else value


def from_json(kind: Any, value: Any) -> Any:
    """Convert plain JSON to a value of a type, the inverse of `to_json`. Raises ValueError if it does not fit."""
    if isinstance(kind, UnionType):
        return _first_fitting(get_args(kind), value)
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise ValueError(str(error)) from error


def _first_fitting(kinds: tuple[Any, ...], value: Any) -> Any:
    # msgspec decodes a union of Structs only if the JSON has a tag field.
    for kind in kinds:
        try:
            return from_json(kind, value)
        except ValueError:
            continue
    raise ValueError(f"{type(value).__name__} fits none of {', '.join(str(kind) for kind in kinds)}")


def receipt_to_json(receipt: Receipt) -> dict[str, Json]:
    """Return the JSON of a receipt: its body, the digest of the body, and the times, which the digest does not cover."""
    return {
        "digest": receipt.digest,
        "body": to_json(receipt.body),
        "at": receipt.at,
        "duration_ms": receipt.duration_ms,
        "kept": receipt.kept,
    }


def receipt_from_json(value: Any) -> Receipt:
    """Return the receipt that a JSON object describes. Raises ValueError if it is malformed or its digest differs."""
    try:
        body: Mapping[str, Any] = value["body"]
        receipt = Receipt(
            operation=body["operation"],
            asked=body["asked"],
            considered=body["considered"],
            decided=body["decided"],
            warnings=tuple(body["warnings"]),
            at=value["at"],
            duration_ms=value["duration_ms"],
            kept=value["kept"],
            actor=body.get("actor", ""),
        )
        matches = receipt.digest == value["digest"]
    except (KeyError, TypeError) as error:
        raise ValueError("not a receipt") from error
    if not matches:
        raise ValueError("the receipt does not match its digest")
    return receipt


def schema_of(kind: Any, named: dict[str, Schema] | None = None) -> Schema:
    """Return the JSON Schema of what `to_json` makes of a value of this type.

    msgspec's own schemas allow unknown fields, make fields with a default optional, and use references, which some MCP
    clients cannot resolve. With `named`, the schemas of Structs are put there by name and referred to, as OpenAPI does.
    """
    if isinstance(kind, NewType):
        return schema_of(kind.__supertype__, named)
    if kind in _SCALARS:
        return dict(_SCALARS[kind])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    if is_typeddict(kind):
        return object_schema(_property_schemas(kind, named), required=sorted(kind.__required_keys__))
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _struct_schema(kind, None) if named is None else _reference(kind, named)
    return _generic_schema(get_origin(kind), get_args(kind), kind, named)


def _reference(kind: type[Struct], named: dict[str, Schema]) -> Schema:
    # A class name means one thing in the whole package.
    if kind.__name__ not in named:
        named[kind.__name__] = {}
        named[kind.__name__] = _struct_schema(kind, named)
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def _struct_schema(kind: type[Struct], named: dict[str, Schema] | None) -> Schema:
    hints = get_type_hints(kind)
    types = {one.encode_name: hints[one.name] for one in struct_fields(kind)}
    properties = {name: schema_of(one, named) for name, one in types.items()}
    # A field that may be unset is left out of the JSON then.
    return object_schema(properties, required=[name for name, one in types.items() if UnsetType not in get_args(one)])


def _property_schemas(kind: Any, named: dict[str, Schema] | None) -> dict[str, Schema]:
    return {name: schema_of(one, named) for name, one in get_type_hints(kind).items()}


def object_schema(properties: Mapping[str, Schema], required: Sequence[str] | None = None) -> Schema:
    """Return the schema of an object with exactly these properties, all required by default."""
    names = list(properties if required is None else required)
    return {"type": "object", "properties": dict(properties), "required": names, "additionalProperties": False}


def _generic_schema(origin: Any, parts: tuple[Any, ...], kind: Any, named: dict[str, Schema] | None) -> Schema:
    if origin in (Union, UnionType):
        schemas = [schema_of(part, named) for part in parts if part is not UnsetType]
        return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": schema_of(parts[0], named)}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1], named)}
    raise TypeError(f"no JSON Schema for {kind!r}")


_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
ERROR_SCHEMA = object_schema({"code": _TEXT, "message": _TEXT, "hint": _TEXT})
"""The schema of the error in an envelope."""
RECEIPT_SCHEMA = object_schema(
    {
        "digest": _TEXT,
        "body": object_schema(
            {
                "schema": _TEXT,
                "operation": _TEXT,
                "asked": _OBJECT,
                "considered": _OBJECT,
                "decided": _OBJECT,
                "warnings": {"type": "array", "items": _TEXT},
                "actor": _TEXT,
            },
            required=["schema", "operation", "asked", "considered", "decided", "warnings"],
        ),
        "at": {"type": "integer"},
        "duration_ms": {"type": "number"},
        "kept": {"type": "boolean"},
    }
)
"""The schema of what `receipt_to_json` returns."""
