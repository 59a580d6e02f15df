"""The memory tools for documents: what a host's memory slot calls, with the parameters and results of its specification."""

from collections.abc import Sequence

from satchel.documents.service import Documents
from satchel.documents.values import DocMode, DocsFound
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.ports import Progress
from satchel.slot import documents as shapes
from satchel.slot.text import text_of
from satchel.slot.tools import ToolResult

DEFAULT_LIMIT = 5


def memory_docs_ingest(
    documents: Documents,
    policy: DocumentsPolicy,
    *,
    sourceRoots: Sequence[str] = (),
    sourceGlobs: Sequence[str] = (),
    maxChunkChars: int | None = None,
    embedOnIngest: bool = True,
    scope: str | None = None,
    progress: Progress | None = None,
) -> Ok[ToolResult]:
    """Take documents in from the folders that were named, else from those of the settings."""
    globs = tuple(sourceGlobs) or policy.source_globs
    answer = documents.ingest(
        sourceRoots, globs=globs, scope=scope, max_chunk_chars=maxChunkChars, embed=embedOnIngest, progress=progress
    )
    done = answer.result
    shaped = shapes.ingested(
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
    return Ok(ToolResult(text_of(shapes.lines_of_ingest(done), answer.receipt.warnings), shaped), answer.receipt)


def memory_docs_search(
    documents: Documents,
    policy: DocumentsPolicy,
    query: str,
    *,
    limit: int | None = None,
    scope: str | None = None,
    mode: str = DocMode.QUERY,
) -> Ok[ToolResult]:
    """Find pieces of documents, whatever memories there are."""
    asked = DEFAULT_LIMIT if limit is None else limit
    answer = documents.search(query, limit=asked, scope=scope, mode=mode)
    shaped = shapes.searched(answer.result, answer.receipt, _lane(answer, policy, asked), policy.max_snippet_chars)
    told = shapes.lines_of_docs(answer.result, policy.max_snippet_chars)
    return Ok(ToolResult(text_of(told, answer.receipt.warnings), shaped), answer.receipt)


def _lane(answer: Ok[DocsFound], policy: DocumentsPolicy, requested: int) -> dict[str, Json]:
    """Return what a receipt says of the cold lane when it was asked by itself."""
    lanes = answer.receipt.considered["lanes"]
    candidates = sum(lanes.values()) if isinstance(lanes, dict) else 0
    return {
        "enabled": policy.enabled,
        "consulted": True,
        "trigger": "manual",
        "scope": answer.result.scope,
        "strategy": policy.scope_mapping_strategy,
        "requested": requested,
        "returned": len(answer.result.hits),
        "filteredByScope": 0,
        "rawCandidates": candidates,
        "scopedCandidates": candidates,
        "pushdownRepos": list(answer.result.collections),
        "pushdownApplied": True,
        "sourceRootsCount": len(policy.source_roots),
    }
