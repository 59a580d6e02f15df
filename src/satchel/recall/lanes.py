"""Lexical and vector lanes: gather candidates. The index only proposes; cosines come from the ledger's vectors."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View, held_out_by
from satchel.errors import Unavailable
from satchel.ports import MemoryStore, SearchableIndex, VectorStore
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.request import Mode, RecallQuestion
from satchel.threads import run_in_background


class VectorQuery(Struct, frozen=True):
    """The question's vector, its space, and the index to search."""

    vector: Vector
    space: Space
    index: SearchableIndex
    current: bool
    """Whether the index is up to date with the ledger."""
    in_ledger: bool = False
    """Whether the ledger itself is searched instead of a separate index."""
    pending: Sequence[Memory] = ()
    """The few changed records that the index does not have: the ledger has their vectors."""


class EarlyMatches(Struct, frozen=True):
    """Lexical matches that are looked up while the question is being embedded."""

    source: str
    """Where they come from: ledger or index."""
    result: Callable[[], list[Candidate]]
    """Waits for them. Raises Unavailable if the index is damaged."""


class LaneCandidates(Struct, frozen=True):
    """The candidates of each lane."""

    lanes: dict[str, list[Candidate]]
    lexical_source: str
    """Where the lexical candidates came from: ledger, index or none."""
    problem: str = ""
    """Why the index could not be searched, or empty."""

    def joined(self, more: "LaneCandidates") -> "LaneCandidates":
        """Return these candidates and those of another search."""
        lanes = {lane: self.lanes.get(lane, []) + more.lanes.get(lane, []) for lane in {*self.lanes, *more.lanes}}
        return LaneCandidates(lanes, more.lexical_source, self.problem or more.problem)

    def only(self, ids: AbstractSet[MemoryId]) -> "LaneCandidates":
        """Return the candidates with these ids."""
        lanes = {lane: [one for one in found if one.id in ids] for lane, found in self.lanes.items()}
        return LaneCandidates(lanes, self.lexical_source, self.problem)


def gather_candidates(
    question: RecallQuestion,
    view: View,
    memories: MemoryStore,
    vectors: VectorStore,
    query: VectorQuery | None,
    early: EarlyMatches | None = None,
) -> LaneCandidates:
    """Gather candidates for a question. Without a vector query, or if the index fails, the ledger's full text answers.

    `early` are the lexical matches of this view, if they were looked up before.
    """
    if query is None or query.in_ledger:
        matches = early.result() if early is not None and early.source == "ledger" else None
        if matches is None and (query is None or question.mode is not Mode.VECTOR):
            matches = memories.match(question.terms, view, question.pool)
        return _search_ledger(question, view, memories, query, matches or [])
    try:
        if question.mode is Mode.VECTOR:
            nearest = _nearest(question, view, vectors, query)
            return LaneCandidates({VECTOR: score_by_cosine(nearest, vectors, query)}, "none")
        lexical, nearest, source = _search_index(question, view, memories, vectors, query, early)
        # Lexical matches get a cosine too: it must not depend on whether they are within the vector lane's limit.
        return LaneCandidates({VECTOR: score_by_cosine(nearest + lexical, vectors, query), LEXICAL: lexical}, source)
    except Unavailable as error:
        lexical = memories.match(question.terms, view, question.pool)
        return LaneCandidates({LEXICAL: lexical}, "ledger", problem=error.message)


def _search_ledger(
    question: RecallQuestion, view: View, memories: MemoryStore, query: VectorQuery | None, lexical: list[Candidate]
) -> LaneCandidates:
    if query is None:
        return LaneCandidates({LEXICAL: lexical}, "ledger")
    near = memories.nearest(query.vector, view, question.pool, [one.id for one in lexical])
    if question.mode is Mode.VECTOR:
        return LaneCandidates({VECTOR: near}, "none")
    return LaneCandidates({VECTOR: near, LEXICAL: lexical}, "ledger")


def _search_index(
    question: RecallQuestion,
    view: View,
    memories: MemoryStore,
    vectors: VectorStore,
    query: VectorQuery,
    early: EarlyMatches | None,
) -> tuple[list[Candidate], list[Candidate], str]:
    if not query.current and not query.pending:
        lexical = memories.match(question.terms, view, question.pool)
        return lexical, _nearest(question, view, vectors, query), "ledger"
    if early is not None and early.source == "index":
        nearest = _nearest(question, view, vectors, query)
        return early.result(), nearest, "index"
    # The index releases the GIL: searching both lanes in parallel takes little longer than one.
    later = run_in_background(lambda: _match(question, view, memories, query))
    nearest = _nearest(question, view, vectors, query)
    return later.result(), nearest, "index"


def _match(question: RecallQuestion, view: View, memories: MemoryStore, query: VectorQuery) -> list[Candidate]:
    """Return the best lexical matches. Those that the index lacks, or has as they were before, come from the ledger.

    Index and ledger score by the same formula: over 100,000 memories their scores differ by 1 %.
    """
    found = query.index.match(question.terms, view, _with_room_for_pending(question, query))
    if not query.pending:
        return found
    unchanged, pending = _split_pending(found, view, query)
    changed = memories.match_among(question.terms, [one.id for one in pending], question.pool)
    return sorted(unchanged + changed, key=lambda one: (-one.score, one.id))[: question.pool]


def _nearest(question: RecallQuestion, view: View, vectors: VectorStore, query: VectorQuery) -> list[Candidate]:
    """Return the nearest records. Those that the index lacks, or has as they were before, come from the ledger."""
    found = query.index.nearest(query.vector, view, _with_room_for_pending(question, query))
    if not query.pending:
        return found
    unchanged, pending = _split_pending(found, view, query)
    return score_by_cosine(unchanged + pending, vectors, query)[: question.pool]


def _with_room_for_pending(question: RecallQuestion, query: VectorQuery) -> int:
    """Return how many records to look for in the index: a pending one may stand in the place of another."""
    return question.pool + min(question.pool, len(query.pending))


def _split_pending(
    found: Sequence[Candidate], view: View, query: VectorQuery
) -> tuple[list[Candidate], list[Candidate]]:
    """Return what the index found without the records that it has as they were before, and the pending records of a view."""
    changed = {one.id for one in query.pending}
    pending = [Candidate(one.id, 0.0, one.content_hash) for one in query.pending if held_out_by(one, view) is None]
    return [one for one in found if one.id not in changed], pending


def score_by_cosine(candidates: Sequence[Candidate], vectors: VectorStore, query: VectorQuery) -> list[Candidate]:
    """Score candidates by the ledger's vectors, each once, best first. Candidates without a vector are left out."""
    hashes = {one.id: one.content_hash for one in candidates}
    cosines = vectors.cosines(query.space, query.vector, list(hashes))
    scored = [Candidate(id, score, hashes[id]) for id, score in cosines.items()]
    return sorted(scored, key=lambda one: (-one.score, one.id))
