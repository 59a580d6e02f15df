"""Documents: what a person wrote, taken in from folders, found again, cited, and forgotten when told to."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from satchel.core.erasure import ErasedRecords, compare_searches, sample_fragments, survives_elsewhere
from satchel.core.operations import AllScopes, Param, Scope, operation
from satchel.core.service import Service, page_size
from satchel.documents.chunk import MAX_CHARS, MIN_CHARS
from satchel.documents.fallback import LANES, DocumentSearch, FoundPassages, checked_mode
from satchel.documents.folders import Folders
from satchel.documents.intake import DocumentWriter, IngestTally, parse_given_text
from satchel.documents.passages import collection_name, folder_collection, group_of, parse_citation
from satchel.documents.values import DocMode, DocsForgotten, DocsFound, DocsIngested, DocsListed
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json, digest
from satchel.domain.document import Collection, Document, FolderSelection
from satchel.domain.envelope import Ok
from satchel.domain.passage import EvidenceLane, Passage, all_passages
from satchel.domain.receipt import Receipt, question_facts
from satchel.domain.scope import Reach, check_scope, resolve_scope
from satchel.domain.text import replace_undecodable
from satchel.errors import Conflict, InvalidRequest, NotFound, Refused, Unavailable
from satchel.indexing import passage_index
from satchel.ports import Progress
from satchel.recall.question import Mode, parse_question
from satchel.recall.relevance import answer_relevance
from satchel.recall.request import recall_reach

MAX_LIMIT = 200
MAX_PLACES = 64
MAX_TEXTS = 100_000
# A folder is looked at again after this long, or after ten times as long as looking takes.
WATCH_SECONDS = 1.0
WATCH_PATIENCE = 10


_Collection = Annotated[str | None, Param("only documents of this collection")]


class Documents(Service):
    """Documents of a store: in from folders or as texts, out by words, by meaning, or by both."""

    # In

    @operation(
        "docs ingest",
        writes=True,
        idempotent=True,
        operator_only=True,
        terminal_only=True,
        long=True,
        examples=(
            "satchel docs ingest ~/work/api",
            "satchel docs ingest 'notes/**/*.md' --collection notes",
            "satchel docs ingest ~/work/api --glob '*.py' --glob '!tests/' --watch",
        ),
    )
    def ingest(
        self,
        place: Annotated[
            str | Sequence[str] | None,
            Param("the folder, file or pattern; the configured ones if omitted", positional=True),
        ] = None,
        *,
        globs: Annotated[Sequence[str], Param("only files that match, as in .gitignore; ! excludes", flag="glob")] = (),
        scope: Scope = None,
        collection: Annotated[str | None, Param("name of the collection; the folder's name if omitted")] = None,
        max_chunk_chars: Annotated[int | None, Param("maximum characters of a piece, 200 to 4000")] = None,
        embed: Annotated[bool, Param("make vectors now", off="make no vectors now")] = True,
        again: Annotated[bool, Param("also ingest forgotten documents")] = False,
        watch: Annotated[bool, Param("continue as files change, until stopped")] = False,
        progress: Progress | None = None,
    ) -> Ok[DocsIngested]:
        """Ingest a folder, a file, or the files that match a pattern.

        Markdown is split by headings, source code by definitions, text by paragraphs. Unchanged files are not touched,
        deleted ones are removed. Files that .gitignore names are skipped, links are not followed, secrets are masked;
        unreadable files are skipped with the reason.
        """
        self._require_writable()
        named = () if place is None else (place,) if isinstance(place, str) else tuple(place)
        policy = self._policies.documents
        roots, globs = (named, globs) if named else (policy.source_roots, globs or policy.source_globs)
        if not 1 <= len(roots) <= MAX_PLACES:
            raise InvalidRequest(
                "no folder was named" if not roots else f"more than {MAX_PLACES} folders were named",
                code="missing_param",
                hint="name a folder, or set docs_cold_lane.source_roots",
            )
        if collection is not None and len(roots) > 1:
            raise InvalidRequest(
                "several folders cannot be one collection", code="ambiguous", hint="take them in one by one"
            )
        while True:
            started = self._clock.ticks()
            done = self._ingest_once(roots, tuple(globs), scope, collection, max_chunk_chars, embed, again, progress)
            if not watch:
                return done
            self._parts.tree().wait(max(WATCH_SECONDS, WATCH_PATIENCE * (self._clock.ticks() - started)))

    @operation(
        "docs add",
        writes=True,
        idempotent=True,
        operator_only=True,
        long=True,
        examples=('satchel docs add \'[{"ref": "note-1", "text": "Ship on Fridays."}]\' --collection notes',),
    )
    def add(
        self,
        texts: Annotated[
            Sequence[Mapping[str, Any]],
            Param("a JSON list; each has ref and text, and may have path and language", positional=True, stdin=True),
        ],
        *,
        collection: Annotated[str, Param("name of the collection")],
        scope: Scope = None,
        max_chunk_chars: Annotated[int | None, Param("maximum characters of a piece, 200 to 4000")] = None,
        embed: Annotated[bool, Param("make vectors now", off="make no vectors now")] = True,
        progress: Progress | None = None,
    ) -> Ok[DocsIngested]:
        """Ingest texts that are not in a file: a list of objects with a ref and a text.

        A text whose ref is known replaces the earlier one; the others stay.
        """
        self._require_writable()
        started = self._clock.ticks()
        own = Collection(self._scope(scope), collection_name(collection), "")
        if any(one.root for one in self._known_as(own)):
            raise Conflict(
                f"collection {collection!r} is a folder's", code="collection_taken", hint="choose another name"
            )
        max_chars = self._max_chars(max_chunk_chars)
        if not isinstance(texts, Sequence) or isinstance(texts, str) or len(texts) > MAX_TEXTS:
            raise InvalidRequest(f"texts must be a list of at most {MAX_TEXTS:,}", code="wrong_type")
        arrived = [parse_given_text(place, one, self._clock.now()) for place, one in enumerate(texts)]
        known = dict(self._ledger.documents.in_collection(own.scope, own.name))
        tally = IngestTally(matched=len(arrived))
        intake = DocumentWriter(self._parts)
        for done, _ in enumerate(intake.take_in(own, arrived, known, max_chars, tally), start=1):
            if progress:
                progress(done, len(arrived), "documents")
        return self._answered("docs add", started, [own], {"texts": len(arrived)}, tally, embed, progress)

    def _ingest_once(
        self,
        roots: Sequence[str],
        globs: tuple[str, ...],
        scope: str | None,
        collection: str | None,
        max_chunk_chars: int | None,
        embed: bool,
        again: bool,
        progress: Progress | None,
    ) -> Ok[DocsIngested]:
        started = self._clock.ticks()
        max_chars, tally, taken = self._max_chars(max_chunk_chars), IngestTally(), list[Collection]()
        located = [self._parts.tree().locate(replace_undecodable(root)) for root in roots]
        own = [self._collection(one, scope, collection) for one in located]
        if len({one.name for one in own}) < len({one.root for one in located}):
            raise Conflict(
                "two of the folders have the same name", code="collection_taken", hint="take them in one by one, named"
            )
        folders = Folders(self._parts)
        for where, one in zip(located, own, strict=True):
            if again:
                self._ledger.documents.clear_forgotten(one.scope, one.name)
            folders.take_in(where, (*where.globs, *globs), one, max_chars, tally, progress)
            taken.append(one)
        asked: dict[str, Json] = {"roots": len(roots), "globs": list(globs), "max_chunk_chars": max_chars}
        return self._answered("docs ingest", started, taken, asked, tally, embed, progress)

    def _collection(self, where: FolderSelection, scope: str | None, name: str | None) -> Collection:
        """Return the collection of a folder. One that another folder has is not taken for it, unless it is named."""
        own = Collection(
            self._scope(scope),
            folder_collection(where.root) if name is None else collection_name(name),
            digest(where.root),
        )
        before = next(iter(self._known_as(own)), None)
        if before is not None and (not before.root or (name is None and before.root != own.root)):
            raise Conflict(
                f"collection {own.name!r} is another folder's",
                code="collection_taken",
                hint="give this one a name with --collection, or forget the other",
            )
        return own

    def _known_as(self, own: Collection) -> list[Collection]:
        return [one for one in self._ledger.documents.collections(Reach((own.scope,))) if one.name == own.name]

    def _answered(
        self,
        operation: str,
        started: float,
        taken: Sequence[Collection],
        asked: dict[str, Json],
        tally: IngestTally,
        embed: bool,
        progress: Progress | None,
    ) -> Ok[DocsIngested]:
        """Make the vectors, if wanted, and the receipt of what was taken in."""
        wanted = self._policies.documents.embed_on_ingest and embed
        made, warning = self._embedded(progress) if wanted and tally.batches else (0, "")
        waiting, _ = self._ledger.passages.vectors.backlog(self._ledger.passages.vectors.space())
        ingested = _ingested(taken, tally, made, waiting)
        receipt = self._receipt(
            operation,
            started,
            asked={"scope": ingested.scope, "collections": list(ingested.collections), **asked},
            decided=_facts(ingested),
            warnings=(warning,) if warning else (),
        )
        if not ingested.wrote:
            return Ok(ingested, receipt)
        self._ledger.memories.commit([], receipt)
        return Ok(ingested, self._kept(receipt, started))

    def _embedded(self, progress: Progress | None) -> tuple[int, str]:
        """Embed what waits; words find it all the same if that cannot be."""
        try:
            return passage_index.build(self._evidence, progress).made, ""
        except (Unavailable, Refused, InvalidRequest) as error:
            return 0, f"{error.code}: {error.message}"

    # Out

    @operation(
        "docs search",
        operator_only=True,
        served=True,
        examples=(
            'satchel docs search "how are tokens renewed"',
            "satchel docs search parseAuthToken --mode search",
            "satchel docs search 'src/models/*.ts'",
        ),
    )
    def search(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        mode: Annotated[
            str, Param("by words (search), by meaning (vsearch), or by both (query)", choices=DocMode)
        ] = "query",
        limit: Annotated[int, Param("how many to return, 1 to 200")] = 10,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        collection: _Collection = None,
    ) -> Ok[DocsFound]:
        """Find pieces of documents, each with its citation and its lines.

        Names from the code are found in any spelling, and a document with exactly the name or path asked for comes
        first.
        """
        started = self._clock.ticks()
        lanes, within = checked_mode(mode), None if collection is None else collection_name(collection)
        check_range(limit, "limit", 1, MAX_LIMIT, "such as 10")
        question = parse_question(query, Mode.HYBRID, 1)
        reach = self._asked_reach(scope, question.said, all_scopes)
        found = self._cold.find(question.text, lanes, reach, limit, collection=within)
        by_words = lanes is not Mode.LEXICAL and (found.ready.vector is None or bool(found.problem))
        answered = DocsFound(
            hits=found.hits,
            relevance=answer_relevance(hit.relevance for hit in found.hits),
            mode=LANES[lanes],
            answered_by=LANES[Mode.LEXICAL] if by_words and found.admitted.collections else LANES[lanes],
            scope=reach.name,
            collections=found.admitted.names,
        )
        receipt = self._search_receipt(found, answered, question.said, limit, within, started)
        return Ok(answered, receipt)

    def _search_receipt(
        self, found: FoundPassages, answered: DocsFound, said: str, limit: int, collection: str | None, started: float
    ) -> Receipt:
        notes = [found.ready.warning] if found.ready.warning else []
        if answered.answered_by is not answered.mode:
            notes.append(f"words_only: {answered.mode} was asked for, and only words could be searched")
        return self._receipt(
            "docs search",
            started,
            asked={
                **question_facts(said),
                "scope": answered.scope,
                "mode": answered.mode,
                "limit": limit,
                "collection": collection,
            },
            considered={
                "lanes": dict(found.lanes),
                "lexical_share": round(found.lexical_share, 4),
                "collections": list(found.admitted.names),
                "embeddings_waiting": found.ready.waiting,
            },
            decided={
                "answered_by": answered.answered_by,
                "relevance": answered.relevance,
                "hits": {hit.id: round(hit.score, 6) for hit in answered.hits},
            },
            warnings=tuple(notes),
        )

    @operation("docs list", operator_only=True)
    def list(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        collection: _Collection = None,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 50,
        after: Annotated[str | None, Param("the 'next' of the page before")] = None,
    ) -> Ok[DocsListed]:
        """List the ingested documents."""
        started = self._clock.ticks()
        reach, name = self._reach(scope, all_scopes), None if collection is None else collection_name(collection)
        page = self._ledger.documents.page(reach, name, page_size(limit) + 1, _mark(after))
        shown = page[:limit]
        following = f"{shown[-1].scope} {shown[-1].collection} {shown[-1].path}" if len(page) > limit else None
        collections = tuple(
            one for one in self._ledger.documents.collections(reach) if name is None or one.name == name
        )
        receipt = self._receipt(
            "docs list",
            started,
            asked={"scope": reach.name, "collection": name, "limit": limit},
            decided={"returned": len(shown)},
        )
        return Ok(DocsListed(collections, tuple(shown), following), receipt)

    # Forget

    @operation(
        "docs forget",
        writes=True,
        destructive=True,
        operator_only=True,
        examples=("satchel docs forget doc:api:notes/plan.md --verify", "satchel docs forget --collection api"),
    )
    def forget(
        self,
        target: Annotated[str | None, Param("the document's citation, or its path", positional=True)] = None,
        *,
        collection: Annotated[str | None, Param("the collection; all of it if no document is given")] = None,
        scope: Scope = None,
        verify: Annotated[bool, Param("search every file of the store for remains")] = False,
    ) -> Ok[DocsForgotten]:
        """Erase a document or a whole collection everywhere.

        There is no undo. A forgotten document stays out when its folder is ingested again, unless --again is given.
        """
        self._require_writable()
        started = self._clock.ticks()
        within, name, path = self._target(target, collection, scope)
        documents = self._documents_of(within, name, path)
        view = all_passages(EvidenceLane.DOCUMENTS, within)
        doomed = [
            passage for one in documents for passage in self._ledger.passages.group(group_of(name, one.path), view)
        ]
        needles = self._needles(doomed) if verify else []
        before = self._parts.files.search(needles) if verify else None
        receipt = self._receipt(
            "docs forget",
            started,
            asked={"scope": within.name, "collection": name, "whole": path is None, "verify": verify},
            decided={"documents": len(documents), "chunks": len(doomed)},
        )
        ids = [one.id for one in doomed]
        self._ledger.passages.erase(ids, view, receipt)
        paths = None if path is None else [path]
        self._ledger.documents.remove(within.scopes[0], name, paths, [digest(one) for one in paths or ()])
        done = {"index": passage_index.purge_index(self._evidence), "ledger": self._ledger.memories.scrub()}
        forgotten = DocsForgotten(
            collection=name,
            documents=len(documents),
            chunks=len(doomed),
            erased_from=tuple(place for place, clean in done.items() if clean),
            pending=tuple(place for place, clean in done.items() if not clean),
            check=None if before is None else compare_searches(len(needles), before, self._parts.files.search(needles)),
        )
        return Ok(forgotten, self._kept(receipt, started))

    def _documents_of(self, within: Reach, name: str, path: str | None) -> Sequence[Document]:
        """Return the document of a path, or all of a collection; one that is known may hold none."""
        known = self._ledger.documents.in_collection(within.scopes[0], name)
        found = list(known.values()) if path is None else [known[path]] if path in known else []
        if not found and not (path is None and self._known_as(Collection(within.scopes[0], name, ""))):
            raise NotFound(f"no such document in {within}", hint="'satchel docs list' shows what there is")
        return found

    def _target(self, target: str | None, collection: str | None, scope: str | None) -> tuple[Reach, str, str | None]:
        within = self._reach(scope)
        if target is None:
            if collection is None:
                raise InvalidRequest(
                    "forget needs a document or a collection", code="missing_param", hint="name one of the two"
                )
            return within, collection_name(collection), None
        if named := parse_citation(replace_undecodable(target)):
            return within, named[0], named[1]
        holding = [
            one for one in self._ledger.documents.collections(within) if collection is None or one.name == collection
        ]
        having = [
            one.name
            for one in holding
            if replace_undecodable(target) in self._ledger.documents.in_collection(one.scope, one.name)
        ]
        if len(having) != 1:
            raise NotFound(
                f"{replace_undecodable(target)[:80]!r} is {'in several collections' if having else 'no document'} of {within}",
                hint="give its citation, or --collection",
            )
        return within, having[0], replace_undecodable(target)

    def _needles(self, doomed: Sequence[Passage]) -> Sequence[bytes]:
        """Return pieces of what is to go that nothing else holds."""
        is_elsewhere = survives_elsewhere(self._ledger, ErasedRecords(passages=[one.id for one in doomed]))
        pieces = sample_fragments("\n".join(one.text for one in doomed))
        return [piece.encode() for piece in pieces if not is_elsewhere(piece)]

    # How the operations above get at things

    @cached_property
    def _cold(self) -> DocumentSearch:
        return DocumentSearch(self._parts)

    def _scope(self, scope: str | None) -> str:
        policy = self._policies.scope
        return policy.default_scope if scope is None else check_scope(scope, policy)

    def _asked_reach(self, scope: str | None, said: str, everywhere: bool) -> Reach:
        if everywhere:
            return self._reach(scope, everywhere)
        name = None if scope is None else check_scope(scope, self._policies.scope)
        return recall_reach(resolve_scope(name, said, self._policies.scope), self._policies.scope)

    def _max_chars(self, asked: int | None) -> int:
        if asked is None:
            return self._policies.documents.max_chunk_chars
        if type(asked) is not int or not MIN_CHARS <= asked <= MAX_CHARS:
            raise InvalidRequest(
                f"chunks of {asked!r} characters are not from {MIN_CHARS} to {MAX_CHARS}", code="out_of_range"
            )
        return asked


def _mark(after: str | None) -> tuple[str, str, str] | None:
    if after is None:
        return None
    scope, _, rest = replace_undecodable(after).partition(" ")
    collection, _, path = rest.partition(" ")
    if not path:
        raise InvalidRequest(
            f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use the 'next' of a page"
        )
    return scope, collection, path


def _ingested(taken: Sequence[Collection], tally: IngestTally, embedded: int, waiting: int) -> DocsIngested:
    return DocsIngested(
        scope=taken[0].scope,
        collections=tuple(one.name for one in taken),
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
