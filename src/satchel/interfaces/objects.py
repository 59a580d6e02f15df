"""JSON objects as they arrive: text that is one, or a clear refusal."""

import json
from typing import Any, NoReturn

from satchel.errors import InvalidRequest


def json_object(text: str, name: str) -> dict[str, Any]:
    """Return the object that a text holds. NaN and infinity are no JSON."""
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        reason = f"line {error.lineno} column {error.colno}" if isinstance(error, json.JSONDecodeError) else str(error)
        raise InvalidRequest(
            f"{name} is not JSON: {reason}", code="invalid_json", hint="give one JSON object"
        ) from None
    if not isinstance(found, dict):
        raise InvalidRequest(f"{name} must be a JSON object", code="invalid_json", hint='such as {"goal": "…"}')
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
