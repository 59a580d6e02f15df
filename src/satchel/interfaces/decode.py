"""JSON back to values: what `encode` made of a result becomes that result again, led by its type alone."""

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NewType, Union, get_args, get_origin, get_type_hints, is_typeddict

from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.interfaces.schema import is_record

_SCALARS: dict[Any, tuple[type, ...]] = {
    bool: (bool,),
    int: (int,),
    float: (float, int),
    str: (str,),
    NoneType: (NoneType,),
}


def answer_of(kind: Any, envelope: Mapping[str, Any]) -> Ok[Any]:
    """Return the answer that an envelope holds. Raises ValueError where it does not hold one of that type."""
    return Ok(decoded(kind, envelope.get("result")), receipt_of(envelope.get("receipt")))


def receipt_of(value: Any) -> Receipt:
    """Return a receipt as it was, its digest compared."""
    parts = _object(value)
    body = _object(parts.get("body"))
    receipt = Receipt(
        operation=decoded(str, body.get("operation")),
        asked=_object(body.get("asked")),
        considered=_object(body.get("considered")),
        decided=_object(body.get("decided")),
        warnings=decoded(tuple[str, ...], body.get("warnings")),
        at=decoded(int, parts.get("at")),
        duration_ms=decoded(float, parts.get("duration_ms")),
        kept=decoded(bool, parts.get("kept")),
    )
    if receipt.digest != parts.get("digest"):
        raise ValueError("the receipt is not the one that was digested")
    return receipt


def decoded(kind: Any, value: Any) -> Any:
    """Return the value of a type that stands behind plain JSON. Raises ValueError where none does."""
    if isinstance(kind, NewType):
        return decoded(kind.__supertype__, value)
    if kind in _SCALARS:
        return _scalar(kind, value)
    if kind is Any:
        return value
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if is_typeddict(kind):
        hints = _hints(kind)
        return {name: decoded(hints[name], part) for name, part in _object(value).items() if name in hints}
    if isinstance(kind, type) and is_record(kind):
        return _record(kind, _object(value))
    return _composed(get_origin(kind), get_args(kind), value, kind)


def _scalar(kind: Any, value: Any) -> Any:
    # A number stays as it was written: 1 and 1.0 are shown differently.
    if type(value) not in _SCALARS[kind]:
        raise ValueError(f"{type(value).__name__} stands where {kind.__name__} was expected")
    return value


def _record(kind: type, parts: Mapping[str, Any]) -> Any:
    hints = _hints(kind)
    if set(hints) != set(parts):
        raise ValueError(f"{kind.__name__} has other fields")
    return kind(**{name: decoded(hints[name], part) for name, part in parts.items()})


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _composed(origin: Any, parts: tuple[Any, ...], value: Any, kind: Any) -> Any:
    if origin in (Union, UnionType):
        # A union of every scalar is `Json`: it is what it is.
        return value if set(_SCALARS) <= set(parts) else _one_of(parts, value)
    if origin in (tuple, list, Sequence):
        if not isinstance(value, list):
            raise ValueError("a list was expected")
        items = [decoded(parts[0], item) for item in value]
        return items if origin is list else tuple(items)
    if origin in (dict, Mapping):
        return {name: decoded(parts[1], item) for name, item in _object(value).items()}
    raise TypeError(f"nothing can be made of {kind!r}")


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    for kind in kinds:
        try:
            return decoded(kind, value)
        except ValueError:
            continue
    raise ValueError(f"{type(value).__name__} is none of what was expected")


def _object(value: Any) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ValueError("an object was expected")
    return value
