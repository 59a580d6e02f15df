"""Embed: give stored texts their vectors, later than the store and never in its way."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import islice

from msgspec import Struct, field

from satchel.domain.embedding import Clamp, Space, Vector, clamp, fault
from satchel.errors import EmbeddingFailed
from satchel.ports import Embedded, Embedder, Progress, Unembedded, VectorStore

BATCH = 16
# With nobody waiting, a commit for so many: each waits for the disk, and what is lost by a stop is made again.
BULK = 256

# The text is at fault, so the next one may well succeed. Anything else concerns the embedder as a whole.
FAULTS_OF_THE_TEXT = frozenset({"input_too_long", "bad_answer"})


class Filled(Struct, frozen=True):
    """What filling the backlog came to."""

    made: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    """How many texts got no vector, by reason."""
    problem: str = ""
    """Why it stopped before the end, or empty."""
    hint: str = ""
    """What can be done about it."""

    def joined(self, more: "Filled") -> "Filled":
        """Return what two backlogs came to."""
        skipped = Counter(self.skipped) + Counter(more.skipped)
        return Filled(self.made + more.made, skipped, self.problem or more.problem, self.hint or more.hint)


def fill(
    vectors: VectorStore,
    embedder: Embedder,
    space: Space,
    limits: Clamp,
    *,
    seconds_left: Callable[[], float] | None = None,
    retry: bool = False,
    progress: Progress | None = None,
    adopt: bool = True,
) -> Filled:
    """Embed what waits for a vector in a space, newest first, batch by batch, each batch durable.

    A store without a space takes this one as its own, unless `adopt` says not yet. Stopping and starting again loses nothing.
    """
    made, skipped = 0, Counter[str]()
    waiting, skipped_before = vectors.backlog(space)
    total = waiting + skipped_before if retry else waiting
    # Texts that fail again would be offered again, so a retry goes over its list once.
    again = iter(vectors.pending(space, total, retry=True)) if retry else None
    size = BULK if seconds_left is None else BATCH
    while seconds_left is None or seconds_left() > 0:
        batch = vectors.pending(space, size) if again is None else list(islice(again, size))
        if not batch:
            break
        try:
            results = _embed_batch(embedder, batch, space, limits)
        except EmbeddingFailed as error:
            return Filled(made, skipped, error.code, error.hint)
        if adopt and vectors.space() is None:
            vectors.adopt(space)
        vectors.put(space, results, seconds=None if seconds_left is None else seconds_left())
        made += sum(1 for one in results if one.skipped is None)
        skipped.update(one.skipped for one in results if one.skipped is not None)
        if progress:
            done = made + skipped.total()
            progress(done, max(total, done), "embedding")
    return Filled(made, skipped)


def embed_one(embedder: Embedder, text: str, limits: Clamp) -> Vector:
    """Embed a question. Raises EmbeddingFailed, also when the vector is not fit for use."""
    vector = _embed(embedder, [clamp(text, limits)])[0]
    if problem := fault(vector, embedder.dimensions or len(vector)):
        raise EmbeddingFailed(f"the embedder returned an unusable vector: {problem}", code=problem)
    return vector


def _embed_batch(embedder: Embedder, batch: Sequence[Unembedded], space: Space, limits: Clamp) -> list[Embedded]:
    try:
        made = _embed(embedder, [clamp(one.text, limits) for one in batch])
    except EmbeddingFailed as error:
        if error.code not in FAULTS_OF_THE_TEXT:
            raise
        if len(batch) == 1:
            return [Embedded(batch[0].id, batch[0].content_hash, None, error.code)]
        return [result for one in batch for result in _embed_batch(embedder, [one], space, limits)]
    return [_checked(one, vector, space) for one, vector in zip(batch, made, strict=True)]


def _embed(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    made = embedder.embed(texts)
    if len(made) != len(texts):
        raise EmbeddingFailed(f"the embedder returned {len(made)} vectors for {len(texts)} texts", code="bad_answer")
    return made


def _checked(one: Unembedded, vector: Vector, space: Space) -> Embedded:
    problem = fault(vector, space.dimensions)
    return Embedded(one.id, one.content_hash, None if problem else vector, problem)
