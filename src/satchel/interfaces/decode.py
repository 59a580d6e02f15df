"""JSON back to values: what `encode` made of a result becomes that result again."""

from collections.abc import Mapping
from types import UnionType
from typing import Any, get_args

from msgspec import ValidationError, convert

from satchel.domain.receipt import Receipt


def receipt_of(value: Any) -> Receipt:
    """Return a receipt as it was, its digest compared. Raises ValueError where it is another."""
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
        )
        same = receipt.digest == value["digest"]
    except (KeyError, TypeError) as error:
        raise ValueError("it is not a receipt") from error
    if not same:
        raise ValueError("the receipt is not the one that was digested")
    return receipt


def decoded(kind: Any, value: Any) -> Any:
    """Return the value of a type from plain JSON. Raises ValueError where the JSON is not one."""
    if isinstance(kind, UnionType):
        return _one_of(get_args(kind), value)
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise ValueError(str(error)) from error


def _one_of(kinds: tuple[Any, ...], value: Any) -> Any:
    # msgspec would need a tag in the JSON to tell Structs apart.
    for kind in kinds:
        try:
            return decoded(kind, value)
        except ValueError:
            continue
    raise ValueError(f"{type(value).__name__} is none of {', '.join(str(kind) for kind in kinds)}")
