"""Types as JSON Schema: what `encode` will make of a value, derived from the type alone.

msgspec has schemas of its own, but of another contract: they allow unknown fields and call every field with a default
optional, while an answer always has exactly its fields; and they refer to definitions, which clients of MCP dislike.
"""

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
    if isinstance(kind, type) and issubclass(kind, Struct):
        return object_of({name: schema_of(one) for name, one in get_type_hints(kind).items()})
    return _composed(get_origin(kind), get_args(kind), kind)


def object_of(properties: Mapping[str, Schema], required: Sequence[str] | None = None) -> Schema:
    """Return the schema of an object with exactly these properties, all of them required unless said otherwise."""
    needed = list(properties if required is None else required)
    return {"type": "object", "properties": dict(properties), "required": needed, "additionalProperties": False}


def _composed(origin: Any, parts: tuple[Any, ...], kind: Any) -> Schema:
    if origin in (Union, UnionType):
        return {"anyOf": [schema_of(part) for part in parts]}
    if origin in (tuple, list, Sequence):
        return {"type": "array", "items": schema_of(parts[0])}
    if origin in (dict, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1])}
    raise TypeError(f"no JSON Schema is known for {kind!r}")
