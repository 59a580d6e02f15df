"""Build, rebuild, purge and describe the index of memories. No search needs this."""

from collections.abc import Callable

from satchel.errors import Unavailable
from satchel.indexing.embed import BacklogResult, embed_backlog, embed_unclaimed
from satchel.indexing.memory_index import (
    PURGE_SECONDS,
    IndexedStore,
    embedding_stopped,
    get_embedder,
    get_space,
    require_space,
    try_drop,
)
from satchel.indexing.values import IndexReport, index_health
from satchel.ports import Progress, VectorStore


def build(store: IndexedStore, progress: Progress | None) -> BacklogResult:
    """Embed the whole backlog, including texts skipped before, and bring the index up to date."""
    embedder, vectors = get_embedder(store), store.ledger.vectors
    space = get_space(embedder, store.clamp)
    require_space(vectors, space)
    done = embed_backlog(vectors, embedder, space, store.clamp, retry=True, progress=progress)
    update_index(store, progress)
    if done.problem:
        raise embedding_stopped(done, done.problem)
    return done


def share_backlog(store: IndexedStore, vectors: VectorStore, stopped: Callable[[], bool]) -> BacklogResult:
    """Embed the waiting texts that no other process has claimed. Raises Unavailable if the embedder fails."""
    if not vectors.backlog(None)[0]:
        # Without work, no model is loaded.
        return BacklogResult()
    embedder = get_embedder(store)
    space = get_space(embedder, store.clamp)
    require_space(vectors, space)
    done = embed_unclaimed(vectors, embedder, space, store.clamp, stopped=stopped)
    if done.problem:
        raise embedding_stopped(done, done.problem)
    return done


def rebuild(store: IndexedStore, embedder_name: str | None, progress: Progress | None) -> BacklogResult:
    """Rebuild the index. With another embedder, every text is embedded again before the store switches to it."""
    embedder, vectors = get_embedder(store, embedder_name), store.ledger.vectors
    space = get_space(embedder, store.clamp)
    done = embed_backlog(vectors, embedder, space, store.clamp, retry=True, progress=progress)
    # Never switch to an embedder that stopped early or made no vector at all.
    problem = done.problem or ("" if vectors.count(space) else next(iter(done.skipped), ""))
    if problem:
        raise embedding_stopped(done, problem)
    if vectors.space() != space:
        vectors.adopt(space)
    store.index().drop()
    update_index(store, progress)
    return done


def update_index(store: IndexedStore, progress: Progress | None = None) -> None:
    """Bring the index up to date without a time limit, and optimize it."""
    store.ledger.vectors.convert_to_float16()
    space = store.ledger.vectors.space()
    if space is None:
        return
    done = store.index().catch_up(store.ledger.feed, space, progress=progress)
    if done.problem:
        raise Unavailable(done.problem, code=done.code, hint="recall works by words until it is repaired")
    store.index().optimize()
    store.ledger.memories.scrub()


def purge_index(store: IndexedStore) -> bool:
    """Remove erased records from the index; return whether no row, word or older version of them is left."""
    index, space = store.index(), store.ledger.vectors.space()
    status = index.status()
    if not (status.exists or status.in_ledger):
        return True
    if space is None or status.missing is not None:
        # Single records cannot be removed from it.
        return try_drop(index)
    return index.catch_up(store.ledger.feed, space, seconds=PURGE_SECONDS).current


def index_report(store: IndexedStore) -> IndexReport:
    """Return the state of vectors and index compared with the ledger."""
    status, space = store.index().status(), store.ledger.vectors.space()
    waiting, skipped = store.ledger.vectors.backlog(space)
    behind = store.ledger.feed.behind(status.applied_seq)
    return IndexReport(
        exists=status.exists,
        rows=status.rows,
        rows_with_vectors=status.rows_with_vectors,
        behind=behind,
        space=space.name if space else None,
        vector_index=status.vector_index,
        unindexed_rows=status.unindexed_rows,
        fragments=status.fragments,
        versions=status.versions,
        bytes=status.bytes,
        embeddings_waiting=waiting,
        embeddings_skipped=skipped,
        problem=status.problem,
        small_fragments=status.small_fragments,
        in_ledger=status.in_ledger,
        index_from=status.index_from,
        health=index_health(status, behind),
    )
