"""Documents: ingest, search, list, forget."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from satchel.core.erasure import ErasedRecords, compare_searches, sample_fragments, survives_elsewhere
from satchel.core.operations import AllScopes, Param, Scope, operation
from satchel.core.service import Service, page_size
from satchel.documents.chunk import MAX_CHARS, MIN_CHARS
from satchel.documents.exact import terms_of
from satchel.documents.ingest import DocumentIngest
from satchel.documents.intake import IngestTally
from satchel.documents.items import DocumentItemWriter
from satchel.documents.passages import collection_name, names_piece, parse_citation
from satchel.documents.search import LANES, DocumentSearch, checked_mode
from satchel.documents.values import DocMode, DocPiece, DocsForgotten, DocsFound, DocShown, DocsIngested, DocsListed
from satchel.domain.arguments import check_range
from satchel.domain.canonical import Json, digest
from satchel.domain.document import Document, group_of
from satchel.domain.envelope import Ok
from satchel.domain.imports import DocumentItem, ImportTerms, Writer
from satchel.domain.moment import iso
from satchel.domain.passage import EvidenceLane, Passage, all_passages
from satchel.domain.receipt import question_facts
from satchel.domain.scope import Reach, resolve_scope
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, NotFound
from satchel.indexing import passage_index
from satchel.ports import Progress, Tell
from satchel.recall.passages import without_tail
from satchel.recall.relevance import answer_relevance, is_calibrated
from satchel.recall.request import Mode, parse_question, recall_reach

MAX_LIMIT = 200
MAX_FOLDERS = 64
# A watched folder is read again after this many seconds, or after this many times as long as reading took.
WATCH_SECONDS = 1.0
WATCH_FACTOR = 10

_Collection = Annotated[str | None, Param("only documents of this collection")]


class Documents(Service):
    """Ingests documents from folders or as texts, and finds them by words, by meaning, or by both."""

    # Ingest

    @operation(
        "docs ingest",
        writes=True,
        idempotent=True,
        operator_only=True,
        terminal_only=True,
        long=True,
        examples=(
            "satchel docs ingest ~/work/shop",
            "satchel docs ingest 'notes/**/*.md' --collection notes",
            "satchel docs ingest ~/work/shop --glob '*.py' --glob '!tests/' --watch",
        ),
    )
    def ingest(
        self,
        place: Annotated[
            str | Sequence[str] | None,
            Param("the folder, file or pattern; the configured ones if omitted", positional=True, metavar="PATH"),
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
        tell: Tell | None = None,
    ) -> Ok[DocsIngested]:
        """Ingest a folder, a file, or the files that match a pattern.

        Markdown is split by headings, source code by definitions, text by paragraphs. Unchanged files are not touched,
        deleted ones are removed. Files that .gitignore names are skipped, links are not followed, secrets are masked;
        unreadable files are skipped with the reason.
        """
        is_first = True
        while True:
            with self._run("docs ingest", writes=True) as run:
                roots, patterns = self._sources(place, globs, collection)
                max_chars, tally = self._max_chars(max_chunk_chars), IngestTally()
                collections = self._ingest.folders(
                    roots, patterns, scope, collection, max_chars, tally, progress, again=again, embed=embed
                )
                asked: dict[str, Json] = {
                    "roots": len(roots),
                    "globs": list(patterns),
                    "max_chunk_chars": max_chars,
                }
                done = self._ingest.finish(run, asked, collections, tally, progress, embed=embed)
            if not watch:
                return done
            if tell is not None and (is_first or done.result.wrote):
                tell(_watched(done.result, iso(done.receipt.at)))
            is_first = False
            self._parts.tree().wait(max(WATCH_SECONDS, WATCH_FACTOR * run.elapsed_ms() / 1000))

    def _sources(
        self, place: str | Sequence[str] | None, globs: Sequence[str], collection: str | None
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Return the folders and patterns to ingest: the given ones, else the configured ones."""
        policy = self._policies.documents
        roots = () if place is None else (place,) if isinstance(place, str) else tuple(place)
        if not roots:
            roots, globs = policy.source_roots, globs or policy.source_globs
        if not 1 <= len(roots) <= MAX_FOLDERS:
            raise InvalidRequest(
                "no folder was named" if not roots else f"more than {MAX_FOLDERS} folders were named",
                code="missing_param",
                hint="name a folder, or set docs_cold_lane.source_roots",
            )
        if collection is not None and len(roots) > 1:
            raise InvalidRequest(
                "several folders cannot be one collection", code="ambiguous", hint="ingest them one by one"
            )
        return roots, tuple(globs)

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
        with self._run("docs add", writes=True) as run:
            own = self._ingest.text_collection(scope, collection)
            tally = IngestTally()
            self._ingest.texts(own, texts, self._max_chars(max_chunk_chars), tally, progress)
            return self._ingest.finish(run, {"texts": len(texts)}, [own], tally, progress, embed=embed)

    def item_writer(self, terms: ImportTerms) -> Writer[DocumentItem]:
        """Return what stores documents that were read from another program's file."""
        writer = DocumentItemWriter(self._parts)
        return lambda items: writer.take(items, terms)

    @cached_property
    def _ingest(self) -> DocumentIngest:
        return DocumentIngest(self._parts)

    def _max_chars(self, asked: int | None) -> int:
        if asked is None:
            return self._policies.documents.max_chunk_chars
        if type(asked) is not int or not MIN_CHARS <= asked <= MAX_CHARS:
            raise InvalidRequest(
                f"chunks of {asked!r} characters are not from {MIN_CHARS} to {MAX_CHARS}", code="out_of_range"
            )
        return asked

    # Search and list

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
        with self._run("docs search") as run:
            lanes, name = checked_mode(mode), None if collection is None else collection_name(collection)
            check_range(limit, "limit", 1, MAX_LIMIT, "such as 10")
            question = parse_question(query, Mode.HYBRID, 1)
            reach = self._asked_reach(scope, question.said, all_scopes)
            found = self._search.find(question.text, lanes, reach, limit, collection=name)
            has_meaning = found.ready.vector is not None and not found.problem
            by_words = lanes is not Mode.LEXICAL and not has_meaning
            space = found.ready.space.name if has_meaning and found.ready.space is not None else None
            rated = is_calibrated(space, terms_of(question.text))
            hits = without_tail(found.hits, self._policies.recall.min_relevance, rated=rated)
            answer = DocsFound(
                hits=tuple(hits),
                relevance=answer_relevance(hit.relevance for hit in hits),
                mode=LANES[lanes],
                answered_by=LANES[Mode.LEXICAL] if by_words and found.admitted.collections else LANES[lanes],
                scope=reach.name,
                collections=found.admitted.names,
            )
            run.asked = {
                **question_facts(question.said),
                "scope": answer.scope,
                "mode": answer.mode,
                "limit": limit,
                "collection": name,
            }
            run.considered = {
                "lanes": dict(found.lanes),
                "lexical_share": round(found.lexical_share, 4),
                "collections": list(found.admitted.names),
                "embeddings_waiting": found.ready.waiting,
            }
            run.decided = {
                "answered_by": answer.answered_by,
                "relevance": answer.relevance,
                "hits": {hit.id: round(hit.score, 6) for hit in answer.hits},
            }
            run.warn(found.ready.warning)
            if answer.answered_by is not answer.mode:
                run.warn(f"words_only: {answer.mode} was asked for, and only words could be searched")
            return run.done(answer)

    @cached_property
    def _search(self) -> DocumentSearch:
        return DocumentSearch(self._parts)

    def _asked_reach(self, scope: str | None, said: str, everywhere: bool) -> Reach:
        if everywhere:
            return self._reach(scope, everywhere)
        policy = self._policies.scope
        return recall_reach(resolve_scope(scope, said, policy, strict=True), policy)

    @operation("docs list", operator_only=True, examples=("satchel docs list --collection notes",))
    def list(
        self,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        collection: _Collection = None,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 50,
        after: Annotated[str | None, Param("continue after the previous page: its 'next'")] = None,
    ) -> Ok[DocsListed]:
        """List the ingested documents."""
        with self._run("docs list") as run:
            reach, name = self._reach(scope, all_scopes), None if collection is None else collection_name(collection)
            page = self._ledger.documents.page(reach, name, page_size(limit) + 1, _mark(after))
            shown = page[:limit]
            following = f"{shown[-1].scope} {shown[-1].collection} {shown[-1].path}" if len(page) > limit else None
            collections = tuple(
                one for one in self._ledger.documents.collections(reach) if name is None or one.name == name
            )
            run.asked = {"scope": reach.name, "collection": name, "limit": limit}
            return run.done(DocsListed(collections, tuple(shown), following), returned=len(shown))

    @operation(
        "docs show",
        operator_only=True,
        examples=("satchel docs show doc:api:notes/plan.md", "satchel docs show notes/plan.md --collection api"),
    )
    def show(
        self,
        target: Annotated[str, Param("the citation of a document or of a piece of it, or its path", positional=True)],
        *,
        collection: _Collection = None,
        scope: Scope = None,
    ) -> Ok[DocShown]:
        """Show a document as it was ingested, or the piece that a citation names."""
        with self._run("docs show") as run:
            within, name, path = self._target(target, collection, scope)
            (document,) = self._documents_of(within, name, path)
            view = all_passages(EvidenceLane.DOCUMENTS, within)
            pieces = [
                DocPiece(one.ref or "", one.text)
                for one in self._ledger.passages.group(group_of(name, document.path), view)
            ]
            wanted = replace_undecodable(target)
            shown = [one for one in pieces if one.citation == wanted] if names_piece(wanted) else pieces
            if not shown:
                raise NotFound(
                    f"{document.path[:80]!r} has no such piece now",
                    hint=f"satchel docs show doc:{name}:{document.path}",
                )
            run.asked = {"scope": within.name, "collection": name}
            answer = DocShown(document.scope, name, document.path, document.kind, tuple(shown))
            return run.done(answer, returned=len(shown))

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
        with self._run("docs forget", writes=True) as run:
            within, name, path = self._target(target, collection, scope)
            documents = self._documents_of(within, name, path)
            view = all_passages(EvidenceLane.DOCUMENTS, within)
            groups = [self._ledger.passages.group(group_of(name, one.path), view) for one in documents]
            chunks = [chunk for group in groups for chunk in group]
            needles = self._unique_fragments(chunks) if verify else []
            before = self._parts.files.search(needles) if verify else None
            run.asked = {"scope": within.name, "collection": name, "whole": path is None, "verify": verify}
            receipt = run.receipt(documents=len(documents), chunks=len(chunks))
            self._ledger.passages.erase([one.id for one in chunks], view, receipt)
            paths = None if path is None else [path]
            self._ledger.documents.remove(within.scopes[0], name, paths, [digest(one) for one in paths or ()])
            cleared = {
                "index": passage_index.purge_index(self._indexed_passages),
                "ledger": self._ledger.memories.scrub(),
            }
            forgotten = DocsForgotten(
                collection=name,
                documents=len(documents),
                chunks=len(chunks),
                erased_from=tuple(place for place, clean in cleared.items() if clean),
                pending=tuple(place for place, clean in cleared.items() if not clean),
                check=None
                if before is None
                else compare_searches(len(needles), before, self._parts.files.search(needles)),
            )
            return run.committed(forgotten, receipt)

    def _documents_of(self, within: Reach, name: str, path: str | None) -> Sequence[Document]:
        """Return the document at a path, or all of a collection, which may be empty."""
        known = self._ledger.documents.in_collection(within.scopes[0], name)
        if path is None and (known or any(one.name == name for one in self._ledger.documents.collections(within))):
            return list(known.values())
        if path is None or path not in known:
            raise NotFound(f"no such document in {within}", hint="'satchel docs list' lists the documents")
        return [known[path]]

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
        path = replace_undecodable(target)
        having = [
            one.name
            for one in self._ledger.documents.collections(within)
            if (collection is None or one.name == collection)
            and path in self._ledger.documents.in_collection(one.scope, one.name)
        ]
        if len(having) != 1:
            raise NotFound(
                f"{path[:80]!r} is {'in several collections' if having else 'no document'} of {within}",
                hint="give its citation, or --collection",
            )
        return within, having[0], path

    def _unique_fragments(self, chunks: Sequence[Passage]) -> Sequence[bytes]:
        """Return fragments of chunks that no other record contains."""
        is_elsewhere = survives_elsewhere(self._ledger, ErasedRecords(passages=[one.id for one in chunks]))
        pieces = sample_fragments("\n".join(one.text for one in chunks))
        return [piece.encode() for piece in pieces if not is_elsewhere(piece)]


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


def _watched(done: DocsIngested, at: str) -> str:
    """Return what a look at watched folders found, on one line."""
    changes = {"added": done.added, "changed": done.changed, "removed": done.removed, "skipped": len(done.skipped)}
    said = ", ".join(f"{number} {word}" for word, number in changes.items() if number) or "nothing new"
    return f"{at}  {', '.join(done.collections)}: {said}; {done.files_matched} in all"
