"""Bring the vectors and the index of passages up to date with the ledger."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from satchel.domain.embedding import Space
from satchel.domain.passage import PassageId
from satchel.errors import Unavailable
from satchel.indexing.embed import BacklogResult, embed_backlog
from satchel.indexing.memory_index import (
    PURGE_SECONDS,
    IndexedStore,
    SearchReadiness,
    catch_up_index,
    embed_question,
    embedding_stopped,
    get_embedder,
    get_space,
    require_space,
    try_drop,
)
from satchel.indexing.values import PassageIndexReport, index_health
from satchel.ports import CatchUp, PassageIndex, Progress


class IndexedPassages(Struct, frozen=True):
    """The store with the index of passages, which is opened when first needed."""

    store: IndexedStore
    index: Callable[[], PassageIndex]


def catch_up(
    evidence: IndexedPassages,
    question: str,
    seconds: float,
    *,
    first: Callable[[], Sequence[PassageId]] = tuple,
    progress: Progress | None = None,
) -> SearchReadiness:
    """Embed a question, then embed and index new passages within a time limit. A missing model gives a warning.

    `first` returns the passages to embed before others; it is called only if any are waiting.
    """
    store, passages = evidence.store, evidence.store.ledger.passages
    if not passages.feed.tip() and not any(passages.vectors.backlog(None)):
        # Without passages there is nothing to find, so the question is not embedded.
        return SearchReadiness()
    asked = embed_question(store, question)
    if asked.vector is None or asked.space is None:
        waiting, _ = passages.vectors.backlog(None)
        return SearchReadiness(waiting=waiting, warning=asked.warning)
    space = asked.space
    # The time limit starts here: loading the model takes longer, and happens only once.
    return catch_up_index(
        store,
        asked,
        store.clock.ticks() + seconds,
        passages.vectors,
        passages.feed,
        lambda left: _try_catch_up(evidence, space, left),
        lambda: passages.vectors.pending_of(space, first()),
        progress,
    )


def _try_catch_up(evidence: IndexedPassages, space: Space, seconds: float) -> CatchUp:
    try:
        return evidence.index().catch_up(evidence.store.ledger.passages.feed, space, seconds=seconds)
    except Unavailable as error:
        return CatchUp(problem=error.message, code=error.code)


def check_readiness(evidence: IndexedPassages, question: str) -> SearchReadiness:
    """Embed a question and return the state of vectors and index without updating them. Writes nothing."""
    passages = evidence.store.ledger.passages
    asked, (waiting, _) = embed_question(evidence.store, question), passages.vectors.backlog(None)
    if asked.vector is None or asked.space is None or passages.vectors.space() is None:
        return SearchReadiness(waiting=waiting, warning=asked.warning)
    try:
        status = evidence.index().status()
    except Unavailable as error:
        return SearchReadiness(space=asked.space, waiting=waiting, warning=f"index_unusable: {error.message}")
    if status.problem or not status.exists:
        problem = status.problem or "there is no index of evidence yet"
        return SearchReadiness(space=asked.space, waiting=waiting, warning=f"index_unusable: {problem}")
    behind = passages.feed.behind(status.applied_seq)
    warning = status.missing.warning if status.missing is not None else ""
    return SearchReadiness(asked.vector, asked.space, not behind, waiting, behind, warning=warning)


def build(evidence: IndexedPassages, progress: Progress | None, *, max_seconds: float | None = None) -> BacklogResult:
    """Embed the backlog of passages and bring the index up to date. Without a time limit, skipped ones are retried."""
    store, vectors = evidence.store, evidence.store.ledger.passages.vectors
    embedder = get_embedder(store)
    space = get_space(embedder, store.clamp)
    require_space(vectors, space)
    deadline = None if max_seconds is None else store.clock.ticks() + max_seconds
    seconds_left = None if deadline is None else lambda: deadline - store.clock.ticks()
    done = embed_backlog(
        vectors, embedder, space, store.clamp, seconds_left=seconds_left, retry=deadline is None, progress=progress
    )
    update_index(evidence, progress)
    if done.problem:
        raise embedding_stopped(done, done.problem)
    return done


def embed_waiting(evidence: IndexedPassages) -> int:
    """Embed the passages without a vector, and leave the index as it is; return how many."""
    store, vectors = evidence.store, evidence.store.ledger.passages.vectors
    embedder = get_embedder(store)
    space = get_space(embedder, store.clamp)
    require_space(vectors, space)
    done = embed_backlog(vectors, embedder, space, store.clamp)
    if done.problem:
        raise embedding_stopped(done, done.problem)
    return done.made


def embed_all(evidence: IndexedPassages, embedder_name: str | None, progress: Progress | None) -> BacklogResult:
    """Embed every passage in the space of an embedder, which need not be the store's yet."""
    store, vectors = evidence.store, evidence.store.ledger.passages.vectors
    embedder = get_embedder(store, embedder_name)
    space = get_space(embedder, store.clamp)
    if vectors.backlog(space) == (0, 0):
        return BacklogResult()
    done = embed_backlog(vectors, embedder, space, store.clamp, retry=True, progress=progress, adopt=False)
    if done.problem:
        raise embedding_stopped(done, done.problem)
    return done


def update_index(evidence: IndexedPassages, progress: Progress | None = None, *, rebuild: bool = False) -> None:
    """Bring the index up to date without a time limit, and optimize it; with `rebuild`, build it from scratch."""
    passages = evidence.store.ledger.passages
    space = passages.vectors.space()
    if rebuild:
        evidence.index().drop()
    # A store without passages has no index of them.
    if space is None or not (passages.feed.tip() > 0 or evidence.index().status().exists):
        return
    done = evidence.index().catch_up(passages.feed, space, progress=progress)
    if done.problem:
        raise Unavailable(done.problem, code=done.code, hint="search works by words until it is repaired")
    evidence.index().optimize()


def purge_index(evidence: IndexedPassages) -> bool:
    """Remove erased passages from the index; return whether no row or older version of them is left."""
    passages, index = evidence.store.ledger.passages, evidence.index()
    space, status = passages.vectors.space(), index.status()
    if not (status.exists or status.in_ledger):
        return True
    if space is None or status.missing is not None:
        # Single records cannot be removed from it.
        return try_drop(index)
    return index.catch_up(passages.feed, space, seconds=PURGE_SECONDS).current


def index_report(evidence: IndexedPassages) -> PassageIndexReport:
    """Return the state of the vectors and the index of passages compared with the ledger."""
    passages = evidence.store.ledger.passages
    waiting, skipped = passages.vectors.backlog(passages.vectors.space())
    try:
        status = evidence.index().status()
    except Unavailable as error:
        return PassageIndexReport(False, 0, 0, waiting, skipped, "none", 0, error.message, health="damaged")
    behind = passages.feed.behind(status.applied_seq)
    return PassageIndexReport(
        exists=status.exists,
        rows=status.rows,
        behind=behind,
        embeddings_waiting=waiting,
        embeddings_skipped=skipped,
        vector_index=status.vector_index,
        bytes=status.bytes,
        problem=status.problem,
        fragments=status.fragments,
        small_fragments=status.small_fragments,
        versions=status.versions,
        in_ledger=status.in_ledger,
        index_from=status.index_from,
        health=index_health(status, behind),
    )
