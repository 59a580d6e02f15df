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


def messages(text: str, name: str) -> list[Any]:
    """Return the messages that a text holds: a JSON list, one JSON object to a line, or plain text as one message."""
    if not text.lstrip().startswith(("[", "{")):
        return [{"role": "user", "content": text}] if text.strip() else []
    try:
        found = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return [json_object(line, name) for line in text.splitlines() if line.strip()]
    return found if isinstance(found, list) else [found]


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
