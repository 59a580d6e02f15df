"""Bring the vectors and the index of memories up to date with the ledger."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.embedding import Clamp, Space, Vector
from satchel.domain.record import Memory
from satchel.errors import InvalidRequest, Refused, SatchelError, Unavailable
from satchel.indexing.embed import BacklogResult, embed_backlog, embed_text
from satchel.ports import (
    INDEX_UNREACHABLE,
    CatchUp,
    Clock,
    Embedder,
    Feed,
    Index,
    Ledger,
    PassageFeed,
    PassageIndex,
    Progress,
    Unembedded,
    VectorStore,
)
from satchel.threads import embedding_turn

# Minimum time for the index to catch up, even after the deadline, because it is usually nearly current.
MIN_CATCH_UP_SECONDS = 0.05
# Maximum time that a forget waits for another process to finish writing the index.
PURGE_SECONDS = 30.0


class IndexedStore(Struct, frozen=True):
    """The ledger with its index and embedder, which are created when first needed."""

    ledger: Ledger
    index: Callable[[], Index]
    embedder: Callable[[str | None], Embedder | None]
    """Returns the embedder of this name, or with None the store's own; returns None if there is none."""
    clamp: Clamp
    clock: Clock


class SearchReadiness(Struct, frozen=True):
    """Whether a store can be searched by vector, and how far vectors and index are behind."""

    vector: Vector | None = None
    """The question's vector; None if vector search is not possible now."""
    space: Space | None = None
    current: bool = False
    """Whether the index is up to date with the ledger."""
    waiting: int = 0
    """Number of texts without a vector; only lexical search finds them."""
    behind: int = 0
    """Number of changed records that the index does not have yet."""
    tip: int = 0
    """The ledger's sequence number when the index was compared with it."""
    generation: str = ""
    """The identity of the index that is searched."""
    pending: tuple[Memory, ...] = ()
    """The few changed records that the index does not have, to be searched in the ledger."""
    warning: str = ""


class CurrentIndex(Struct, frozen=True):
    """An index that had everything that the ledger has."""

    space: Space
    tip: int
    """The ledger's sequence number at that time."""
    generation: str
    """The identity of the index."""


def catch_up(
    store: IndexedStore,
    question: str,
    seconds: float,
    *,
    may_leave_pending: bool = False,
    known: CurrentIndex | None = None,
) -> SearchReadiness:
    """Embed a question, then embed and index new texts within a time limit. A missing model gives a warning, no error.

    With `may_leave_pending`, the caller searches the few records in the ledger that the index need not have yet. If nothing
    has changed since an index was `known` to be current, there is nothing else to do.
    """
    asked = embed_question(store, question)
    if asked.vector is None or asked.space is None:
        return asked
    ledger, space = store.ledger, asked.space
    if known is not None and known.space == space and known.tip == ledger.feed.tip():
        return replace(asked, current=True, tip=known.tip, generation=known.generation)
    return catch_up_index(
        store,
        asked,
        store.clock.ticks() + seconds,
        ledger.vectors,
        ledger.feed,
        lambda left: _update(store, space, left, may_leave_pending=may_leave_pending),
    )


def _update(store: IndexedStore, space: Space, seconds: float, *, may_leave_pending: bool) -> CatchUp:
    index, feed = store.index(), store.ledger.feed
    if may_leave_pending and (pending := index.pending(feed, space)):
        return CatchUp(pending=pending)
    return index.catch_up(feed, space, seconds=seconds)


def current_index(store: IndexedStore) -> CurrentIndex | None:
    """Return the index, if there is one that has everything that the ledger has."""
    ledger, index = store.ledger, store.index()
    space = None if index.in_ledger else ledger.vectors.space()
    if space is None or ledger.vectors.backlog(space)[0]:
        return None
    if index.pending(ledger.feed, space):
        return None
    tip = ledger.feed.tip()
    done = index.catch_up(ledger.feed, space, seconds=0)
    return CurrentIndex(space, tip, done.generation) if done.current else None


def embed_question(store: IndexedStore, question: str) -> SearchReadiness:
    """Embed a question and nothing else. A missing model or a wrong setting gives a warning: words still answer."""
    try:
        embedder = get_embedder(store)
        vector = embed_text(embedder, question, store.clamp)
    except (Unavailable, InvalidRequest) as error:
        return SearchReadiness(warning=_warning(error))
    space, own = Space(embedder.name, len(vector)), store.ledger.vectors.space()
    if own not in (None, space):
        return SearchReadiness(warning=f"other_space: {_other_space(own, space)}")
    return SearchReadiness(vector, space)


def catch_up_index(
    store: IndexedStore,
    asked: SearchReadiness,
    deadline: float,
    vectors: VectorStore,
    feed: Feed | PassageFeed,
    update: Callable[[float], CatchUp],
    first: Callable[[], Sequence[Unembedded]] = tuple,
    progress: Progress | None = None,
) -> SearchReadiness:
    """Embed the backlog until a deadline, let the index catch up with `update`, and return how ready the store is.

    `first` returns the texts to embed before others.
    """
    waiting, warning = vectors.backlog(asked.space)[0], ""
    if asked.space and waiting and not store.ledger.read_only:
        warning = embed_until(store, vectors, asked.space, deadline, first(), progress)
        waiting = vectors.backlog(asked.space)[0]
    tip = feed.tip()
    if vectors.space() is None:
        return SearchReadiness(waiting=waiting, warning=warning)
    done = update(max(MIN_CATCH_UP_SECONDS, deadline - store.clock.ticks()))
    if done.problem and done.code == INDEX_UNREACHABLE:
        # The ledger is searched instead, by words and by vectors.
        warning = f"index_unreachable: {done.problem}"
    elif done.problem:
        warning = f"index_unusable: {done.problem}"
        return SearchReadiness(space=asked.space, waiting=waiting, behind=done.behind, warning=warning)
    if done.repaired:
        warning = f"index_repaired: {done.repaired}"
    elif done.missing is not None:
        warning = warning or done.missing.warning
    return SearchReadiness(
        asked.vector,
        asked.space,
        done.current,
        waiting,
        done.behind,
        tip=tip,
        generation=done.generation,
        pending=done.pending,
        warning=warning,
    )


def embed_until(
    store: IndexedStore,
    vectors: VectorStore,
    space: Space,
    deadline: float,
    first: Sequence[Unembedded] = (),
    progress: Progress | None = None,
) -> str:
    """Embed the backlog until a deadline, some texts `first`. Return a warning if that fails: the search goes on without it."""

    def seconds_left() -> float:
        return deadline - store.clock.ticks()

    # Else the threads of a server all embed the same new texts.
    with embedding_turn(seconds_left()) as has_turn:
        if not has_turn:
            return ""
        try:
            done = embed_backlog(
                vectors,
                get_embedder(store),
                space,
                store.clamp,
                seconds_left=seconds_left,
                progress=progress,
                optional=True,
                first=first,
            )
        except Unavailable as error:
            return _warning(error)
    return f"{done.problem}: some texts could not be embedded" if done.problem else ""


def check_readiness(store: IndexedStore, question: str) -> SearchReadiness:
    """Embed a question and return the state of vectors and index without updating them. Writes nothing."""
    asked, ledger = embed_question(store, question), store.ledger
    if asked.vector is None or asked.space is None:
        return asked
    waiting = ledger.vectors.backlog(asked.space)[0]
    if ledger.vectors.space() is None:
        return SearchReadiness(waiting=waiting)
    status = store.index().status()
    if status.problem or not status.exists or status.space != asked.space.name:
        problem = status.problem or "there is no index of these vectors yet"
        return SearchReadiness(space=asked.space, waiting=waiting, warning=f"index_unusable: {problem}")
    pending = store.index().pending(ledger.feed, asked.space)
    behind = 0 if pending else ledger.feed.behind(status.applied_seq)
    warning = status.missing.warning if status.missing is not None else ""
    return replace(
        asked,
        current=not behind and not pending,
        waiting=waiting,
        behind=behind,
        tip=ledger.feed.tip(),
        pending=pending,
        warning=warning,
    )


def get_embedder(store: IndexedStore, name: str | None = None) -> Embedder:
    """Return the embedder of this name, or the store's own. Raises Unavailable if there is none."""
    embedder = store.embedder(name)
    if embedder is None:
        raise Unavailable(
            "no embedder is configured", code="embedder_none", hint="leave SATCHEL_EMBEDDER empty for the default"
        )
    return embedder


def get_space(embedder: Embedder, limits: Clamp) -> Space:
    """Return an embedder's space; an embedder that does not know its dimensions embeds one word to find out."""
    return Space(embedder.name, embedder.dimensions or len(embed_text(embedder, "length", limits)))


def require_space(vectors: VectorStore, space: Space) -> None:
    """Raise if the store is embedded in another space."""
    own = vectors.space()
    if own not in (None, space):
        raise Refused(
            _other_space(own, space), code="other_space", hint="'satchel index rebuild --embedder' changes it"
        )


def embedding_stopped(done: BacklogResult, problem: str) -> Unavailable:
    """Return the error for an embedding run that stopped early."""
    return Unavailable(
        f"embedding stopped: {problem}; {done.made} new vectors are kept, nothing else has changed",
        code=problem,
        hint=done.hint or "fix the cause and run the same command again; it continues where it stopped",
    )


def try_drop(index: Index | PassageIndex) -> bool:
    """Drop an index; return whether that succeeded."""
    try:
        index.drop(seconds=PURGE_SECONDS)
    except Unavailable:
        return False
    return True


def _warning(error: SatchelError) -> str:
    return f"{error.code}: {error.message}" + (f" ({error.hint})" if error.hint else "")


def _other_space(own: Space | None, asked: Space) -> str:
    spaces = [f"{space.name} ({space.dimensions} dimensions)" for space in (own, asked) if space]
    return f"this store is embedded with {spaces[0]}, not with {spaces[-1]}; satchel index rebuild embeds it again"
