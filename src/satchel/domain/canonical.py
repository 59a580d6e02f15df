"""Canonical JSON and tagged digests: equal values give equal bytes, on any machine."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
else:
    # msgspec does not support recursive type aliases.
    Json = Any


def canonical(value: Json) -> str:
    """Write a value as JSON with sorted keys, no spaces, real characters and no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(text: str) -> str:
    """Return the SHA-256 of a text with an algorithm tag, so that the algorithm can change later."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()
