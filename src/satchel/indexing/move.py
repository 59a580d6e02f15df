"""Move a store to another embedding space in small batches. Its old vectors answer until every text has a new one."""

from collections.abc import Callable, Iterator

from satchel.domain.embedding import Space
from satchel.indexing.embed import BATCH_SIZE, embed_batch
from satchel.indexing.memory_index import IndexedStore, get_embedder, get_space
from satchel.indexing.values import MoveProgress
from satchel.ports import Embedded, Unembedded, VectorStore

# Finding the texts without a vector goes over the whole store, so many are listed at once.
LISTED_AT_ONCE = 32 * BATCH_SIZE


def move_progress(store: IndexedStore, embedder_name: str) -> MoveProgress:
    """Return how many texts have a vector of another embedder."""
    space = get_space(get_embedder(store, embedder_name), store.clamp)
    done, total = map(sum, zip(*(vectors.progress(space) for vectors in _vector_stores(store)), strict=True))
    return MoveProgress(space.name, done, total)


def move_batches(store: IndexedStore, embedder_name: str, before_text: Callable[[], None]) -> Iterator[None]:
    """Embed every text with another embedder, one batch per step. Can be stopped and started again at any time.

    `before_text` is called before each text, and may wait there.
    """
    embedder = get_embedder(store, embedder_name)
    space = get_space(embedder, store.clamp)
    for vectors, batch in _pending_batches(store, space):
        made: list[Embedded] = []
        # One text at a time, which keeps to one core: the others are for requests.
        for one in batch:
            before_text()
            made += embed_batch(embedder, [one], space, store.clamp)
        vectors.put(space, made)
        yield


def _pending_batches(store: IndexedStore, space: Space) -> Iterator[tuple[VectorStore, list[Unembedded]]]:
    for vectors in _vector_stores(store):
        while listed := vectors.pending(space, LISTED_AT_ONCE):
            for start in range(0, len(listed), BATCH_SIZE):
                yield vectors, listed[start : start + BATCH_SIZE]


def _vector_stores(store: IndexedStore) -> tuple[VectorStore, VectorStore]:
    return store.ledger.passages.vectors, store.ledger.vectors
