"""The memory tools: what a host's memory slot calls. Each runs an operation of the façade and dresses its answer.

The parameters and the results are those of the specification, name by name; what they mean is decided in `memory`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from satchel.app import Satchel
from satchel.domain.envelope import Ok
from satchel.domain.record import kinds_of
from satchel.errors import InvalidRequest
from satchel.interfaces.slot import details, documents
from satchel.interfaces.slot.text import (
    lines_of_export,
    lines_of_forget,
    lines_of_import,
    lines_of_list,
    lines_of_recall,
    lines_of_stats,
    lines_of_store,
    text_of,
)
from satchel.ports import Progress

DEFAULT_DOCS_LIMIT = 5
CATEGORIES = ("preference", "decision", "fact", "entity", "todo", "other")


class ToolResult(Struct, frozen=True):
    """What a tool answers: a text for the model, and the same in full."""

    text: str
    details: Mapping[str, Any]

    @property
    def content(self) -> list[dict[str, str]]:
        """The text as a host expects it."""
        return [{"type": "text", "text": self.text}]


class MemoryTools:
    """The operations of a store as a host's memory tools."""

    def __init__(self, store: Satchel) -> None:
        self._store = store

    def memory_store(
        self,
        text: str,
        *,
        importance: float | None = None,
        category: str = "other",
        scope: str | None = None,
        replaces: str | None = None,
        source_kind: str = "operator",
        source_ref: str | None = None,
    ) -> Ok[ToolResult]:
        """Keep a memory."""
        _known(category)
        answer = self._store.store(
            text,
            scope=scope,
            kind=category,
            importance=importance,
            replaces=replaces,
            source_kind=source_kind,
            source_ref=source_ref,
        )
        return _dressed(answer, details.stored(answer, self._place()), lines_of_store(answer.result))

    def memory_recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        scope: str | None = None,
        asOf: str | None = None,
        fallback: bool = True,
    ) -> Ok[ToolResult]:
        """Find the memories that answer a question."""
        answer = self._store.recall(query, limit=limit, scope=scope, fallback=fallback, as_of=asOf)
        asked = self._store.parts.policies.recall.limit if limit is None else limit
        return _dressed(answer, details.recalled(answer, self._place(), asked), lines_of_recall(answer.result))

    def memory_forget(
        self, *, memoryId: str | None = None, query: str | None = None, scope: str | None = None
    ) -> Ok[ToolResult]:
        """Erase one memory by its id; a query only lists what it could mean."""
        answer = self._store.forget(memoryId, query=query, scope=scope, quarantined=False)
        return _dressed(answer, details.forgotten(answer, self._place()), lines_of_forget(answer.result))

    def memory_list(
        self, *, scope: str | None = None, category: str | None = None, limit: int = 50, after: str | None = None
    ) -> Ok[ToolResult]:
        """List memories, newest first, with their secrets masked."""
        kinds = _kinds(category)
        answer = self._store.memories.list(scope=scope, kinds=kinds, limit=limit, after=after, quarantined=False)
        matched = len(answer.result.memories)
        if after is not None or answer.result.next is not None:
            matched = self._store.memories.count(scope=scope, kinds=kinds)
        shaped = details.listed(answer, self._place(), category, matched)
        return _dressed(answer, shaped, lines_of_list(answer.result))

    def memory_stats(self, *, scope: str | None = None, category: str | None = None) -> Ok[ToolResult]:
        """Count what there is."""
        answer = self._store.maintenance.stats(scope=scope, kinds=_kinds(category))
        shaped = details.counted(answer, self._place(), category)
        return _dressed(answer, shaped, lines_of_stats(answer.result))

    def memory_export(
        self,
        outPath: str,
        *,
        scope: str | None = None,
        category: str | None = None,
        limit: int | None = None,
        format: str = "jsonl",
        redact: bool = True,
        progress: Progress | None = None,
    ) -> Ok[ToolResult]:
        """Write memories to a file, oldest first."""
        answer = self._store.transfer.export(
            outPath,
            scope=scope,
            kinds=_kinds(category),
            limit=limit,
            format=format,
            redact=redact,
            progress=progress,
        )
        shaped = details.exported(answer, self._place(), category)
        return _dressed(answer, shaped, lines_of_export(answer.result))

    def memory_import(
        self,
        inPath: str,
        *,
        dedupe: str = "id_text",
        dryRun: bool = False,
        validateOnly: bool = False,
        scope: str | None = None,
        limit: int | None = None,
        format: str | None = None,
        progress: Progress | None = None,
    ) -> Ok[ToolResult]:
        """Take the memories of a file in."""
        answer = self._store.transfer.import_(
            inPath,
            dedupe="none" if validateOnly else dedupe,
            dry_run=dryRun or validateOnly,
            scope=scope,
            limit=limit,
            format=format,
            progress=progress,
        )
        shaped = details.imported(answer, self._place())
        return _dressed(answer, shaped, lines_of_import(answer.result))

    def memory_docs_ingest(
        self,
        *,
        sourceRoots: Sequence[str] = (),
        sourceGlobs: Sequence[str] = (),
        maxChunkChars: int | None = None,
        embedOnIngest: bool = True,
        scope: str | None = None,
        progress: Progress | None = None,
    ) -> Ok[ToolResult]:
        """Ingest documents from the named folders, else from those of the settings."""
        policy = self._store.parts.policies.documents
        globs = tuple(sourceGlobs) or policy.source_globs
        answer = self._store.documents.ingest(
            sourceRoots, globs=globs, scope=scope, max_chunk_chars=maxChunkChars, embed=embedOnIngest, progress=progress
        )
        done = answer.result
        shaped = documents.ingested(
            done,
            answer.receipt,
            {
                "collections": list(done.collections),
                "sourceGlobs": list(globs),
                "maxChunkChars": policy.max_chunk_chars if maxChunkChars is None else maxChunkChars,
                "embedOnIngest": policy.embed_on_ingest and embedOnIngest,
                "scope": done.scope,
            },
        )
        return _dressed(answer, shaped, documents.lines_of_ingest(done))

    def memory_docs_search(
        self, query: str, *, limit: int | None = None, scope: str | None = None, mode: str = "query"
    ) -> Ok[ToolResult]:
        """Find chunks of documents, whatever memories there are."""
        policy, asked = self._store.parts.policies.documents, DEFAULT_DOCS_LIMIT if limit is None else limit
        answer = self._store.documents.search(query, limit=asked, scope=scope, mode=mode)
        lane = documents.lane_section(answer, policy, asked)
        shaped = documents.searched(answer.result, answer.receipt, lane, policy.max_snippet_chars)
        return _dressed(answer, shaped, documents.lines_of_docs(answer.result, policy.max_snippet_chars))

    def _place(self) -> details.Place:
        space = self._store.parts.ledger.vectors.space()
        return details.Place(
            self._store.parts.files.folder, space.name if space else None, self._store.parts.policies.scope
        )


def _dressed(answer: Ok[Any], shaped: Mapping[str, Any], lines: Iterable[str]) -> Ok[ToolResult]:
    return Ok(ToolResult(text_of(lines, answer.receipt.warnings), shaped), answer.receipt)


def _known(category: str) -> None:
    if category not in CATEGORIES:
        raise InvalidRequest(
            f"unknown category {str(category)[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(CATEGORIES)}"
        )


def _kinds(category: str | None) -> Sequence[str]:
    if category is None:
        return ()
    _known(category)
    return kinds_of(category)
