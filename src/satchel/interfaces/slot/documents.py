"""Convert documents to the shapes of the memory tools, with the names of their specification."""

from collections.abc import Iterator, Mapping
from typing import TypedDict

from satchel.documents.values import DocsFound, DocsIngested
from satchel.domain.canonical import Json
from satchel.domain.document_hits import DocHit
from satchel.domain.envelope import Ok
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.domain.receipt import Receipt
from satchel.domain.shorten import shorten
from satchel.interfaces.slot.text import quoted

_SIGNALS = {"lexical": "fts", "vector": "vec", "exact": "exact"}


class DocDetails(TypedDict):
    """One chunk of a document."""

    id: str
    recordRef: str
    title: str
    headingPath: list[str]
    text: str
    path: str
    repo: str
    docKind: str
    lines: list[int]
    scope: str
    score: float
    relevance: float
    match: list[str]
    source_kind: str
    trust_tier: str


class DocsSearchReceipt(TypedDict):
    """The receipt of a document search."""

    digest: str
    latencyMs: float
    mode: str
    answeredBy: str
    coldLane: Mapping[str, Json]
    warnings: list[str]


class DocsSearchDetails(TypedDict):
    """The chunks that match."""

    count: int
    relevance: float
    hits: list[DocDetails]
    receipt: DocsSearchReceipt


class DocsEffective(TypedDict):
    """The parameters of an ingestion."""

    collections: list[str]
    sourceGlobs: list[str]
    maxChunkChars: int
    embedOnIngest: bool
    scope: str


class DocsIngestReceipt(TypedDict):
    """The receipt of an ingestion."""

    digest: str
    latencyMs: float
    filesMatched: int
    filesAdded: int
    filesChanged: int
    filesUnchanged: int
    filesRemoved: int
    filesSkipped: Mapping[str, int]
    batches: int
    chunks_inserted: int
    chunks_updated: int
    chunks_deleted: int
    chunks_unchanged: int
    secretsMasked: int
    embedded: int
    embeddingsWaiting: int
    warnings: list[str]


class DocsIngestDetails(TypedDict):
    """The result of an ingestion."""

    effective: DocsEffective
    error: str | None
    receipt: DocsIngestReceipt


def doc(hit: DocHit, max_chars: int) -> DocDetails:
    """Return one hit, with its text shortened."""
    return {
        "id": hit.id,
        "recordRef": hit.citation,
        "title": hit.title,
        "headingPath": list(hit.heading),
        "text": shorten(hit.text, max_chars),
        "path": hit.path,
        "repo": hit.collection,
        "docKind": hit.kind,
        "lines": [hit.first_line, hit.last_line],
        "scope": hit.scope,
        "score": hit.score,
        "relevance": hit.relevance,
        "match": [_SIGNALS[name] for name in hit.match],
        "source_kind": hit.source_kind,
        "trust_tier": hit.trust,
    }


def searched(found: DocsFound, receipt: Receipt, lane: Mapping[str, Json], max_chars: int) -> DocsSearchDetails:
    """Return the result of `memory_docs_search`."""
    return {
        "count": len(found.hits),
        "relevance": found.relevance,
        "hits": [doc(hit, max_chars) for hit in found.hits],
        "receipt": {
            "digest": receipt.digest,
            "latencyMs": receipt.duration_ms,
            "mode": found.mode,
            "answeredBy": found.answered_by,
            "coldLane": lane,
            "warnings": list(receipt.warnings),
        },
    }


def ingested(done: DocsIngested, receipt: Receipt, effective: DocsEffective) -> DocsIngestDetails:
    """Return the result of `memory_docs_ingest`."""
    return {
        "effective": effective,
        "error": None,
        "receipt": {
            "digest": receipt.digest,
            "latencyMs": receipt.duration_ms,
            "filesMatched": done.files_matched,
            "filesAdded": done.added,
            "filesChanged": done.changed,
            "filesUnchanged": done.unchanged,
            "filesRemoved": done.removed,
            "filesSkipped": done.skipped_for,
            "batches": done.batches,
            "chunks_inserted": done.chunks_inserted,
            "chunks_updated": done.chunks_updated,
            "chunks_deleted": done.chunks_deleted,
            "chunks_unchanged": done.chunks_unchanged,
            "secretsMasked": done.secrets_masked,
            "embedded": done.embedded,
            "embeddingsWaiting": done.embeddings_waiting,
            "warnings": list(receipt.warnings),
        },
    }


def lines_of_docs(found: DocsFound, max_chars: int) -> Iterator[str]:
    """Yield the matching chunks, one per line."""
    if not found.hits:
        yield f"nothing found in the documents of scope {found.scope}"
    yield from (line_of_doc(hit, max_chars) for hit in found.hits)


def line_of_doc(hit: DocHit, max_chars: int) -> str:
    """Return a chunk on one line, its text in quotes."""
    return f"{hit.rank}. {hit.citation} ({quoted(hit.title)}) {quoted(shorten(hit.text, max_chars))} relevance {hit.relevance:.2f}"


def lines_of_ingest(done: DocsIngested) -> Iterator[str]:
    """Yield the numbers of an ingestion."""
    changed = f"{done.added} added, {done.changed} changed, {done.removed} removed, {done.unchanged} unchanged"
    yield f"{done.files_matched} documents: {changed}"
    yield from (f"left out, {reason}: {count}" for reason, count in done.skipped_for.items())


def lane_section(answer: Ok[DocsFound], policy: DocumentsPolicy, requested: int) -> dict[str, Json]:
    """Return the receipt section of the documents lane when it was searched on its own."""
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
