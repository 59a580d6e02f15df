"""Types as JSON Schema: what `encode` will make of a value, said beforehand and derived from the type alone."""

from collections.abc import Mapping, Sequence
from enum import Enum
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints, is_typeddict

from msgspec import Struct

Schema = dict[str, Any]

_SCALARS: dict[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    Any: {},
}


def schema_of(kind: Any) -> Schema:
    """Return the schema of a type as an annotation names it."""
    if isinstance(kind, NewType):
        return schema_of(kind.__supertype__)
    if kind in _SCALARS:
        return dict(_SCALARS[kind])
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [word.value for word in kind]}
    if is_typeddict(kind):
        named = {name: schema_of(one) for name, one in get_type_hints(kind).items()}
        return object_of(named, required=sorted(kind.__required_keys__))
    if is_record(kind):
        return object_of({name: schema_of(one) for name, one in get_type_hints(kind).items()})
    return _composed(get_origin(kind), get_args(kind), kind)


def is_record(kind: Any) -> bool:
    """Say whether a type has named fields: a Struct, or a named tuple, which hooks use since it needs no library."""
    if not isinstance(kind, type):
        return False
    return issubclass(kind, Struct) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))


def object_of(properties: Mapping[str, Schema], required: Sequence[str] | None = None) -> Schema:
    """Return the schema of an object with exactly these properties, all of them required unless said otherwise."""
    needed = list(properties if required is None else required)
    return {"type": "object", "properties": dict(properties), "required": needed, "additionalProperties": False}


def _composed(origin: Any, parts: tuple[Any, ...], kind: Any) -> Schema:
    if origin in (Union, UnionType):
        # A union of every scalar is `Json`: anything goes.
        return {} if set(_SCALARS) - {Any} <= set(parts) else {"anyOf": [schema_of(part) for part in parts]}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": schema_of(parts[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1])}
    raise TypeError(f"no JSON Schema is known for {kind!r}")
