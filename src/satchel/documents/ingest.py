"""Ingest folders and texts into collections, embed them, and report the counts."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from satchel.core.run import OperationRun
from satchel.core.service import Service
from satchel.documents.folders import Folders
from satchel.documents.intake import DocumentWriter, IngestTally, parse_given_text
from satchel.documents.passages import collection_name, folder_collection
from satchel.documents.values import DocsIngested
from satchel.domain.canonical import Json, digest
from satchel.domain.document import Collection, FolderSelection
from satchel.domain.envelope import Ok
from satchel.domain.inspection import order_warnings
from satchel.domain.scope import Reach, check_scope
from satchel.domain.text import replace_undecodable
from satchel.errors import Conflict, InvalidRequest, Refused, Unavailable
from satchel.indexing import passage_index
from satchel.ports import Progress

MAX_TEXTS = 100_000


class DocumentIngest(Service):
    """Ingests documents and makes their vectors."""

    def folders(
        self,
        roots: Sequence[str],
        globs: Sequence[str],
        scope: str | None,
        collection: str | None,
        max_chars: int,
        tally: IngestTally,
        progress: Progress | None,
        *,
        again: bool,
        embed: bool,
    ) -> list[Collection]:
        """Ingest folders; return their collections. Vectors are made batch by batch, so progress covers all the work."""
        located = [self._parts.tree().locate(replace_undecodable(root)) for root in roots]
        collections = [self._folder_collection(one, scope, collection) for one in located]
        if len({one.name for one in collections}) < len({one.root for one in located}):
            raise Conflict(
                "two of the folders have the same name",
                code="collection_taken",
                hint="ingest them one by one, each with --collection",
            )
        folders = Folders(self._parts)
        for folder, own in zip(located, collections, strict=True):
            if again:
                self._ledger.documents.clear_forgotten(own.scope, own.name)
            narrowed = _narrowed(folder.globs, globs)
            folders.take_in(folder, narrowed, own, max_chars, tally, progress, self._batch_embedder(tally, embed))
        return collections

    def _batch_embedder(self, tally: IngestTally, embed: bool) -> Callable[[], None]:
        """Return what embeds a written batch; once that fails, it does nothing more, and the end reports why."""
        works = embed and self._policies.documents.embed_on_ingest

        def embed_batch() -> None:
            nonlocal works
            if works:
                try:
                    tally.embedded += passage_index.embed_waiting(self._indexed_passages)
                except (Unavailable, Refused, InvalidRequest):
                    works = False

        return embed_batch

    def texts(
        self,
        collection: Collection,
        texts: Sequence[Mapping[str, Any]],
        max_chars: int,
        tally: IngestTally,
        progress: Progress | None,
    ) -> None:
        """Ingest texts that are not in a file."""
        if not isinstance(texts, Sequence) or isinstance(texts, str) or len(texts) > MAX_TEXTS:
            raise InvalidRequest(f"texts must be a list of at most {MAX_TEXTS:,}", code="wrong_type")
        documents = [parse_given_text(place, one, self._clock.now()) for place, one in enumerate(texts)]
        known = dict(self._ledger.documents.in_collection(collection.scope, collection.name))
        tally.matched = len(documents)
        written = DocumentWriter(self._parts).take_in(collection, documents, known, max_chars, tally)
        for done, _ in enumerate(written, start=1):
            if progress:
                progress(done, len(documents), "documents")

    def text_collection(self, scope: str | None, name: str) -> Collection:
        """Return the collection that given texts go into. It must not belong to a folder."""
        own = Collection(self._scope(scope), collection_name(name), "")
        if any(one.root for one in self._same_name(own)):
            raise Conflict(f"collection {name!r} is a folder's", code="collection_taken", hint="choose another name")
        return own

    def finish(
        self,
        run: OperationRun,
        asked: Mapping[str, Json],
        collections: Sequence[Collection],
        tally: IngestTally,
        progress: Progress | None,
        *,
        embed: bool,
    ) -> Ok[DocsIngested]:
        """Make the vectors, if wanted, and answer. The receipt is kept if anything was written."""
        embedded = tally.embedded
        if embed and self._policies.documents.embed_on_ingest and tally.batches:
            embedded += self._embed(run, progress)
        waiting, _ = self._ledger.passages.vectors.backlog(self._ledger.passages.vectors.space())
        ingested = _ingested(collections, tally, embedded, waiting)
        run.asked = {"scope": ingested.scope, "collections": list(ingested.collections), **asked}
        run.decided = _facts(ingested)
        run.warn(*order_warnings(tally.quarantined))
        if not ingested.wrote:
            return run.done(ingested)
        receipt = run.receipt()
        self._ledger.memories.commit([], receipt)
        if ingested.chunks_deleted or ingested.chunks_updated:
            # What a document no longer says also leaves the ledger's files.
            self._ledger.memories.scrub()
        return run.committed(ingested, receipt)

    def _embed(self, run: OperationRun, progress: Progress | None) -> int:
        """Embed pending chunks. If that fails, they are still found by their words."""
        try:
            return passage_index.build(self._indexed_passages, progress).made
        except (Unavailable, Refused, InvalidRequest) as error:
            run.warn(f"{error.code}: {error.message}")
            return 0

    def _folder_collection(self, folder: FolderSelection, scope: str | None, name: str | None) -> Collection:
        """Return the collection of a folder. Another folder's collection is used only if it is named."""
        own = Collection(
            self._scope(scope),
            folder_collection(folder.root) if name is None else collection_name(name),
            digest(folder.root),
        )
        existing = next(iter(self._same_name(own)), None)
        if existing is not None and (not existing.root or (name is None and existing.root != own.root)):
            raise Conflict(
                f"collection {own.name!r} is another folder's",
                code="collection_taken",
                hint="give this one a name with --collection, or forget the other",
            )
        return own

    def _same_name(self, own: Collection) -> list[Collection]:
        return [one for one in self._ledger.documents.collections(Reach((own.scope,))) if one.name == own.name]

    def _scope(self, scope: str | None) -> str:
        policy = self._policies.scope
        return policy.default_scope if scope is None else check_scope(scope, policy)


def _ingested(collections: Sequence[Collection], tally: IngestTally, embedded: int, waiting: int) -> DocsIngested:
    return DocsIngested(
        scope=collections[0].scope,
        collections=tuple(one.name for one in collections),
        files_matched=tally.matched,
        added=tally.added,
        changed=tally.changed,
        unchanged=tally.unchanged,
        removed=tally.removed,
        renamed=tally.renamed,
        skipped=tuple(tally.skipped),
        skipped_for=dict(sorted(tally.reasons.items())),
        chunks_inserted=tally.inserted,
        chunks_updated=tally.updated,
        chunks_deleted=tally.deleted,
        chunks_unchanged=tally.kept,
        secrets_masked=tally.secrets,
        batches=tally.batches,
        embedded=embedded,
        embeddings_waiting=waiting,
    )


def _facts(ingested: DocsIngested) -> dict[str, Json]:
    return {
        "files_matched": ingested.files_matched,
        "added": ingested.added,
        "changed": ingested.changed,
        "unchanged": ingested.unchanged,
        "removed": ingested.removed,
        "skipped": dict(ingested.skipped_for),
        "chunks_inserted": ingested.chunks_inserted,
        "chunks_updated": ingested.chunks_updated,
        "chunks_deleted": ingested.chunks_deleted,
        "secrets_masked": ingested.secrets_masked,
    }


def _narrowed(named: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns of a folder. Where it was named by a pattern, the others only leave out."""
    return (*named, *(glob for glob in globs if not named or glob.startswith("!")))
