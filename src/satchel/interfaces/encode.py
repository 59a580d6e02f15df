"""Values as JSON: the shapes that leave the program."""

from typing import Any

from msgspec import to_builtins

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
    """Return a value as plain JSON: Structs as objects, enumerations as their values, anything else as text."""
    return _lists(to_builtins(value, str_keys=True, enc_hook=str))


def _lists(value: Any) -> Json:
    # msgspec leaves tuples as they are, which are no arrays to a JSON Schema.
    if isinstance(value, dict):
        return {name: _lists(item) for name, item in value.items()}
    return [_lists(item) for item in value] if isinstance(value, (list, tuple)) else value
