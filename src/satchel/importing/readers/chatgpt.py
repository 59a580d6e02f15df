"""A ChatGPT account export: conversations word for word, and what ChatGPT was told to remember.

An export is a zip, a folder or conversations.json; a large one is split into conversations-000.json and so on. A conversation
is a tree of messages, of which the branch that was last shown is read.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from satchel.domain.imports import Fields, Item, MemoryItem, Refusal, TurnItem, text_key
from satchel.domain.record import Kind
from satchel.errors import InvalidRequest
from satchel.importing.reading import (
    each,
    file_name,
    first_object,
    mapping,
    moment,
    objects,
    optional_text,
    sequence,
    source_files,
)
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceForm

_CONVERSATIONS = re.compile(r"conversations(-\d+)?\.json", re.IGNORECASE)
# Citations and other directives that ChatGPT puts between private characters.
_MARKERS = re.compile("\ue200[^\ue201]*\ue201|[\ue200-\ue206]")
_SHOWN_ROLES = frozenset({"user", "assistant"})
_SHOWN_CONTENT = frozenset({"text", "multimodal_text"})
# "1. [2024-05-01]. Lives in Oslo", as a list of memories was put before a conversation.
_LISTED_MEMORY = re.compile(r"^\s*\d+\.\s*(?:\[(\d{4}-\d\d-\d\d)\]\.?\s*)?(.+)$", re.MULTILINE)
_INSTRUCTIONS = ("about_user_message", "about_model_message", "user_profile", "user_instructions")
MAX_MESSAGES = 100_000


def recognises(source: ImportSource) -> float:
    """Recognise a list of conversations with a mapping of messages."""
    if source.form is SourceForm.FILE:
        is_json = source.name.lower().endswith(".json")
        return 0.95 if is_json and "mapping" in first_object(source, source.name) else 0.0
    own = [path for path in _paths(source) if "mapping" in first_object(source, path)]
    return 0.95 if own else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield the turns and the stated memories of every conversation."""
    for path in _paths(source):
        yield from each(objects(source, path), _conversation)


def _paths(source: ImportSource) -> list[str]:
    if source.form is SourceForm.FILE:
        return [source.name]
    return [one.path for one in source_files(source) if _CONVERSATIONS.fullmatch(file_name(one.path))]


def _conversation(place: str, fields: Fields) -> Iterator[Item]:
    nodes = fields.get("mapping")
    if not isinstance(nodes, dict):
        raise InvalidRequest("a conversation has no messages", code="missing_messages")
    id = optional_text(fields, "conversation_id", "id") or text_key(place, str(fields.get("title")))
    for message in _branch(nodes, fields.get("current_node")):
        yield from _items(place, f"chatgpt:{id}"[:1_000], message)


def _branch(nodes: Mapping[str, Any], last: Any) -> list[Fields]:
    """Return the messages that lead to the last one shown, in order. A circle of parents ends the branch."""
    leaf = last if isinstance(last, str) and last in nodes else _newest_leaf(nodes)
    found, seen = [], set[str]()
    while isinstance(leaf, str) and leaf in nodes and leaf not in seen and len(seen) < MAX_MESSAGES:
        seen.add(leaf)
        node = mapping(nodes[leaf])
        if message := mapping(node.get("message")):
            found.append(message)
        leaf = node.get("parent")
    return found[::-1]


def _newest_leaf(nodes: Mapping[str, Any]) -> str | None:
    leaves = [id for id, node in nodes.items() if not sequence(mapping(node).get("children"))]
    return max(
        leaves,
        key=lambda id: (moment(mapping(mapping(nodes[id]).get("message")).get("create_time")) or 0, id),
        default=None,
    )


def _items(place: str, session: str, message: Fields) -> Iterator[Item]:
    author, content = mapping(message.get("author")), mapping(message.get("content"))
    at, id = moment(message.get("create_time")), optional_text(message, "id")
    place = f"{place} message {id}" if id else place
    text, type = _text(content), content.get("content_type")
    if type == "model_editable_context":
        yield from _listed(place, content.get("model_set_context"))
    elif type == "user_editable_context":
        yield from _instructions(place, content, at)
    elif message.get("recipient") == "bio" and text:
        yield _memory(place, text, at)
    elif _is_shown(message, author, type) and text:
        yield TurnItem(
            key=id or text_key(session, text), place=place, session=session, role=author["role"], text=text, at=at
        )


def _is_shown(message: Fields, author: Fields, type: Any) -> bool:
    is_hidden = mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True
    to_all = message.get("recipient") in (None, "all")
    return author.get("role") in _SHOWN_ROLES and type in _SHOWN_CONTENT and to_all and not is_hidden


def _text(content: Fields) -> str:
    """Return the words of a message; images, files and sounds have none, except for a transcript."""
    parts = [part if isinstance(part, str) else mapping(part).get("text") for part in sequence(content.get("parts"))]
    given: list[object] = [part for part in parts if isinstance(part, str)] or [content.get("text")]
    return _MARKERS.sub("", "\n".join(part for part in given if isinstance(part, str))).strip()


def _listed(place: str, listed: Any) -> Iterator[MemoryItem]:
    for date, text in _LISTED_MEMORY.findall(listed if isinstance(listed, str) else ""):
        yield _memory(place, text.strip(), moment(date) if date else None)


def _instructions(place: str, content: Fields, at: int | None) -> Iterator[MemoryItem]:
    for name in _INSTRUCTIONS:
        if text := optional_text(content, name, limit=100_000):
            item = _memory(place, text, at)
            yield MemoryItem(key=item.key, place=place, text=text, kind=Kind.PREFERENCE, title=name, created_at=at)


def _memory(place: str, text: str, at: int | None) -> MemoryItem:
    # The same memory is listed in many conversations.
    return MemoryItem(key=text, place=place, text=text, created_at=at)


READER = Reader(ImportKind.CHATGPT, "a ChatGPT export", recognises, read)
