"""An Obsidian vault or any folder of Markdown: documents, or memories of the notes that have front matter."""

from collections.abc import Iterator, Mapping
from typing import Any

from satchel.domain.document import SkippedFile
from satchel.domain.imports import DocumentItem, Item, MemoryItem, Refusal
from satchel.domain.record import Kind
from satchel.errors import InvalidRequest
from satchel.importing.markdown import Note, split_note
from satchel.importing.reading import file_name, files_ending, moment, optional_text, text_of, words
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceFile, SourceForm

ENDINGS = (".md", ".markdown")
COLLECTION = "imported-notes"


def recognises(source: ImportSource) -> float:
    """Recognise Markdown by the names of files."""
    if source.form is SourceForm.FILE:
        return 0.5 if source.name.lower().endswith(ENDINGS) else 0.0
    if source.form not in (SourceForm.FOLDER, SourceForm.ARCHIVE):
        return 0.0
    paths = [one.path for one in source.files()]
    if any("/.obsidian/" in f"/{path}" for path in paths):
        return 0.8
    return 0.5 if any(path.lower().endswith(ENDINGS) for path in paths) else 0.0


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield a document, or a memory, for each note."""
    for one in files_ending(source, *ENDINGS):
        if isinstance(one, SkippedFile):
            yield Refusal(one.path, one.reason)
            continue
        if any(part.startswith(".") for part in one.path.split("/")):
            continue
        try:
            text = text_of(source, one.path)
        except InvalidRequest as error:
            yield Refusal(one.path, error.code)
            continue
        note = split_note(text)
        yield memory(one, note) if options.notes and note.fields else document(source, one, text)


def document(source: ImportSource, file: SourceFile, text: str) -> DocumentItem:
    """Return a note as a document. One of a folder belongs to the collection that `docs ingest` keeps of the folder."""
    return DocumentItem(
        place=file.path,
        collection=COLLECTION,
        path=file.path,
        text=text,
        root=source.path if source.form is SourceForm.FOLDER else "",
        at=file.at,
    )


def memory(file: SourceFile, note: Note) -> MemoryItem:
    """Return a note with front matter as a memory."""
    fields = note.fields
    if fields.get("satchel") == "memory":
        return exported_memory(file, note)
    return MemoryItem(
        key=file.path,
        place=file.path,
        text=note.body.strip(),
        kind=Kind.FACT,
        title=optional_text(fields, "title", "name") or file_name(file.path).rpartition(".")[0] or None,
        tags=words(fields.get("tags")),
        keywords=words(fields.get("aliases")),
        created_at=moment(fields.get("created") or fields.get("date")) or file.at,
        updated_at=moment(fields.get("modified") or fields.get("updated")),
    )


def exported_memory(file: SourceFile, note: Note) -> MemoryItem:
    """Return a note that `export --format notes` wrote as the memory it was."""
    fields = note.fields
    return MemoryItem(
        key=optional_text(fields, "id") or file.path,
        place=file.path,
        text=note.body.strip(),
        kind=optional_text(fields, "kind"),
        title=optional_text(fields, "title"),
        tags=words(fields.get("tags")),
        keywords=words(fields.get("keywords")),
        media_refs=words(fields.get("media_refs")),
        scope=optional_text(fields, "scope"),
        state=optional_text(fields, "state"),
        reason=optional_text(fields, "reason"),
        session=optional_text(fields, "session"),
        task=optional_text(fields, "task"),
        role_scope=optional_text(fields, "role_scope"),
        created_at=moment(fields.get("created")) or file.at,
        updated_at=moment(fields.get("updated")),
        valid_from=moment(fields.get("valid_from")),
        valid_to=moment(fields.get("valid_to")),
        importance=_share(fields, "importance"),
        confidence=_share(fields, "confidence"),
        success=_share(fields, "success"),
    )


def _share(fields: Mapping[str, Any], name: str) -> float | None:
    """Return a number from 0 to 1; None if it is anything else."""
    try:
        found = float(fields.get(name, ""))
    except (TypeError, ValueError):
        return None
    return found if 0.0 <= found <= 1.0 else None


READER = Reader(ImportKind.MARKDOWN, "Markdown notes", recognises, read)
