"""Parse the messages that hosts send to the turn hooks."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest

# Only the newest messages are read.
MAX_MESSAGES = 1_000
# Maximum characters read of each text, to keep the turn fast.
MAX_TEXT_CHARS = 200_000
TEXT_TYPES = ("text", "input_text", "output_text")


class HostMessage(Struct, frozen=True):
    """One message: its role and its text blocks."""

    role: str
    blocks: tuple[str, ...]


class HostConversation(Struct, frozen=True):
    """Messages, oldest first."""

    messages: tuple[HostMessage, ...]

    @property
    def texts(self) -> list[str]:
        """The text blocks of all messages."""
        return [block for message in self.messages for block in message.blocks]


def parse_messages(messages: Sequence[Any]) -> HostConversation:
    """Parse messages {"role", "content"}; the content is a text or a list of texts and typed parts.

    Parts that are not text (images, tool calls, tool results) are skipped.
    """
    if isinstance(messages, (str, bytes)) or not isinstance(messages, Sequence):
        raise InvalidRequest(
            "messages must be a list", code="wrong_type", hint='such as [{"role": "user", "content": "…"}]'
        )
    return HostConversation(tuple(_message(one) for one in messages[-MAX_MESSAGES:]))


def _message(message: Any) -> HostMessage:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise InvalidRequest(
            "a message must have a role", code="wrong_type", hint='such as {"role": "user", "content": "…"}'
        )
    content = message.get("content")
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else [content]
    return HostMessage(replace_undecodable(message["role"]), tuple(text for part in parts if (text := _text(part))))


def _text(part: Any) -> str:
    if isinstance(part, Mapping):
        part = part.get("text") if part.get("type", "text") in TEXT_TYPES else None
    return replace_undecodable(part[:MAX_TEXT_CHARS]) if isinstance(part, str) else ""
