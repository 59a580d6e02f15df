"""An area: one group of a store's operations. What every one of them is made of, and how it gets its receipt."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.amount import amount
from satchel.domain.canonical import Json
from satchel.domain.embedding import Clamp
from satchel.domain.policies import Policies, RecallPolicy
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach, reach
from satchel.domain.view import View
from satchel.errors import ReadOnlyMode, Unavailable
from satchel.indexing import passages as evidence
from satchel.indexing import upkeep
from satchel.observations.grade import HEURISTIC, Grader
from satchel.observations.observational_log import Observer, observe
from satchel.ports import (
    Clock,
    Embedder,
    Exchange,
    Files,
    Index,
    Ledger,
    PassageIndex,
    Preflight,
    Reranker,
    Spool,
    Transcripts,
    Tree,
)
from satchel.recall.lanes import Meaning
from satchel.recall.prefetch import Foreseen, foresee
from satchel.recall.question import Mode, Question
from satchel.threads import beside

if TYPE_CHECKING:
    from satchel.ports.backend import Surroundings

MAX_PAGE = 5_000


def no_passage_index() -> PassageIndex:
    """Stand in where no index of passages was given: words answer."""
    raise Unavailable("there is no index of passages", code="index_unusable", hint="satchel doctor")


def no_tree() -> Tree:
    """Stand in where no file system was given."""
    raise Unavailable("there are no folders to read documents from", code="no_folders")


def _no_lossless(path: str) -> Transcripts:
    raise Unavailable("no other database of conversations can be read here")


def _nowhere() -> "Surroundings":
    raise Unavailable("this store was opened without a router")


class Parts(Struct, frozen=True):
    """What a memory is made of. The index and the embedder are called for only when a request needs them."""

    ledger: Ledger
    index: Callable[[], Index]
    embedder: Callable[[str | None], Embedder | None]
    files: Files
    exchange: Exchange
    spool: Spool
    clock: Clock
    new_id: Callable[[], str]
    reranker: Callable[[], Reranker]
    clamp: Clamp
    passage_index: Callable[[], PassageIndex] = no_passage_index
    tree: Callable[[], Tree] = no_tree
    preflight: Callable[[], Preflight | None] = lambda: None
    """The check of another program or server before a write; None means Satchel's own."""
    surroundings: "Callable[[], Surroundings]" = _nowhere
    """What is around the dispatch router: its files, and backends elsewhere."""
    lossless: Callable[[str], Transcripts] = _no_lossless
    """Opens another program's database of conversations, to read it."""
    policies: Policies = field(default_factory=Policies)
    read_only: bool = False
    """Whether the operator wants the store left as it is."""
    actor: str = "python"
    grader: Grader = HEURISTIC
    observer: Observer = observe
    """Compresses observations into the log; one that asks a model has to be put here on purpose."""


def unreceipted(parts: Parts) -> Parts:
    """Return the same store for a lane of a larger answer, whose receipt stands for them all: it keeps none of its own."""
    receipts = replace(parts.policies.receipts, enabled=False)
    return replace(parts, policies=replace(parts.policies, receipts=receipts))


class Area:
    """Operations on one store. Reads change nothing they read; writes are durable when they return."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._ledger = parts.ledger
        self._clock = parts.clock
        self._policies = parts.policies
        self._derived = upkeep.Derived(parts.ledger, parts.index, parts.embedder, parts.clamp, parts.clock)
        self._evidence = evidence.EvidenceUpkeep(self._derived, parts.passage_index)

    def _require_writable(self) -> None:
        """Refuse to change the store before anything is done, if the operator has switched writing off."""
        if self._parts.read_only:
            raise ReadOnlyMode("nothing may be written: read_only is set", hint="satchel config explain read_only")

    def _kept(self, receipt: Receipt, started: float) -> Receipt:
        """Return the receipt of a write, which the ledger holds by now, with the time the whole of it took."""
        return replace(receipt, kept=True, duration_ms=round((self._clock.ticks() - started) * 1000, 3))

    def _mark_selected(self, ids: Sequence[str]) -> None:
        """Remember that records went into a final bundle: the one thing that keeps them from growing old."""
        if ids and not self._ledger.read_only:
            # Whoever waits for the bundle gets it, whether or not its use could be written down.
            with suppress(Unavailable):
                self._ledger.lives.mark_selected(ids, self._clock.now())

    def _reach(self, scope: str | None, everywhere: bool = False) -> Reach:
        return reach(scope, self._parts.policies.scope, everywhere=everywhere)

    def _make_ready(self, question: Question) -> upkeep.Readiness:
        """Embed a question, and catch up with what is new; nothing of it where only words are searched."""
        if question.mode is Mode.LEXICAL:
            return upkeep.Readiness()
        return upkeep.make_ready(self._derived, question.text, self._policies.recall.catch_up_ms / 1000)

    def _foreseen(
        self, question: Question, view: View, policy: RecallPolicy
    ) -> tuple[upkeep.Readiness, Foreseen | None]:
        """Embed a question and catch up with what is new, and look up meanwhile what its words alone decide."""
        if question.mode is Mode.LEXICAL:
            return upkeep.Readiness(), None
        # Never while this thread writes: the other would wait for its lock, and this one for the other.
        ready = beside(lambda: self._make_ready(question))
        words = question.mode is not Mode.VECTOR and self._parts.index().in_ledger
        foreseen = foresee(question, view, self._ledger, policy, words=words)
        return ready.result(), foreseen

    def _meaning(self, ready: upkeep.Readiness) -> Meaning | None:
        """Return what a search by meaning needs, if it can be had."""
        if ready.vector is None or ready.space is None:
            return None
        index = self._parts.index()
        return Meaning(ready.vector, ready.space, index, ready.current, index.in_ledger)

    def _receipt(
        self,
        operation: str,
        started: float,
        *,
        asked: dict[str, Json],
        considered: dict[str, Json] | None = None,
        decided: dict[str, Json] | None = None,
        warnings: tuple[str, ...] = (),
    ) -> Receipt:
        duration_ms = round((self._clock.ticks() - started) * 1000, 3)
        return Receipt(operation, asked, considered or {}, decided or {}, warnings, self._clock.now(), duration_ms)


def page_size(limit: int) -> int:
    """Return how many to list, or refuse a number that makes no sense."""
    return amount(limit, "limit", 1, MAX_PAGE, "such as 20")
