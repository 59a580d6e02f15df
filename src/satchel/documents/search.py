"""Search documents: on their own, or as the lane that a recall falls back to when memories have too little."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from satchel.core.service import Service
from satchel.documents import exact
from satchel.documents.admitted import Admitted, admitted
from satchel.documents.passages import parse_citation, place_of
from satchel.documents.values import DocMode
from satchel.domain.arguments import one_of
from satchel.domain.document import Collection, DocKind, Document, collection_key, group_of
from satchel.domain.document_hits import DocHit, DocumentFallback
from satchel.domain.passage import EvidenceLane, Passage, PassageHit, PassageId, PassageView, all_passages
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.domain.ranking import Contribution
from satchel.domain.receipt_sections import ColdLane
from satchel.domain.scope import Reach
from satchel.domain.shorten import shorten
from satchel.errors import Unavailable
from satchel.indexing import passage_index
from satchel.indexing.memory_index import SearchReadiness
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.named import stated_names
from satchel.recall.passages import PassageVectorQuery, Prior, ScoredPassage, search_passages
from satchel.recall.relevance import PLAUSIBLE, is_calibrated, likelihood
from satchel.recall.request import Mode

EXACT = "exact"
# Least relevance of a chunk that has exactly the name or path asked for, whatever its words and its vector say.
EXACT_RELEVANCE = {"path": 0.95, "defines": 0.95, "names": 0.85}
# Weight of a shared word in code, relative to one in prose.
WORDS_COUNT_IN_CODE = 0.2
# Maximum number of matches by words that are scored: most chunks that are near in meaning then have a score by words too.
DEPTH = 1_000
# Maximum number of documents that a pattern of paths may match.
MAX_NAMED = 400
MODES = {DocMode.SEARCH: Mode.LEXICAL, DocMode.VSEARCH: Mode.VECTOR, DocMode.QUERY: Mode.HYBRID}
LANES = {mode: lane for lane, mode in MODES.items()}


class DocumentMatches(Struct, frozen=True):
    """The hits of a search, and how they were found."""

    hits: tuple[DocHit, ...]
    admitted: Admitted
    ready: SearchReadiness
    lanes: Mapping[str, int]
    lexical_share: float = 0.0
    problem: str = ""


class DocumentSearch(Service):
    """Finds chunks of documents within the collections a request may see. Implements recall.recaller.DocumentLane."""

    def find(
        self, query: str, mode: Mode, reach: Reach, limit: int, *, collection: str | None = None, dry_run: bool = False
    ) -> DocumentMatches:
        """Search the documents of a reach. Names and paths that the question spells out come first."""
        allowed = self.admitted(reach, collection)
        if not allowed.collections:
            return DocumentMatches((), allowed, SearchReadiness(), {})
        asked, terms = exact.exact_terms(query), exact.terms_of(query)
        ready = self._make_ready(query, mode, dry_run)
        meaning = self._meaning_of(ready)
        by_word = mode is not Mode.VECTOR
        priors = (_prior(asked),) if by_word else ()
        views = self._views(allowed)
        named = self._named(asked, allowed) if by_word else ()
        # A document whose path is asked for is searched separately: among many others it might not be found.
        closer = [replace(view, groups=named) for view in views if not view.groups] if named else []
        found = [
            search_passages(
                terms,
                mode,
                view,
                limit,
                self._ledger.passages,
                meaning,
                priors,
                _words_count(allowed),
                DEPTH,
                labels=_labels,
                names=stated_names(query),
            )
            for view in (*closer, *views)
        ]
        hits = _merged([hit for one in found for hit in one.hits], limit)
        return DocumentMatches(
            tuple(_hit(hit, rank) for rank, hit in enumerate(hits, start=1)),
            allowed,
            ready,
            {lane: sum(one.lanes[lane] for one in found) for lane in found[0].lanes} if found else {},
            found[-1].lexical_share if found else 0.0,
            next((one.problem for one in found if one.problem), ""),
        )

    def admitted(self, reach: Reach, collection: str | None = None) -> Admitted:
        """Return the collections that a request may look into."""
        default = self._policies.scope.default_scope
        wider = reach if reach.everywhere else Reach(tuple(dict.fromkeys((*reach.scopes, default))))
        known = self._ledger.documents.collections(wider)
        return admitted(known, reach, default, self._policies.documents, collection)

    def ranked(self, query: str, mode: Mode, reach: Reach, limit: int, *, dry_run: bool = False) -> tuple[DocHit, ...]:
        """Search the documents alone."""
        return self.find(query, mode, reach, limit, dry_run=dry_run).hits

    def consult(
        self, query: str, mode: Mode, reach: Reach, found: int, min_relevance: float, *, dry_run: bool = False
    ) -> DocumentFallback:
        """Return what documents add to a recall that found this many memories: nothing if that was enough."""
        policy = self._policies.documents
        section = ColdLane(
            enabled=policy.enabled,
            consulted=False,
            trigger="disabled",
            scope=reach.name,
            strategy=policy.scope_mapping_strategy,
            min_hot_items=policy.min_hot_items,
            hot_items=found,
            source_roots_count=len(policy.source_roots),
        )
        if not policy.enabled:
            return DocumentFallback((), section)
        if found >= policy.min_hot_items:
            return DocumentFallback((), replace(section, trigger="sufficient_hot"))
        section = replace(section, trigger="insufficient_hot")
        pool = max(policy.search_fts_k, policy.search_vec_k)
        try:
            searched = self.find(query, mode, reach, pool, dry_run=dry_run)
        except Unavailable as error:
            # The memories are still an answer.
            return DocumentFallback((), replace(section, error=f"{error.code}: {error.message}"))
        chosen = list(_counted(searched.hits, policy, self._policies.recall.fusion))
        # The question did not ask for documents: only those likely to be about it are added.
        space, least = searched.ready.space, max(min_relevance, PLAUSIBLE)
        calibrated = is_calibrated(space.name if space else None, exact.terms_of(query))
        chosen = [hit for hit in chosen if likelihood(hit.relevance, rated=calibrated and VECTOR in hit.match) >= least]
        docs = tuple(
            replace(hit, rank=rank, text=shorten(hit.text, policy.max_snippet_chars))
            for rank, hit in enumerate(chosen[: policy.max_items], start=1)
        )
        return DocumentFallback(docs, _consulted(section, searched, policy.max_items, len(docs)))

    def _views(self, allowed: Admitted) -> list[PassageView]:
        """Return the views of the allowed collections; of some, perhaps only one folder is visible."""
        default = self._policies.scope.default_scope
        within = [one for one in allowed.collections if not (allowed.below and one.scope == default)]
        views = [_view(within, allowed.reach)] if within else []
        if allowed.below:
            inside = self._ledger.documents.match_paths(Reach((default,)), [f"{allowed.below}/*"], MAX_NAMED)
            groups = tuple(_groups(inside, allowed))
            common = [one for one in allowed.collections if one.scope == default]
            views += [replace(_view(common, allowed.reach), groups=groups)] if groups else []
        return views

    def _named(self, asked: exact.ExactTerms, allowed: Admitted) -> tuple[str, ...]:
        if not asked.paths:
            return ()
        globs = [exact.glob_of(path) for path in asked.paths]
        found = self._ledger.documents.match_paths(allowed.reach, globs, MAX_NAMED, with_collection=True)
        return tuple(_groups(found, allowed))

    def passage(self, id: str, within: Reach, reach: Reach, *, quarantined: bool) -> tuple[Passage, bool] | None:
        """Return a chunk by its id or citation, and whether a recall within `reach` may see it."""
        may_see = self.admitted(reach)
        among = within if within.everywhere else may_see.reach
        view = (
            all_passages(EvidenceLane.DOCUMENTS, among) if quarantined else PassageView(EvidenceLane.DOCUMENTS, among)
        )
        found = self._ledger.passages.fetch([PassageId(id)], view).get(PassageId(id))
        if found is None and (named := parse_citation(id)) is not None:
            chunks = self._ledger.passages.group(group_of(*named), view)
            found = next((one for one in chunks if id in (one.ref, f"doc:{one.group}")), None)
        if found is None:
            return None
        seen = _is_admitted(found, may_see, self._policies.scope.default_scope)
        return (found, seen) if seen or within.everywhere else None

    def _make_ready(self, query: str, mode: Mode, dry_run: bool) -> SearchReadiness:
        if mode is Mode.LEXICAL:
            return SearchReadiness()
        if dry_run:
            return passage_index.check_readiness(self._indexed_passages, query)
        return passage_index.catch_up(self._indexed_passages, query, self._policies.recall.catch_up_ms / 1000)

    def _meaning_of(self, ready: SearchReadiness) -> PassageVectorQuery | None:
        if ready.vector is None or ready.space is None:
            return None
        return PassageVectorQuery(ready.vector, ready.space, self._parts.passage_index())


def checked_mode(mode: str) -> Mode:
    """Return the lanes of a mode. Raises InvalidRequest for an unknown one."""
    return MODES[one_of(DocMode, mode, "mode")]


def _is_admitted(passage: Passage, may_see: Admitted, default_scope: str) -> bool:
    path = place_of(passage).path
    outside = may_see.below and passage.scope == default_scope and not path.startswith(f"{may_see.below}/")
    keys = {collection_key(one.scope, one.name) for one in may_see.collections}
    return passage.kind in keys and not outside


def _words_count(allowed: Admitted) -> float:
    """Return the weight of words, lower for code: it shares few words with questions."""
    chunks = sum(one.chunks for one in allowed.collections)
    code = sum(one.code for one in allowed.collections) / chunks if chunks else 0.0
    return 1 - code * (1 - WORDS_COUNT_IN_CODE)


def _view(collections: Sequence[Collection], reach: Reach) -> PassageView:
    keys = tuple(collection_key(one.scope, one.name) for one in collections)
    return PassageView(EvidenceLane.DOCUMENTS, reach, kinds=keys)


def _groups(documents: Sequence[Document], allowed: Admitted) -> list[str]:
    seen = {(one.scope, one.name) for one in allowed.collections}
    return [group_of(one.collection, one.path) for one in documents if (one.scope, one.collection) in seen]


def _prior(asked: exact.ExactTerms) -> Prior:
    """Return the prior by which chunks with a name or path that was asked for gain."""

    def prior(weighed: Sequence[ScoredPassage]) -> Mapping[PassageId, Contribution]:
        if not (asked.names or asked.paths):
            return {}
        gains = {one.passage.id: exact.exact_match(asked, place_of(one.passage), one.passage.text) for one in weighed}
        return {id: Contribution(EXACT, None, gain, gain) for id, (gain, _) in gains.items() if gain}

    return prior


def _merged(hits: Sequence[PassageHit], limit: int) -> list[PassageHit]:
    best: dict[PassageId, PassageHit] = {}
    for hit in hits:
        if hit.passage.id not in best or hit.score > best[hit.passage.id].score:
            best[hit.passage.id] = hit
    return sorted(best.values(), key=lambda hit: (-hit.score, hit.passage.id))[:limit]


def _labels(passage: Passage) -> Iterator[str]:
    """Yield the titles of a passage of prose. Names of files and headings of code are left to the exact match."""
    place = place_of(passage)
    if place.kind is not DocKind.CODE:
        yield from (*place.heading, place.title)


def _hit(hit: PassageHit, rank: int) -> DocHit:
    place, passage = place_of(hit.passage), hit.passage
    gain = next((part.value for part in hit.contributions if part.name == EXACT), 0.0)
    way = "path" if gain >= exact.HAS_PATH else "defines" if gain >= exact.DEFINES else "names"
    return DocHit(
        id=passage.id,
        citation=place.citation,
        ref=place.path,
        collection=place.collection,
        path=place.path,
        kind=place.kind,
        title=place.title,
        heading=place.heading,
        first_line=place.first_line,
        last_line=place.last_line,
        text=passage.text,
        scope=passage.scope,
        trust=passage.trust,
        rank=rank,
        score=hit.score,
        contributions=hit.contributions,
        # Only if every name matches: one of several says less.
        relevance=max(hit.relevance, EXACT_RELEVANCE[way]) if gain >= exact.NAMES else hit.relevance,
        match=tuple(part.name for part in hit.contributions if part.name in (LEXICAL, VECTOR, EXACT)),
        at=passage.at,
    )


def _counted(hits: Sequence[DocHit], policy: DocumentsPolicy, fusion: str) -> list[DocHit]:
    """Return the hits within the depth of their lanes, in order; by rank alone if the policy asks for RRF."""
    limits = {LEXICAL: policy.search_fts_k, VECTOR: policy.search_vec_k}

    def ranks(hit: DocHit) -> list[int]:
        return [
            part.rank for part in hit.contributions if part.rank is not None and part.rank <= limits.get(part.name, 0)
        ]

    within = [hit for hit in hits if ranks(hit) or EXACT in hit.match]
    if fusion != "rrf":
        return within
    return sorted(within, key=lambda hit: (-sum(1 / (policy.search_rrf_k + rank) for rank in ranks(hit)), hit.id))


def _consulted(section: ColdLane, found: DocumentMatches, requested: int, returned: int) -> ColdLane:
    return replace(
        section,
        consulted=True,
        requested=requested,
        returned=returned,
        filtered_by_scope=0,
        raw_candidates=sum(found.lanes.values()),
        scoped_candidates=sum(found.lanes.values()),
        pushdown_repos=list(found.admitted.names),
        pushdown_applied=True,
        error=found.problem or UNSET,
    )
