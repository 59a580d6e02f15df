"""A Claude account export: conversations word for word, the documents of projects, and what Claude remembers.

An export is a zip, a folder or one of its files: conversations.json, projects.json or projects/ID.json, memories.json.
"""

import re
from collections.abc import Iterator
from itertools import zip_longest

from satchel.domain.imports import DocumentItem, Fields, Item, MemoryItem, Refusal, TurnItem, text_key
from satchel.domain.record import Kind
from satchel.errors import InvalidRequest
from satchel.importing.markdown import Statement, split_note, statements
from satchel.importing.reading import (
    each,
    file_name,
    first_object,
    json_of,
    mapping,
    moment,
    objects,
    optional_text,
    sequence,
    source_files,
)
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceForm

COLLECTION = "claude-projects"
_ROLES = {"human": "user", "user": "user", "assistant": "assistant"}
_PROJECT = re.compile(r"(^|.*/)projects(\.json|/[^/]+\.json)", re.IGNORECASE)
_BOLD = re.compile(r"\*\*([^*\n]{1,200}?):?\*\*:?")
_UNNAMED = re.compile(r"[^\w.-]+")


def recognises(source: ImportSource) -> float:
    """Recognise messages by a sender, projects by their documents, and memories by their names."""
    paths = [source.name] if source.form is SourceForm.FILE else _paths(source)
    return 0.95 if any(_is_own(source, path) for path in paths if path.lower().endswith(".json")) else 0.0


def _paths(source: ImportSource) -> list[str]:
    names = ("conversations.json", "projects.json", "memories.json")
    return [
        one.path for one in source_files(source) if file_name(one.path).lower() in names or _PROJECT.fullmatch(one.path)
    ]


def _is_own(source: ImportSource, path: str) -> bool:
    first = first_object(source, path)
    return any({"uuid", name} <= first.keys() for name in ("chat_messages", "docs", "prompt_template")) or bool(
        {"conversations_memory", "project_memories"} & first.keys()
    )


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield the turns of conversations, the documents of projects, and the memories."""
    for path in [source.name] if source.form is SourceForm.FILE else _paths(source):
        yield from each(_objects(source, path), _items)


def _objects(source: ImportSource, path: str) -> Iterator[tuple[str, Fields] | Refusal]:
    if not _PROJECT.fullmatch(path) or path.lower().endswith("projects.json"):
        yield from objects(source, path)
        return
    try:
        yield path, mapping(json_of(source, path))
    except InvalidRequest as error:
        yield Refusal(path, error.code)


def _items(place: str, fields: Fields) -> Iterator[Item]:
    if "chat_messages" in fields:
        yield from _turns(place, fields)
    elif "conversations_memory" in fields or "project_memories" in fields:
        yield from _memories(place, fields)
    elif "docs" in fields or "prompt_template" in fields:
        yield from _project(place, fields)
    else:
        raise InvalidRequest("not a conversation, a project or memories", code="unknown_record")


def _turns(place: str, fields: Fields) -> Iterator[Item]:
    session = f"claude:{optional_text(fields, 'uuid') or text_key(place, str(fields.get('name')))}"[:1_000]
    for message in map(mapping, sequence(fields["chat_messages"])):
        role, text = _ROLES.get(str(message.get("sender"))), _text(message)
        id = optional_text(message, "uuid")
        if role and text:
            yield TurnItem(
                key=id or text_key(session, text),
                place=f"{place} message {id}" if id else place,
                session=session,
                role=role,
                text=text,
                at=moment(message.get("created_at")),
            )


def _text(message: Fields) -> str:
    """Return the words of a message, with the text of its attachments. Thoughts and tool calls are left out."""
    blocks = map(mapping, sequence(message.get("content")))
    said = [one.get("text") for one in blocks if one.get("type") in (None, "text")]
    spoken: list[object] = [one for one in said if isinstance(one, str) and one.strip()] or [message.get("text")]
    attached = [mapping(one).get("extracted_content") for one in sequence(message.get("attachments"))]
    return "\n\n".join(one.strip() for one in (*spoken, *attached) if isinstance(one, str) and one.strip())


def _memories(place: str, fields: Fields) -> Iterator[Item]:
    yield from _statements(place, fields.get("conversations_memory"), None)
    for project, text in mapping(fields.get("project_memories")).items():
        yield from _statements(f"{place} project {project}"[:200], text, project)


def _statements(place: str, text: object, project: str | None) -> Iterator[Item]:
    if not isinstance(text, str):
        return
    for one in _under_titles(statements(split_note(text))):
        title = " > ".join(one.headings)[:1_000] or None
        yield MemoryItem(
            key=text_key(project or "", one.text),
            place=f"{place}:{one.line}",
            text=one.text,
            title=title,
            tags=(f"claude-project:{project}"[:200],) if project else (),
        )


def _under_titles(found: Iterator[Statement]) -> Iterator[Statement]:
    """Yield statements, with a bold line as the title of what follows it. Without anything below, it is a statement."""
    listed = list(found)
    title, above = "", tuple[str, ...]()
    for one, following in zip_longest(listed, listed[1:]):
        bold, text = _split_title(one.text)
        if one.headings[: len(above)] != above:
            title, above = "", ()
        if bold and (text or (following is not None and not _split_title(following.text)[0])):
            title, above = bold, one.headings
        if text:
            below = [name for name in one.headings[len(above) :] if _split_title(name)[0] != title]
            yield Statement(text, one.line, (*above, *filter(None, [title]), *below))
        elif title != bold:
            yield one


def _split_title(text: str) -> tuple[str, str]:
    """Return the bold line that a text begins with, without its marks, and the rest."""
    first, _, rest = text.partition("\n")
    bold = _BOLD.fullmatch(first.strip())
    return (bold[1].strip(), rest.strip()) if bold else ("", text)


def _project(place: str, fields: Fields) -> Iterator[Item]:
    name = optional_text(fields, "name", limit=200) or "project"
    at = moment(fields.get("created_at"))
    id = optional_text(fields, "uuid") or name
    if prompt := optional_text(fields, "prompt_template", limit=100_000):
        yield MemoryItem(
            key=text_key(id, prompt), place=place, text=prompt, kind=Kind.PREFERENCE, title=name, created_at=at
        )
    for number, document in enumerate(map(mapping, sequence(fields.get("docs"))), 1):
        text = optional_text(document, "content", limit=2_000_000)
        file = _UNNAMED.sub("-", optional_text(document, "filename", limit=200) or f"{number}.md").strip("-.")
        if text:
            yield DocumentItem(
                place=f"{place} document {number}",
                collection=COLLECTION,
                path=f"{_UNNAMED.sub('-', name).strip('-.') or 'project'}/{file or number}",
                text=text,
                at=moment(document.get("created_at")) or at,
            )


READER = Reader(ImportKind.CLAUDE, "a Claude export", recognises, read)
