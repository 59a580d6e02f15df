"""JSON objects and messages that a person or a program gives as text."""

from typing import Any

from satchel.domain.strict_json import parse_json, parse_object
from satchel.errors import InvalidRequest


def json_object(text: str, name: str) -> dict[str, Any]:
    """Parse a text as one JSON object, or raise InvalidRequest."""
    try:
        return parse_object(text, name)
    except InvalidRequest as error:
        hint = 'such as {"goal": "…"}' if error.code == "not_an_object" else "give one JSON object"
        raise InvalidRequest(error.message, code="invalid_json", hint=hint) from None


def messages(text: str, name: str) -> list[Any]:
    """Return the messages in a text: a JSON list, one JSON object per line, or plain text as one message."""
    if not text.lstrip().startswith(("[", "{")):
        return [{"role": "user", "content": text}] if text.strip() else []
    try:
        found = parse_json(text, name)
    except InvalidRequest:
        return [json_object(line, name) for line in text.splitlines() if line.strip()]
    return found if isinstance(found, list) else [found]
