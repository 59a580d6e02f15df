"""Chunk: cut a document by its own structure, into pieces that are small enough to be found and cited."""

from satchel.documents.prose import markdown, plain
from satchel.documents.sections import chunks_of, lines_of
from satchel.domain.code.definitions import definitions
from satchel.domain.document import Chunk, DocKind

MIN_CHARS, MAX_CHARS = 200, 4_000


def chunked(text: str, kind: DocKind, max_chars: int, *, grammar: str | None = None) -> tuple[Chunk, ...]:
    """Return the chunks of a document: by headings, by definitions where there is a grammar, else by paragraphs."""
    lines = lines_of(text)
    if kind is DocKind.MARKDOWN:
        sections = markdown(lines)
    elif kind is DocKind.CODE and grammar is not None:
        sections = definitions(lines, grammar, max_chars)
    else:
        sections = plain(lines)
    return chunks_of(lines, sections, max_chars)
