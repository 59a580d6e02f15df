"""Embed: give stored texts their vectors, later than the store and never in its way."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from satchel.domain.embedding import Clamp, Space, Vector, clamp, fault
from satchel.errors import EmbeddingFailed
from satchel.ports import Embedded, Embedder, Progress, Unembedded, Vectors

BATCH = 16

# The text is at fault, so the next one may well succeed. Anything else concerns the embedder as a whole.
FAULTS_OF_THE_TEXT = frozenset({"input_too_long", "bad_answer"})


@dataclass(frozen=True, slots=True)
class Filled:
    """What filling the backlog came to."""

    made: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    """How many texts got no vector, by reason."""
    problem: str = ""
    """Why it stopped before the end, or empty."""


def fill(
    vectors: Vectors,
    embedder: Embedder,
    limits: Clamp,
    *,
    may_go_on: Callable[[], bool] = lambda: True,
    retry: bool = False,
    progress: Progress | None = None,
) -> Filled:
    """Embed what waits for a vector in the embedder's space, newest first, batch by batch, each batch durable.

    A store without a space takes this one as its own. Stopping and starting again loses nothing.
    """
    made, skipped = 0, dict[str, int]()
    total = vectors.backlog(embedder.name)[0]
    # Texts that fail again would be offered again, so a retry goes over its list once.
    todo = vectors.waiting(embedder.name, total + vectors.backlog(embedder.name)[1], retry=True) if retry else None
    while may_go_on():
        batch = vectors.waiting(embedder.name, BATCH) if todo is None else _take(todo)
        if not batch:
            break
        try:
            results = _embed_batch(embedder, batch, limits)
        except EmbeddingFailed as error:
            return Filled(made, skipped, error.code)
        space = _space_of(vectors, embedder, results)
        if space is None:
            return Filled(made, skipped, "bad_answer")
        vectors.put(space, results)
        for one in results:
            if one.skipped is None:
                made += 1
            else:
                skipped[one.skipped] = skipped.get(one.skipped, 0) + 1
        if progress:
            done = made + sum(skipped.values())
            progress(done, max(total, done), "embedding")
    return Filled(made, skipped)


def embed_one(embedder: Embedder, text: str, limits: Clamp) -> Vector:
    """Embed a question. Raises EmbeddingFailed, also when the vector is not fit for use."""
    vector = embedder.embed([clamp(text, limits)])[0]
    if problem := fault(vector, embedder.dimensions or len(vector)):
        raise EmbeddingFailed(f"the embedder returned an unusable vector: {problem}", code=problem)
    return vector


def _take(todo: list[Unembedded]) -> list[Unembedded]:
    batch, todo[:] = todo[:BATCH], todo[BATCH:]
    return batch


def _embed_batch(embedder: Embedder, batch: Sequence[Unembedded], limits: Clamp) -> list[Embedded]:
    try:
        made = embedder.embed([clamp(one.text, limits) for one in batch])
    except EmbeddingFailed as error:
        if error.code not in FAULTS_OF_THE_TEXT:
            raise
        if len(batch) == 1:
            return [Embedded(batch[0].id, batch[0].content_hash, None, error.code)]
        return [result for one in batch for result in _embed_batch(embedder, [one], limits)]
    dimensions = embedder.dimensions or max(map(len, made))
    return [_checked(one, vector, dimensions) for one, vector in zip(batch, made, strict=True)]


def _checked(one: Unembedded, vector: Vector, dimensions: int) -> Embedded:
    problem = fault(vector, dimensions)
    return Embedded(one.id, one.content_hash, None if problem else vector, problem)


def _space_of(vectors: Vectors, embedder: Embedder, results: Sequence[Embedded]) -> Space | None:
    """Return the embedder's space, adopting it if the store has none yet; None while its length is unknown."""
    known = embedder.dimensions or next((len(one.vector) for one in results if one.vector is not None), None)
    if known is None:
        return None
    space = Space(embedder.name, known)
    if vectors.space() is None:
        vectors.adopt(space)
    return space
