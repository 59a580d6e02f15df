"""Conversation: messages as hosts send them, in the one form that the hooks read."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from satchel.domain.text import readable
from satchel.errors import InvalidRequest

MAX_MESSAGES = 1_000
# More of one text is never read: it would only slow the turn down.
MAX_TEXT_CHARS = 200_000
TEXT_TYPES = ("text", "input_text", "output_text")


class Said(Struct, frozen=True):
    """One message: who said it, and its blocks of text."""

    role: str
    blocks: tuple[str, ...]


class Conversation(Struct, frozen=True):
    """The messages of a conversation, oldest first."""

    messages: tuple[Said, ...]

    @property
    def texts(self) -> list[str]:
        """Everything that was said, by whomever."""
        return [block for message in self.messages for block in message.blocks]


def conversation(messages: Sequence[Any]) -> Conversation:
    """Return messages in one form: {"role", "content"}, the content a text or a list of texts and typed parts.

    What is no text (pictures, tool calls and their results) is left out.
    """
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Sequence):
        raise InvalidRequest(
            "messages must be a list", code="wrong_type", hint='such as [{"role": "user", "content": "…"}]'
        )
    return Conversation(tuple(_said(one) for one in messages[-MAX_MESSAGES:]))


def _said(message: Any) -> Said:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise InvalidRequest(
            "a message must have a role", code="wrong_type", hint='such as {"role": "user", "content": "…"}'
        )
    content = message.get("content")
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else [content]
    return Said(readable(message["role"]), tuple(text for part in parts if (text := _text(part))))


def _text(part: Any) -> str:
    if isinstance(part, Mapping):
        part = part.get("text") if part.get("type", "text") in TEXT_TYPES else None
    return readable(part[:MAX_TEXT_CHARS]) if isinstance(part, str) else ""
