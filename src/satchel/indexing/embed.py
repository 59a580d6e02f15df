"""Embed the backlog of stored texts, after the store operation and off its path."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from msgspec import Struct, field

from satchel.domain.embedding import Clamp, Space, Vector, clamp, vector_problem
from satchel.errors import EmbeddingFailed
from satchel.ports import Embedded, Embedder, Progress, Unembedded, VectorStore

BATCH_SIZE = 16
# Batch size without a deadline: each commit waits for the disk, and an interrupted batch is embedded again.
BULK_BATCH_SIZE = 256
# Batch size of a worker: writers wait while it writes the vectors of a batch.
SHARED_BATCH_SIZE = 32

# Error codes caused by one text, so that the next text may succeed. Any other code concerns the embedder as a whole.
TEXT_ERRORS = frozenset({"input_too_long", "bad_answer"})


class BacklogResult(Struct, frozen=True):
    """The result of embedding the backlog."""

    made: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Number of texts without a vector, by reason."""
    problem: str = ""
    """Why it stopped early, or empty."""
    hint: str = ""
    """How to fix the problem."""

    def joined(self, more: "BacklogResult") -> "BacklogResult":
        """Return the result of both backlogs."""
        skipped = Counter(self.skipped) + Counter(more.skipped)
        return BacklogResult(self.made + more.made, skipped, self.problem or more.problem, self.hint or more.hint)


def embed_backlog(
    vectors: VectorStore,
    embedder: Embedder,
    space: Space,
    limits: Clamp,
    *,
    seconds_left: Callable[[], float] | None = None,
    retry: bool = False,
    progress: Progress | None = None,
    adopt: bool = True,
    optional: bool = False,
    first: Sequence[Unembedded] = (),
) -> BacklogResult:
    """Embed the texts without a vector in a space, some of them `first`, then the newest, committing each batch.

    A store without a space adopts this one, unless `adopt` is false. Stopping and starting again loses nothing. With
    `optional`, raises Unavailable soon if another process is writing.
    """
    made, skipped = 0, Counter[str]()
    waiting, skipped_before = vectors.backlog(space)
    total = waiting + skipped_before if retry else waiting
    # Texts that fail again stay in the backlog, so a retry goes over the list once.
    again = iter(vectors.pending(space, total, retry=True)) if retry else None
    preferred = iter(first)
    size = BULK_BATCH_SIZE if seconds_left is None else BATCH_SIZE
    while seconds_left is None or seconds_left() > 0:
        batch = list(islice(preferred, size))
        if not batch:
            batch = vectors.pending(space, size) if again is None else list(islice(again, size))
        if not batch:
            break
        try:
            done = _embed_and_put(vectors, embedder, batch, space, limits, adopt=adopt, optional=optional)
        except EmbeddingFailed as error:
            return BacklogResult(made, skipped, error.code, error.hint)
        made, skipped = made + done.made, skipped + Counter(done.skipped)
        if progress:
            finished = made + skipped.total()
            progress(finished, max(total, finished), "embedding")
    return BacklogResult(made, skipped)


def embed_unclaimed(
    vectors: VectorStore, embedder: Embedder, space: Space, limits: Clamp, *, stopped: Callable[[], bool]
) -> BacklogResult:
    """Embed the waiting texts that no other process has claimed, newest first, until there are none or it is stopped."""
    result, before = BacklogResult(), list[Unembedded]()
    while not stopped():
        with vectors.claimed(space, SHARED_BATCH_SIZE) as batch:
            # What was embedded and waits all the same cannot be stored; it must not be tried for ever.
            if not batch or batch == before:
                break
            before = batch
            try:
                result = result.joined(_embed_and_put(vectors, embedder, batch, space, limits))
            except EmbeddingFailed as error:
                return result.joined(BacklogResult(problem=error.code, hint=error.hint))
    return result


def _embed_and_put(
    vectors: VectorStore,
    embedder: Embedder,
    batch: Sequence[Unembedded],
    space: Space,
    limits: Clamp,
    *,
    adopt: bool = True,
    optional: bool = False,
) -> BacklogResult:
    """Embed a batch and commit its vectors. Raises EmbeddingFailed."""
    results = embed_batch(embedder, batch, space, limits)
    if adopt and vectors.space() is None:
        vectors.adopt(space, optional=optional)
    vectors.put(space, results, optional=optional)
    skipped = Counter(one.skipped for one in results if one.skipped is not None)
    return BacklogResult(len(results) - skipped.total(), skipped)


def embed_text(embedder: Embedder, text: str, limits: Clamp) -> Vector:
    """Embed one text. Raises EmbeddingFailed, also for an unusable vector."""
    vector = _embed(embedder, [clamp(text, limits)])[0]
    if problem := vector_problem(vector, embedder.dimensions or len(vector)):
        raise EmbeddingFailed(f"the embedder returned an unusable vector: {problem}", code=problem)
    return vector


def embed_batch(embedder: Embedder, batch: Sequence[Unembedded], space: Space, limits: Clamp) -> list[Embedded]:
    """Embed a batch. A text that cannot be embedded gets the reason; an embedder that fails raises EmbeddingFailed."""
    try:
        made = _embed(embedder, [clamp(one.text, limits) for one in batch])
    except EmbeddingFailed as error:
        if error.code not in TEXT_ERRORS:
            raise
        if len(batch) == 1:
            return [Embedded(batch[0].id, batch[0].content_hash, None, error.code)]
        return [result for one in batch for result in embed_batch(embedder, [one], space, limits)]
    return [_checked(one, vector, space) for one, vector in zip(batch, made, strict=True)]


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    made = embedder.embed(texts)
    if len(made) != len(texts):
        raise EmbeddingFailed(f"the embedder returned {len(made)} vectors for {len(texts)} texts", code="bad_answer")
    return made


def _checked(one: Unembedded, vector: Vector, space: Space) -> Embedded:
    problem = vector_problem(vector, space.dimensions)
    return Embedded(one.id, one.content_hash, None if problem else vector, problem)
