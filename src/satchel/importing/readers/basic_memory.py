"""A basic-memory folder: notes as documents, their observations as memories, their relations into the graph.

An observation is `- [category] text #tag (context)`, a relation `- relation [[Target]] (context)`.
"""

import re
from collections.abc import Iterator

from satchel.domain.document import SkippedFile
from satchel.domain.imports import EntityItem, Item, MemoryItem, Refusal, RelationItem, text_key
from satchel.domain.record import Kind
from satchel.errors import InvalidRequest, SatchelError
from satchel.importing.markdown import Note, split_note
from satchel.importing.readers.markdown_folder import document
from satchel.importing.reading import file_name, files_ending, moment, optional_text, source_files, text_of
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceFile, SourceForm

# How many notes are looked at to recognise a folder.
MAX_LOOKED_AT = 20
MAX_LINE_CHARS = 20_000
_OBSERVATION = re.compile(r"^\s*[-*]\s+\[([^\[\]()]{1,100})\]\s+(\S.*)$")
_RELATION = re.compile(r"^\s*[-*]\s+(?:\"([^\"]{1,200})\"|([^\[\]]{0,200}?))\s*\[\[([^\[\]]{1,300})\]\]")
_TAG = re.compile(r"(?<!\S)#([\w/-]{1,100})")
_CHECKBOX = frozenset({"x", "X", " ", "-", "/"})
_KINDS = {
    "decision": Kind.DECISION,
    "preference": Kind.PREFERENCE,
    "rule": Kind.PREFERENCE,
    "procedure": Kind.PROCEDURE,
    "technique": Kind.PROCEDURE,
    "todo": Kind.TODO,
    "task": Kind.TODO,
    "plan": Kind.PLAN,
}


def recognises(source: ImportSource) -> float:
    """Recognise notes by a permalink in their front matter."""
    if source.form not in (SourceForm.FOLDER, SourceForm.ARCHIVE):
        return 0.0
    notes = [one for one in source_files(source) if one.path.lower().endswith(".md")]
    return 0.85 if any(_has_permalink(source, one.path) for one in notes[:MAX_LOOKED_AT]) else 0.0


def _has_permalink(source: ImportSource, path: str) -> bool:
    try:
        return "permalink" in split_note(text_of(source, path)).fields
    except SatchelError:
        return False


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield each note, what it observes, and what it relates to."""
    for one in files_ending(source, ".md"):
        if isinstance(one, SkippedFile):
            yield Refusal(one.path, one.reason)
            continue
        try:
            text = text_of(source, one.path)
        except InvalidRequest as error:
            yield Refusal(one.path, error.code)
            continue
        yield document(source, one, text)
        yield from _statements(one, split_note(text))


def _statements(file: SourceFile, note: Note) -> Iterator[Item | Refusal]:
    title = optional_text(note.fields, "title", limit=200) or file_name(file.path).rpartition(".")[0]
    if "permalink" in note.fields:
        yield EntityItem(place=file.path, name=title, type=optional_text(note.fields, "type", limit=100) or "note")
    at = moment(note.fields.get("created") or note.fields.get("date")) or file.at
    for number, line in enumerate(note.body.split("\n"), note.skipped_lines + 1):
        place = f"{file.path}:{number}"
        if len(line) > MAX_LINE_CHARS:
            yield Refusal(place, "text_too_long")
        elif (found := _OBSERVATION.match(line)) and found[1] not in _CHECKBOX:
            yield _observation(file, place, title, at, found[1].strip(), found[2].strip())
        elif found := _RELATION.match(line):
            relation = (found[1] or found[2] or "").strip() or "relates to"
            yield RelationItem(place=place, tail=title, relation=relation, head=found[3].partition("|")[0].strip())


def _observation(file: SourceFile, place: str, title: str, at: int | None, category: str, text: str) -> MemoryItem:
    return MemoryItem(
        key=text_key(file.path, f"[{category}] {text}"),
        place=place,
        text=text,
        kind=_KINDS.get(category.casefold(), Kind.FACT),
        title=title,
        tags=tuple(dict.fromkeys((category, *_TAG.findall(text))))[:50],
        created_at=at,
    )


READER = Reader(ImportKind.BASIC_MEMORY, "a basic-memory folder", recognises, read)
