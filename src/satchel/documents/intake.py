"""Write documents into the ledger in batches, touching only what changed.

Chunks are written before the record of what was read: an interrupted run reads the same files again and finds the
chunks unchanged.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.core.service import Service
from satchel.documents.chunk import cut_document
from satchel.documents.passages import cut_version, passages
from satchel.domain.canonical import digest
from satchel.domain.code.kinds import LANGUAGES, grammar_of, kind_of
from satchel.domain.document import Collection, DocKind, Document, SkippedFile, group_of
from satchel.domain.passage import EvidenceLane, Passage, PassageId, all_passages
from satchel.domain.record import SourceKind, Trust
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import Reach
from satchel.domain.text import check_writable
from satchel.errors import InvalidRequest

DOCUMENTS_PER_BATCH = 100
CHUNKS_PER_BATCH = 1_000
MAX_GIVEN_CHARS = 2_000_000


class IncomingDocument(Struct, frozen=True):
    """A complete document before chunking."""

    path: str
    kind: DocKind
    text: str
    digest: str
    size: int
    modified_ns: int
    at: int
    grammar: str | None = None
    channel: SourceKind = SourceKind.OPERATOR


def parse_given_text(place: int, one: Mapping[str, Any], now: int) -> IncomingDocument:
    """Validate a text given as a document."""

    def field(name: str) -> str | None:
        value = one.get(name) if isinstance(one, Mapping) else None
        if value is not None and not isinstance(value, str):
            raise InvalidRequest(f"texts[{place}].{name} must be a string", code="wrong_type")
        return None if value is None else check_writable(value, f"texts[{place}].{name}")

    ref, text, path, language = field("ref"), field("text"), field("path"), field("language")
    if not ref or text is None or len(ref) > 1_000 or len(path or "") > 1_000:
        raise InvalidRequest(f"texts[{place}] needs a ref and a text", code="missing_param")
    if len(text) > MAX_GIVEN_CHARS:
        raise InvalidRequest(f"texts[{place}].text is longer than {MAX_GIVEN_CHARS:,}", code="text_too_long")
    if language is not None and language not in LANGUAGES:
        raise InvalidRequest(
            f"texts[{place}].language {language[:40]!r} is not known",
            code="unknown_word",
            hint=f"one of: {', '.join(LANGUAGES)}; or leave it out",
        )
    kind = DocKind.CODE if language else kind_of(path or ref) or DocKind.TEXT
    size = len(text.encode())
    return IncomingDocument(ref, kind, text, digest(text), size, 0, now, grammar_for(path or ref, language))


class IngestTally(Struct):
    """Counts of an ingest so far."""

    matched: int = 0
    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    renamed: int = 0
    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    kept: int = 0
    secrets: int = 0
    quarantined: int = 0
    """Chunks that read as an order to the agent."""
    batches: int = 0
    embedded: int = 0
    skipped: list[SkippedFile] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def skip(self, one: SkippedFile, most_shown: int) -> None:
        """Count a skipped file, and keep the first ones by name."""
        self.reasons[one.reason] += 1
        if len(self.skipped) < most_shown:
            self.skipped.append(one)


class _Batch(Struct):
    documents: list[Document] = field(default_factory=list)
    put: list[Passage] = field(default_factory=list)
    gone: list[PassageId] = field(default_factory=list)

    @property
    def is_full(self) -> bool:
        return len(self.documents) >= DOCUMENTS_PER_BATCH or len(self.put) >= CHUNKS_PER_BATCH


class DocumentWriter(Service):
    """Writes documents of one collection into the ledger."""

    def take_in(
        self,
        collection: Collection,
        arrivals: Iterable[IncomingDocument],
        known: dict[str, Document],
        max_chars: int,
        tally: IngestTally,
    ) -> Iterator[None]:
        """Write documents; yields after each for progress."""
        batch = _Batch()
        for one in arrivals:
            self._add(collection, one, known.get(one.path), max_chars, batch, tally)
            if batch.is_full:
                self._write(collection, batch, tally)
                batch = _Batch()
            yield
        if batch.documents:
            self._write(collection, batch, tally)

    def remove(self, collection: Collection, documents: Sequence[Document], tally: IngestTally) -> None:
        """Remove deleted documents."""
        for start in range(0, len(documents), DOCUMENTS_PER_BATCH):
            part = documents[start : start + DOCUMENTS_PER_BATCH]
            gone = [one.id for document in part for one in self._chunks(document.scope, document)]
            self._ledger.passages.put([], gone)
            self._ledger.documents.update(collection, [], [one.path for one in part])
            tally.removed, tally.deleted, tally.batches = (
                tally.removed + len(part),
                tally.deleted + len(gone),
                tally.batches + 1,
            )

    def _add(
        self,
        collection: Collection,
        one: IncomingDocument,
        before: Document | None,
        max_chars: int,
        batch: _Batch,
        tally: IngestTally,
    ) -> None:
        cut = cut_version(max_chars)
        document = Document(
            collection.scope,
            collection.name,
            one.path,
            one.kind,
            one.size,
            one.modified_ns,
            one.digest,
            cut,
            0,
            self._clock.now(),
        )
        if before is not None and (before.digest, before.cut) == (one.digest, cut):
            # Touched but unchanged: only update its timestamp.
            tally.unchanged += 1
            batch.documents.append(replace(before, size=one.size, modified_ns=one.modified_ns))
            return
        clean = redacted(one.text, keep_lines=True)
        tally.secrets += sum(count for _, count in clean.found)
        pieces = cut_document(clean.text, one.kind, max_chars, grammar=one.grammar)
        seed = self._ledger.scopes.seeds(collection.scope).own
        made = passages(document, pieces, one.at, one.channel, seed)
        batch.documents.append(replace(document, chunks=len(made)))
        old = {} if before is None else {chunk.id: chunk for chunk in self._chunks(collection.scope, before)}
        tally.added, tally.changed = tally.added + (before is None), tally.changed + (before is not None)
        self._compare(old, made, batch, tally)

    def _compare(
        self, old: dict[PassageId, Passage], made: Sequence[Passage], batch: _Batch, tally: IngestTally
    ) -> None:
        stayed = [(_kept(one, old[one.id]), old[one.id]) for one in made if one.id in old]
        new = [one for one in made if one.id not in old]
        tally.quarantined += sum(one.trust is Trust.QUARANTINED for one in [*new, *(now for now, _ in stayed)])
        gone = [id for id in old if id not in {one.id for one in made}]
        moved = [now for now, then in stayed if now != then]
        replaced = min(len(new), len(gone))
        batch.put += [*new, *moved]
        batch.gone += gone
        tally.inserted += len(new) - replaced
        tally.deleted += len(gone) - replaced
        tally.updated += len(moved) + replaced
        tally.kept += len(stayed) - len(moved)

    def _write(self, collection: Collection, batch: _Batch, tally: IngestTally) -> None:
        if batch.put or batch.gone:
            self._ledger.passages.put(batch.put, batch.gone)
        self._ledger.documents.update(collection, batch.documents, [])
        tally.batches += 1

    def _chunks(self, scope: str, document: Document) -> list[Passage]:
        view = all_passages(EvidenceLane.DOCUMENTS, Reach((scope,)))
        return self._ledger.passages.group(group_of(document.collection, document.path), view)


def grammar_for(path: str, language: str | None) -> str | None:
    """Return the given grammar, else that of the path."""
    return language if language is not None else grammar_of(path)


def _kept(now: Passage, then: Passage) -> Passage:
    """Return an unchanged chunk with its age, wherever it is now. One that was released from quarantine stays so."""
    trust = then.trust if now.trust is Trust.QUARANTINED else now.trust
    return replace(now, added_at=then.added_at, at=then.at, trust=trust)
