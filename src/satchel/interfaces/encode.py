"""Values as JSON: the shapes that leave the program."""

from enum import Enum
from typing import Any

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.envelope import Failed, Ok
from satchel.domain.receipt import Receipt


def envelope(answer: Ok[Any] | Failed) -> dict[str, Json]:
    """Return the one answer shape of every operation."""
    if isinstance(answer, Ok):
        return {"ok": True, "result": encoded(answer.result), "receipt": receipt(answer.receipt)}
    error: dict[str, Json] = {"code": answer.code, "message": answer.message, "hint": answer.hint}
    return {"ok": False, "error": error, "receipt": receipt(answer.receipt)}


def receipt(value: Receipt) -> dict[str, Json]:
    """Return a receipt: its body, the digest over it, and the clock readings beside."""
    return {
        "digest": value.digest,
        "body": encoded(value.body),
        "at": value.at,
        "duration_ms": value.duration_ms,
        "kept": value.kept,
    }


def encoded(value: Any) -> Json:
    """Return a value as plain JSON, Structs and named tuples as objects."""
    if isinstance(value, Struct):
        return {name: encoded(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: encoded(item) for name, item in value._asdict().items()}
    if isinstance(value, Enum):
        return encoded(value.value)
    if isinstance(value, dict):
        return {str(key): encoded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encoded(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)
