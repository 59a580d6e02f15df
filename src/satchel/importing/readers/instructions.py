"""CLAUDE.md, AGENTS.md, MEMORY.md and notes in a folder `memory`: each rule and each fact becomes a memory."""

from collections.abc import Iterator

from satchel.domain.document import SkippedFile
from satchel.domain.imports import Item, MemoryItem, Refusal, text_key
from satchel.errors import InvalidRequest
from satchel.importing.markdown import Note, Statement, split_note, statements
from satchel.importing.reading import file_name, files_ending, optional_text, source_files, text_of
from satchel.importing.values import ImportKind, Reader, ReadOptions
from satchel.ports import ImportSource, SourceFile, SourceForm

NAMES = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "memory.md", "memories.md"}
)
FOLDERS = frozenset({"memory", "memories"})


def recognises(source: ImportSource) -> float:
    """Recognise the files by name."""
    if source.form is SourceForm.FILE:
        in_folder = source.path.split("/")[-2:-1]
        named = source.name.lower() in NAMES
        return 0.95 if named else 0.7 if _is_note(source.name) and set(in_folder) & FOLDERS else 0.0
    if source.form not in (SourceForm.FOLDER, SourceForm.ARCHIVE):
        return 0.0
    notes = [one.path for one in source_files(source) if _is_note(one.path)]
    own = [path for path in notes if _is_own(path, source)]
    return 0.0 if not own else 0.9 if len(own) == len(notes) else 0.6


def read(source: ImportSource, options: ReadOptions) -> Iterator[Item | Refusal]:
    """Yield a memory for each statement."""
    for one in files_ending(source, ".md"):
        if source.form is not SourceForm.FILE and not _is_own(one.path, source):
            continue
        if isinstance(one, SkippedFile):
            yield Refusal(one.path, one.reason)
            continue
        try:
            note = split_note(text_of(source, one.path))
        except InvalidRequest as error:
            yield Refusal(one.path, error.code)
            continue
        for statement in statements(note):
            yield _item(one, note, statement)


def _is_note(path: str) -> bool:
    return path.lower().endswith(".md")


def _is_own(path: str, source: ImportSource) -> bool:
    """Return whether a file is one of those that agents read as instructions or write as memory."""
    folders = path.lower().split("/")[:-1] or [source.name.lower()]
    return file_name(path).lower() in NAMES or folders[-1] in FOLDERS


def _item(file: SourceFile, note: Note, statement: Statement) -> MemoryItem:
    name = optional_text(note.fields, "name", "title")
    title = " > ".join(filter(None, (name, *statement.headings)))
    return MemoryItem(
        key=text_key(file.path, statement.text),
        place=f"{file.path}:{statement.line}",
        text=statement.text,
        title=title[:1_000] or None,
        created_at=file.at,
    )


READER = Reader(ImportKind.INSTRUCTIONS, "instructions and notes for agents", recognises, read, by_line=True)
