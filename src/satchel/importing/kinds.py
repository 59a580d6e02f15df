"""Every reader, and which of them a source is for."""

from collections.abc import Mapping

from satchel.domain.arguments import one_of
from satchel.errors import InvalidRequest
from satchel.importing.readers import (
    attention_router,
    basic_memory,
    chatgpt,
    claude,
    instructions,
    lossless_claw,
    markdown_folder,
    mcp_memory_service,
    mem0,
    memory_lancedb,
    openclaw_mem,
    server_memory,
)
from satchel.importing.reading import head
from satchel.importing.rows import RowOrigin, row_origin
from satchel.importing.values import ImportKind, Reader
from satchel.ports import ImportSource, SourceForm

READERS: tuple[Reader, ...] = (
    instructions.READER,
    chatgpt.READER,
    claude.READER,
    basic_memory.READER,
    markdown_folder.READER,
    mem0.READER,
    server_memory.READER,
    mcp_memory_service.READER,
    openclaw_mem.READER,
    memory_lancedb.READER,
    attention_router.READER,
    lossless_claw.READER,
)
# What can hold rows: a pipe, or a file that nothing else recognises.
_ROWS = (SourceForm.FILE, SourceForm.STREAM)


def reader_for(source: ImportSource, kind: str | None) -> Reader | None:
    """Return the reader of the given kind, or of the kind that a source is; None for rows with a text."""
    if kind is not None:
        wanted = one_of(ImportKind, kind, "kind of source")
        _check_form(source, wanted)
        return next((one for one in READERS if one.kind is wanted), None)
    sure, reader = max(((one.recognises(source), one) for one in READERS), key=lambda found: found[0])
    if sure > 0:
        return reader
    if source.form in _ROWS and row_origin(source) is not RowOrigin.NONE:
        return None
    raise InvalidRequest(
        f"{source.name[:80]!r} is not {_with_article(source.form)} of a known format",
        code="unknown_source",
        hint=f"known are {', '.join(ImportKind)}: name one with --from; 'satchel docs ingest' takes plain text",
    )


def check_kind(source: ImportSource, reader: Reader, reasons: Mapping[str, int]) -> None:
    """Raise if a source of which nothing could be read does not look like the kind that it was said to be.

    An empty file may be of any kind.
    """
    is_empty = source.form is SourceForm.FILE and not head(source, source.name).strip()
    if not is_empty and reader.recognises(source) == 0:
        why = f": {', '.join(reasons)}" if reasons else ""
        raise InvalidRequest(
            f"{source.name[:80]!r} is not {reader.title} ({reader.kind}){why}",
            code="wrong_kind",
            hint="leave out --from, and the format is found by the content",
        )


def _with_article(form: str) -> str:
    return f"an {form}" if form == SourceForm.ARCHIVE else f"a {form}"


def _check_form(source: ImportSource, kind: ImportKind) -> None:
    if kind is ImportKind.SATCHEL and source.form not in _ROWS:
        raise InvalidRequest(f"a Satchel export is a file, not a {source.form}", code="unknown_source")
    if kind is ImportKind.SATCHEL and row_origin(source) is RowOrigin.NONE:
        raise InvalidRequest(
            f"{source.name[:80]!r} is not an export of Satchel: it has no rows with a text",
            code="wrong_kind",
            hint="leave out --from, and the format is found by the content",
        )
    if kind is not ImportKind.SATCHEL and source.form is SourceForm.STREAM:
        raise InvalidRequest(
            "only a Satchel export can be read from a pipe", code="no_standard_stream", hint="save it as a file"
        )
