"""Upkeep of evidence: bring the vectors of passages, and the index over them, up to date with the ledger."""

from collections.abc import Callable

from msgspec import Struct

from satchel.domain.answers import PassageIndexReport
from satchel.errors import Refused, Unavailable
from satchel.indexing.embed import Filled, fill
from satchel.indexing.upkeep import (
    LEAST_CATCH_UP_SECONDS,
    PURGE_SECONDS,
    Derived,
    Readiness,
    embedded,
    embedder_of,
    space_of,
    stopped,
)
from satchel.ports import PassageIndex, Progress


class EvidenceUpkeep(Struct, frozen=True):
    """The ledger with the means to derive from it, and the index of passages, called for only when needed."""

    derived: Derived
    index: Callable[[], PassageIndex]


def make_ready(upkeep: EvidenceUpkeep, question: str, seconds: float) -> Readiness:
    """Embed a question, then embed and index new evidence, within a small time limit. Never raises for want of a model."""
    derived = upkeep.derived
    if not derived.ledger.passages.feed.tip() and not any(derived.ledger.passages.vectors.backlog(None)):
        # Nothing was ever said: a question need not be embedded to find none of it.
        return Readiness()
    asked = embedded(derived, question)
    # Loading the model takes longer than the limit, and only once.
    deadline = derived.clock.ticks() + seconds
    vectors = derived.ledger.passages.vectors
    if asked.vector is None or asked.space is None:
        waiting, _ = vectors.backlog(None)
        return Readiness(waiting=waiting, warning=asked.warning)
    warning = "" if derived.ledger.read_only else _filled_until(upkeep, deadline)
    waiting, _ = vectors.backlog(asked.space)
    if vectors.space() is None:
        return Readiness(waiting=waiting, warning=warning)
    try:
        seconds = max(LEAST_CATCH_UP_SECONDS, deadline - derived.clock.ticks())
        caught_up = upkeep.index().catch_up(derived.ledger.passages.feed, asked.space, seconds=seconds)
    except Unavailable as error:
        return Readiness(space=asked.space, waiting=waiting, warning=f"index_unusable: {error.message}")
    if caught_up.problem:
        warning = f"index_unusable: {caught_up.problem}"
        return Readiness(space=asked.space, waiting=waiting, behind=caught_up.behind, warning=warning)
    if caught_up.repaired:
        warning = f"index_repaired: {caught_up.repaired}"
    return Readiness(
        asked.vector,
        asked.space,
        caught_up.current,
        waiting,
        caught_up.behind,
        birth=caught_up.generation,
        warning=warning,
    )


def as_it_stands(upkeep: EvidenceUpkeep, question: str) -> Readiness:
    """Embed a question and see how the vectors and the index of evidence stand. Writes nothing."""
    derived, passages = upkeep.derived, upkeep.derived.ledger.passages
    asked, (waiting, _) = embedded(derived, question), passages.vectors.backlog(None)
    if asked.vector is None or asked.space is None or passages.vectors.space() is None:
        return Readiness(waiting=waiting, warning=asked.warning)
    try:
        status = upkeep.index().status()
    except Unavailable as error:
        return Readiness(space=asked.space, waiting=waiting, warning=f"index_unusable: {error.message}")
    if status.problem or not status.exists:
        problem = status.problem or "there is no index of evidence yet"
        return Readiness(space=asked.space, waiting=waiting, warning=f"index_unusable: {problem}")
    behind = passages.feed.behind(status.applied_seq)
    return Readiness(asked.vector, asked.space, not behind, waiting, behind)


def _filled_until(upkeep: EvidenceUpkeep, deadline: float) -> str:
    """Embed what waits while there is time; return what kept it from going on. A search is not to fail for it."""
    derived = upkeep.derived
    try:
        embedder = embedder_of(derived)
        filled = fill(
            derived.ledger.passages.vectors,
            embedder,
            space_of(embedder, derived.clamp),
            derived.clamp,
            seconds_left=lambda: deadline - derived.clock.ticks(),
        )
    except Unavailable as error:
        return f"{error.code}: {error.message}"
    return f"{filled.problem}: some passages could not be embedded" if filled.problem else ""


def build(upkeep: EvidenceUpkeep, progress: Progress | None, *, most_seconds: float | None = None) -> Filled:
    """Embed every passage that waits, those skipped before included, and bring the index up to date."""
    derived = upkeep.derived
    embedder, vectors = embedder_of(derived), derived.ledger.passages.vectors
    space, own = space_of(embedder, derived.clamp), vectors.space()
    if own not in (None, space):
        raise Refused(
            f"this store is embedded with {own.name if own else ''}, not with {space.name}",
            code="other_space",
            hint="satchel index rebuild --embedder changes it",
        )
    deadline = None if most_seconds is None else derived.clock.ticks() + most_seconds
    seconds_left = None if deadline is None else lambda: deadline - derived.clock.ticks()
    filled = fill(
        vectors, embedder, space, derived.clamp, seconds_left=seconds_left, retry=deadline is None, progress=progress
    )
    follow(upkeep, progress)
    if filled.problem:
        raise stopped(filled, filled.problem)
    return filled


def refill(upkeep: EvidenceUpkeep, embedder_name: str | None, progress: Progress | None) -> Filled:
    """Embed every passage in the space of an embedder, which need not be the store's yet."""
    derived = upkeep.derived
    embedder = embedder_of(derived, embedder_name)
    space = space_of(embedder, derived.clamp)
    if derived.ledger.passages.vectors.backlog(space) == (0, 0):
        return Filled()
    filled = fill(
        derived.ledger.passages.vectors, embedder, space, derived.clamp, retry=True, progress=progress, adopt=False
    )
    if filled.problem:
        raise stopped(filled, filled.problem)
    return filled


def follow(upkeep: EvidenceUpkeep, progress: Progress | None = None, *, anew: bool = False) -> None:
    """Bring the index up to date however long it takes, and optimize it; with `anew`, build it from the beginning."""
    ledger = upkeep.derived.ledger
    space = ledger.passages.vectors.space()
    if anew:
        upkeep.index().drop()
    if space is None or not _has_any(upkeep):
        return
    caught_up = upkeep.index().catch_up(ledger.passages.feed, space, progress=progress)
    if caught_up.problem:
        raise Unavailable(caught_up.problem, code="index_unusable", hint="search works by words until it is mended")
    upkeep.index().optimize()


def _has_any(upkeep: EvidenceUpkeep) -> bool:
    # A store without evidence has no index of it either.
    return upkeep.derived.ledger.passages.feed.tip() > 0 or upkeep.index().status().exists


def purge(upkeep: EvidenceUpkeep) -> bool:
    """Let the index follow an erasure; True when no row or older version of it is left there."""
    ledger = upkeep.derived.ledger
    index, space = upkeep.index(), ledger.passages.vectors.space()
    if not index.status().exists:
        return True
    if space is not None:
        return index.catch_up(ledger.passages.feed, space, seconds=PURGE_SECONDS).current
    try:
        index.drop(seconds=PURGE_SECONDS)
    except Unavailable:
        return False
    return True


def report(upkeep: EvidenceUpkeep) -> PassageIndexReport:
    """Say how the vectors and the index of passages stand to the ledger."""
    passages = upkeep.derived.ledger.passages
    waiting, skipped = passages.vectors.backlog(passages.vectors.space())
    try:
        status = upkeep.index().status()
    except Unavailable as error:
        return PassageIndexReport(False, 0, 0, waiting, skipped, "none", 0, error.message)
    return PassageIndexReport(
        exists=status.exists,
        rows=status.rows,
        behind=passages.feed.behind(status.applied_seq),
        embeddings_waiting=waiting,
        embeddings_skipped=skipped,
        vector_index=status.vector_index,
        bytes=status.bytes,
        problem=status.problem,
    )
