"""Upkeep: bring what is derived from the ledger, its vectors and its index, up to date with it."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.answers import IndexReport
from satchel.domain.embedding import Clamp, Space, Vector
from satchel.errors import InvalidRequest, Refused, SatchelError, Unavailable
from satchel.indexing.embed import Filled, embed_one, fill
from satchel.ports import Clock, Embedder, Index, Ledger, Progress

# However little time is left, an index that is nearly current gets this long to become so.
LEAST_CATCH_UP_SECONDS = 0.05
# How long a forget waits for another process to finish writing the index.
PURGE_SECONDS = 30.0


class Derived(Struct, frozen=True):
    """The ledger, and the means to derive from it. Index and embedder are called for only when needed."""

    ledger: Ledger
    index: Callable[[], Index]
    embedder: Callable[[str | None], Embedder | None]
    """Returns the embedder of that name; None gives the store's own; the answer None means there is none."""
    clamp: Clamp
    clock: Clock


class Readiness(Struct, frozen=True):
    """How ready a store is to be searched by meaning."""

    vector: Vector | None = None
    """The question's own vector; None when the store cannot be searched by meaning now."""
    space: Space | None = None
    current: bool = False
    """Whether the index holds everything the ledger has."""
    waiting: int = 0
    """Texts without a vector: found by their words until they have one."""
    behind: int = 0
    """Records the index has not seen in their newest state."""
    tip: int = 0
    """The sequence number of the ledger that the index was compared with."""
    birth: str = ""
    """The name of the very index that is searched."""
    warning: str = ""


def make_ready(derived: Derived, question: str, seconds: float) -> Readiness:
    """Embed a question, then embed and index what is new, within a small time limit. Never raises for want of a model."""
    asked = embedded(derived, question)
    if asked.vector is None or asked.space is None:
        return asked
    return _caught_up(derived, embedder_of(derived), asked.space, asked.vector, derived.clock.ticks() + seconds)


def embedded(derived: Derived, question: str) -> Readiness:
    """Embed a question, and nothing else. Never raises for want of a model."""
    try:
        embedder = embedder_of(derived)
        vector = embed_one(embedder, question, derived.clamp)
    except (Unavailable, InvalidRequest) as error:
        # Whatever is wrong with the embedder, or with the settings that name it: the words still answer.
        return Readiness(warning=_warning(error))
    space, own = Space(embedder.name, len(vector)), derived.ledger.vectors.space()
    if own not in (None, space):
        return Readiness(warning=f"other_space: {_other_space(own, space)}")
    return Readiness(vector, space)


def as_it_stands(derived: Derived, question: str) -> Readiness:
    """Embed a question and see how vectors and index stand, without bringing either up to date. Writes nothing."""
    asked, ledger = embedded(derived, question), derived.ledger
    if asked.vector is None or asked.space is None:
        return asked
    waiting = ledger.vectors.backlog(asked.space)[0]
    if ledger.vectors.space() is None:
        return Readiness(waiting=waiting)
    status = derived.index().status()
    if status.problem or not status.exists or status.space != asked.space.name:
        problem = status.problem or "there is no index of these vectors yet"
        return Readiness(space=asked.space, waiting=waiting, warning=f"index_unusable: {problem}")
    behind = ledger.feed.behind(status.applied_seq)
    return replace(asked, current=not behind, waiting=waiting, behind=behind, tip=ledger.feed.tip())


def _caught_up(derived: Derived, embedder: Embedder, space: Space, vector: Vector, deadline: float) -> Readiness:
    ledger, clock = derived.ledger, derived.clock
    waiting, warning = ledger.vectors.backlog(space)[0], ""
    if waiting and not ledger.read_only:
        warning = _fill_until(derived, embedder, space, deadline)
        waiting = ledger.vectors.backlog(space)[0]
    tip = ledger.feed.tip()
    if ledger.vectors.space() is None:
        return Readiness(waiting=waiting, warning=warning)
    seconds = max(LEAST_CATCH_UP_SECONDS, deadline - clock.ticks())
    caught_up = derived.index().catch_up(ledger.feed, space, seconds=seconds)
    if caught_up.problem:
        warning = f"index_unusable: {caught_up.problem}"
        return Readiness(space=space, waiting=waiting, behind=caught_up.behind, warning=warning)
    if caught_up.repaired:
        warning = f"index_repaired: {caught_up.repaired}"
    return Readiness(vector, space, caught_up.current, waiting, caught_up.behind, tip, caught_up.generation, warning)


def _fill_until(derived: Derived, embedder: Embedder, space: Space, deadline: float) -> str:
    """Embed what waits while there is time; return what kept it from going on. A recall is not to fail for it."""
    try:
        filled = fill(
            derived.ledger.vectors,
            embedder,
            space,
            derived.clamp,
            seconds_left=lambda: deadline - derived.clock.ticks(),
        )
    except Unavailable as error:
        return _warning(error)
    return f"{filled.problem}: some texts could not be embedded" if filled.problem else ""


def _warning(error: SatchelError) -> str:
    return f"{error.code}: {error.message}" + (f" ({error.hint})" if error.hint else "")


def embedder_of(derived: Derived, name: str | None = None) -> Embedder:
    """Return the embedder of a name, or the store's own. Raises Unavailable when there is none."""
    embedder = derived.embedder(name)
    if embedder is None:
        raise Unavailable(
            "no embedder is configured", code="embedder_none", hint="leave SATCHEL_EMBEDDER empty for the default"
        )
    return embedder


def build(derived: Derived, progress: Progress | None) -> Filled:
    """Embed everything that waits, those skipped before included, and bring the index up to date."""
    embedder, vectors = embedder_of(derived), derived.ledger.vectors
    space, own = space_of(embedder, derived.clamp), vectors.space()
    if own not in (None, space):
        raise Refused(_other_space(own, space), code="other_space", hint="satchel index rebuild --embedder changes it")
    filled = fill(vectors, embedder, space, derived.clamp, retry=True, progress=progress)
    follow(derived, progress)
    if filled.problem:
        raise stopped(filled, filled.problem)
    return filled


def rebuild(derived: Derived, embedder_name: str | None, progress: Progress | None) -> Filled:
    """Make the index anew. With another embedder every text is embedded again first, and only then the store changes over."""
    embedder, vectors = embedder_of(derived, embedder_name), derived.ledger.vectors
    space = space_of(embedder, derived.clamp)
    filled = fill(vectors, embedder, space, derived.clamp, retry=True, progress=progress)
    _require_success(filled, vectors.count(space))
    if vectors.space() != space:
        vectors.adopt(space)
    derived.index().drop()
    follow(derived, progress)
    return filled


def _require_success(filled: Filled, vectors: int) -> None:
    """Refuse to change over to an embedder that stopped, or that has not made a single vector."""
    problem = filled.problem or ("" if vectors else next(iter(filled.skipped), ""))
    if problem:
        raise stopped(filled, problem)


def stopped(filled: Filled, problem: str) -> Unavailable:
    """Return the error for embedding that ended before everything had its vector."""
    return Unavailable(
        f"embedding stopped: {problem}; {filled.made} new vectors are kept, nothing else has changed",
        code=problem,
        hint=filled.hint or "mend the cause and run the same command again; it goes on where it stopped",
    )


def space_of(embedder: Embedder, limits: Clamp) -> Space:
    """Return an embedder's space; one that does not know its vectors' length is asked for a vector."""
    return Space(embedder.name, embedder.dimensions or len(embed_one(embedder, "length", limits)))


def _other_space(own: Space | None, asked: Space) -> str:
    spaces = [f"{space.name} ({space.dimensions} dimensions)" for space in (own, asked) if space]
    return f"this store is embedded with {spaces[0]}, not with {spaces[-1]}"


def follow(derived: Derived, progress: Progress | None = None) -> None:
    """Bring the index up to date however long it takes, and optimize it."""
    derived.ledger.vectors.convert_to_float16()
    space = derived.ledger.vectors.space()
    if space is None:
        return
    caught_up = derived.index().catch_up(derived.ledger.feed, space, progress=progress)
    if caught_up.problem:
        raise Unavailable(caught_up.problem, code="index_unusable", hint="recall works by words until it is mended")
    derived.index().optimize()
    derived.ledger.memories.scrub()


def purge(derived: Derived) -> bool:
    """Let the index follow an erasure; True when no row, word or older version of it is left there."""
    index, space = derived.index(), derived.ledger.vectors.space()
    if not index.status().exists:
        return True
    if space is not None:
        return index.catch_up(derived.ledger.feed, space, seconds=PURGE_SECONDS).current
    try:
        index.drop(seconds=PURGE_SECONDS)
    except Unavailable:
        return False
    return True


def report(derived: Derived) -> IndexReport:
    """Say how vectors and index stand to the ledger."""
    status, space = derived.index().status(), derived.ledger.vectors.space()
    waiting, skipped = derived.ledger.vectors.backlog(space)
    return IndexReport(
        exists=status.exists,
        rows=status.rows,
        rows_with_vectors=status.rows_with_vectors,
        behind=derived.ledger.feed.behind(status.applied_seq),
        space=space.name if space else None,
        vector_index=status.vector_index,
        unindexed_rows=status.unindexed_rows,
        fragments=status.fragments,
        versions=status.versions,
        bytes=status.bytes,
        embeddings_waiting=waiting,
        embeddings_skipped=skipped,
        problem=status.problem,
    )
