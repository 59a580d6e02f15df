"""START HERE: everything one can do with a memory. Each operation decides (pure), does (through a port), and receipts.

The decisions live in `store`, `recall`, `derive` and `observe`; what they need from the world is named in `ports`;
`bootstrap.Satchel` is this class with real parts.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from satchel.derive import upkeep
from satchel.derive.embed import Filled, embed_one
from satchel.domain.answers import (
    CheckUp,
    Finding,
    Forgotten,
    Found,
    IndexReport,
    Listed,
    Occurrence,
    Recalled,
    Stats,
    Stored,
)
from satchel.domain.canonical import Json
from satchel.domain.embedding import Clamp
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt, question_facts
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import DEFAULT_SCOPE, Reach, reach
from satchel.domain.text import readable
from satchel.domain.view import View, whole
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.observe import doctor
from satchel.ports import ChainState, Change, Clock, Embedder, Files, Index, KeptReceipt, Ledger, Progress
from satchel.recall.answer import Answer, answer, considered, decided
from satchel.recall.lanes import Meaning
from satchel.recall.question import Mode, Question, ask
from satchel.store import forget
from satchel.store.admit import Draft, admit, supersede

MAX_PAGE = 1_000


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory is made of. The index and the embedder are called for only when a request needs them."""

    ledger: Ledger
    index: Callable[[], Index]
    embedder: Callable[[str | None], Embedder | None]
    files: Files
    clock: Clock
    new_id: Callable[[], str]
    clamp: Clamp
    default_scope: str = DEFAULT_SCOPE
    catch_up_seconds: float = 0.2
    fusion: str = "scores"
    actor: str = "python"


class MemoryOperations:
    """The façade. Reads change nothing they read; writes are durable when they return."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._ledger = parts.ledger
        self._clock = parts.clock
        self._derived = upkeep.Derived(parts.ledger, parts.index, parts.embedder, parts.clamp, parts.clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store's files."""
        self._ledger.close()

    # Store

    def store(
        self,
        text: str,
        *,
        scope: str | None = None,
        kind: str = "other",
        importance: float | None = None,
        trust: str | None = None,
        source_kind: str = "operator",
        source_ref: str | None = None,
        title: str | None = None,
        session: str | None = None,
        task: str | None = None,
        language: str | None = None,
        tags: Sequence[str] = (),
        keywords: Sequence[str] = (),
        valid_from: str | None = None,
        valid_to: str | None = None,
        replaces: str | None = None,
    ) -> Ok[Stored]:
        """Keep a memory. It is on disk when this returns; its vector is made later, by whoever next has a model."""
        started = self._clock.ticks()
        draft = Draft(
            text=text,
            scope=self._parts.default_scope if scope is None else scope,
            kind=kind,
            importance=importance,
            trust=trust,
            source_kind=source_kind,
            source_ref=source_ref,
            title=title,
            session=session,
            task=task,
            language=language,
            tags=_several(tags),
            keywords=_several(keywords),
            valid_from=valid_from,
            valid_to=valid_to,
        )
        memory = admit(draft, id=MemoryId(self._parts.new_id()), now=self._clock.now())
        changes = [Change(memory, None, "store", self._parts.actor), *self._retirements(replaces, memory)]
        receipt = self._receipt(
            "store",
            started,
            asked={"scope": memory.scope, "kind": memory.kind, "chars": len(memory.text), "replaces": replaces},
            decided=_store_facts(memory),
        )
        seq = self._ledger.memories.commit(changes, receipt)
        return Ok(_stored(memory, seq, replaces), self._kept(receipt, started))

    def _retirements(self, replaces: str | None, memory: Memory) -> Sequence[Change]:
        if replaces is None:
            return []
        old = self._known(replaces, Reach((memory.scope,)))
        retired = supersede(old, memory)
        return [Change(retired, old, "retire", self._parts.actor, retired.reason)]

    # Recall

    def recall(self, query: str, *, scope: str | None = None, limit: int = 5, mode: str = "hybrid") -> Ok[Recalled]:
        """Find the memories that answer a question, by word, by meaning, or by both."""
        started = self._clock.ticks()
        question = ask(query, mode, limit)
        view = View(self._reach(scope), self._clock.now())
        ready = self._make_ready(question)
        found = answer(question, view, self._ledger, self._meaning(ready), self._parts.fusion)
        receipt = self._receipt(
            "recall",
            started,
            asked={
                **question_facts(question.text),
                "scope": view.reach.name,
                "mode": question.mode,
                "limit": question.limit,
            },
            considered=considered(found)
            | {
                "embedding_space": ready.space.name if ready.space else None,
                "embeddings_waiting": ready.waiting,
                "index_behind": ready.behind,
            },
            decided=decided(found),
            warnings=_warnings(question, ready, found),
        )
        if found.strays or found.gathered.problem:
            self._distrust_index(ready)
        kept = self._ledger.receipts.keep(receipt, [hit.memory.id for hit in found.hits])
        recalled = Recalled(found.hits, question.mode, view.reach.name, found.held_out)
        return Ok(recalled, replace(receipt, kept=kept))

    def _make_ready(self, question: Question) -> upkeep.Readiness:
        if question.mode is Mode.LEXICAL:
            return upkeep.Readiness()
        return upkeep.make_ready(self._derived, question.text, self._parts.catch_up_seconds)

    def _meaning(self, ready: upkeep.Readiness) -> Meaning | None:
        if ready.vector is None or ready.space is None:
            return None
        return Meaning(ready.vector, ready.space, self._parts.index(), ready.current)

    def _distrust_index(self, ready: upkeep.Readiness) -> None:
        """Drop an index that disagrees with a ledger nobody has changed meanwhile: it is damaged."""
        if ready.current and ready.tip == self._ledger.feed.tip():
            # Somebody may be building it anew this moment, or it may not be ours to remove: the answer stands either way.
            with suppress(Unavailable):
                self._parts.index().drop(only=ready.birth, seconds=0)

    def get(self, id: str, *, scope: str | None = None, all_scopes: bool = False) -> Ok[Found]:
        """Return one memory with its history."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        memory = self._known(id, within)
        events = self._ledger.memories.history(memory.id)
        history = tuple(Occurrence(e.seq, e.operation, e.actor, e.reason, e.receipt, e.at) for e in events)
        receipt = self._receipt("get", started, asked={"id": memory.id, "scope": within.name}, decided={"found": True})
        return Ok(Found(memory, history), receipt)

    def list(
        self, *, scope: str | None = None, all_scopes: bool = False, limit: int = 50, after: str | None = None
    ) -> Ok[Listed]:
        """List memories, newest first, whatever their state."""
        started = self._clock.ticks()
        view = whole(self._reach(scope, all_scopes), self._clock.now())
        mark = _page_mark(after)
        page = self._ledger.memories.page(view, _page_size(limit) + 1, mark)
        shown = tuple(page[:limit])
        following = f"{shown[-1].created_at}:{shown[-1].id}" if len(page) > limit else None
        asked: dict[str, Json] = {"scope": view.reach.name, "limit": limit, "after": mark}
        return Ok(
            Listed(shown, following), self._receipt("list", started, asked=asked, decided={"returned": len(shown)})
        )

    # Forget

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        verify: bool = False,
    ) -> Ok[Forgotten]:
        """Erase one memory everywhere, by id. A query erases nothing: it lists what it could mean."""
        within = self._reach(scope, all_scopes)
        if id is not None and query is None:
            return self._erase(id, within, verify)
        if query is not None and id is None:
            return self._candidates(query, within)
        raise InvalidRequest("forget needs an id or a query", code="missing_param", hint="give one of the two")

    def _candidates(self, query: str, within: Reach) -> Ok[Forgotten]:
        started = self._clock.ticks()
        question = ask(query, Mode.LEXICAL, forget.MAX_CANDIDATES)
        named = forget.candidates(self._ledger.memories, question.terms, whole(within, self._clock.now()))
        receipt = self._receipt(
            "forget",
            started,
            asked={**question_facts(question.text), "scope": within.name},
            decided={"action": named.action, "ids": [one.id for one in named.candidates]},
        )
        return Ok(named, receipt)

    def _erase(self, id: str, within: Reach, verify: bool) -> Ok[Forgotten]:
        started = self._clock.ticks()
        memory = self._known(id, within)
        asked: dict[str, Json] = {"id": memory.id, "scope": within.name, "verify": verify}
        receipt = self._receipt("forget", started, asked=asked, decided={"action": "deleted", "id": memory.id})
        forgotten = forget.erase(
            memory,
            within,
            memories=self._ledger.memories,
            purge_index=lambda: upkeep.purge(self._derived),
            files=self._parts.files,
            actor=self._parts.actor,
            receipt=receipt,
            verify=verify,
        )
        if forgotten is None:
            raise _unknown(id, within)
        return Ok(forgotten, self._kept(receipt, started))

    # Look after the store

    def stats(self, *, scope: str | None = None, all_scopes: bool = False) -> Ok[Stats]:
        """Count what there is."""
        started = self._clock.ticks()
        view = whole(self._reach(scope, all_scopes), self._clock.now())
        tally, space = self._ledger.memories.tally(view), self._ledger.vectors.space()
        waiting, skipped = self._ledger.vectors.backlog(space)
        stats = Stats(
            scope=view.reach.name,
            tally=tally,
            embedding_space=space.name if space else None,
            embeddings_waiting=waiting,
            embeddings_skipped=skipped,
            folder=self._parts.files.folder,
        )
        asked: dict[str, Json] = {"scope": view.reach.name}
        return Ok(stats, self._receipt("stats", started, asked=asked, decided={"memories": tally.memories}))

    def doctor(self, *, fix: bool = False, progress: Progress | None = None) -> Ok[CheckUp]:
        """Examine every part of the store, and mend what can be mended without losing anything."""
        started = self._clock.ticks()
        truth = self._ledger.check_up(fix=fix)
        findings = [
            *truth,
            *self._parts.files.check_up(fix=fix),
            doctor.receipts_finding(self._ledger.receipts.verify()),
            self._erasure_finding(fix),
            self._embeddings_finding(),
            *self._index_findings(fix, progress),
        ]
        healthy = all(one.status != "bad" for one in findings)
        damaged = any(one.status == "bad" for one in truth)
        verdicts: dict[str, Json] = {one.check: one.status for one in findings}
        return Ok(
            CheckUp(healthy, damaged, tuple(findings)),
            self._receipt("doctor", started, asked={"fix": fix}, decided=verdicts),
        )

    def _erasure_finding(self, fix: bool) -> Finding:
        if fix and self._ledger.memories.unscrubbed():
            self._ledger.memories.scrub()
        return doctor.erasure_finding(self._ledger.memories.unscrubbed())

    def _embeddings_finding(self) -> Finding:
        space = self._ledger.vectors.space()
        waiting, skipped = self._ledger.vectors.backlog(space)

        def try_embedder() -> None:
            embed_one(upkeep.embedder_of(self._derived), "is anybody there?", self._parts.clamp)

        return doctor.embeddings_finding(waiting, skipped, try_embedder)

    def _index_findings(self, fix: bool, progress: Progress | None) -> Sequence[Finding]:
        findings = doctor.index_findings(self._parts.index(), self._ledger.feed)
        if not fix:
            return findings
        if findings[0].status == "bad":
            self._parts.index().drop()
        try:
            upkeep.follow(self._derived, progress)
        except Unavailable:
            # Some damage shows only when the index is written.
            self._parts.index().drop()
            upkeep.follow(self._derived, progress)
        return doctor.index_findings(self._parts.index(), self._ledger.feed)

    # The index

    def index_status(self) -> Ok[IndexReport]:
        """Say how the index stands to the ledger."""
        started = self._clock.ticks()
        report = upkeep.report(self._derived)
        return Ok(report, self._receipt("index status", started, asked={}, decided={"rows": report.rows}))

    def index_build(self, *, progress: Progress | None = None) -> Ok[IndexReport]:
        """Embed everything that waits, bring the index up to date, and optimize it."""
        started = self._clock.ticks()
        return self._index_done("index build", started, upkeep.build(self._derived, progress))

    def index_optimize(self) -> Ok[IndexReport]:
        """Merge small pieces, drop old versions, and build the vector index once the store has grown into one."""
        started = self._clock.ticks()
        self._parts.index().optimize()
        return self._index_done("index optimize", started, Filled())

    def index_rebuild(self, *, embedder: str | None = None, progress: Progress | None = None) -> Ok[IndexReport]:
        """Build the index anew; with another embedder, every text is embedded again first.

        Can be stopped and started again: nothing is embedded twice. The old vectors answer until every text has a new
        one; while the index is then filled anew, recall answers by words.
        """
        started = self._clock.ticks()
        return self._index_done("index rebuild", started, upkeep.rebuild(self._derived, embedder, progress))

    def _index_done(self, operation: str, started: float, filled: Filled) -> Ok[IndexReport]:
        report = upkeep.report(self._derived)
        receipt = self._receipt(
            operation,
            started,
            asked={},
            decided={
                "embedding_space": report.space,
                "embedded": filled.made,
                "embeddingSkipped": filled.skipped,
                "rows": report.rows,
                "behind": report.behind,
            },
            warnings=(f"{filled.problem}: embedding stopped before the end",) if filled.problem else (),
        )
        return Ok(report, replace(receipt, kept=self._ledger.receipts.keep(receipt, ())))

    # Receipts

    def receipts_list(self, *, limit: int = 20, operation: str | None = None) -> Ok[tuple[KeptReceipt, ...]]:
        """List the newest receipts."""
        started = self._clock.ticks()
        wanted = None if operation is None else readable(operation)
        kept = tuple(self._ledger.receipts.recent(_page_size(limit), wanted))
        asked: dict[str, Json] = {"limit": limit, "operation": wanted}
        return Ok(kept, self._receipt("receipts list", started, asked=asked, decided={"returned": len(kept)}))

    def receipts_show(self, name: str) -> Ok[KeptReceipt]:
        """Show one receipt, by its digest or the beginning of it."""
        started = self._clock.ticks()
        found = self._ledger.receipts.find(readable(name)) if name.strip() else []
        if not found:
            raise NotFound(f"no receipt begins with {name[:80]!r}", hint="'satchel receipts list' shows their names")
        if len({one.digest for one in found}) > 1:
            raise InvalidRequest(f"several receipts begin with {name[:80]!r}", code="ambiguous", hint="give more of it")
        return Ok(found[0], self._receipt("receipts show", started, asked={"digest": found[0].digest}))

    def receipts_verify(self) -> Ok[ChainState]:
        """Recompute every receipt and the chain between them."""
        started = self._clock.ticks()
        chain = self._ledger.receipts.verify()
        verdict: dict[str, Json] = {"receipts": chain.receipts, "broken_at": chain.broken_at}
        return Ok(chain, self._receipt("receipts verify", started, asked={}, decided=verdict))

    # How the operations above get at things

    def _kept(self, receipt: Receipt, started: float) -> Receipt:
        """Return the receipt of a write, which the ledger holds by now, with the time the whole of it took."""
        return replace(receipt, kept=True, duration_ms=round((self._clock.ticks() - started) * 1000, 3))

    def _reach(self, scope: str | None, everywhere: bool = False) -> Reach:
        return reach(scope, default=self._parts.default_scope, everywhere=everywhere)

    def _known(self, id: str, within: Reach) -> Memory:
        asked = MemoryId(readable(id))
        found = self._ledger.memories.fetch([asked], whole(within, self._clock.now()))
        if asked not in found:
            raise _unknown(id, within)
        return found[asked]

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


# A vector is never made while somebody waits for a store.
_DEFERRED = "deferred"


def _store_facts(memory: Memory) -> dict[str, Json]:
    return {
        "id": memory.id,
        "trust": memory.trust,
        "trust_rule": f"channel:{memory.source_kind}",
        "label": memory.label,
        "embeddingSkipped": True,
        "embeddingSkipReason": _DEFERRED,
    }


def _stored(memory: Memory, seq: int, replaces: str | None) -> Stored:
    return Stored(
        id=memory.id,
        action="created",
        scope=memory.scope,
        kind=memory.kind,
        label=memory.label,
        importance=memory.importance,
        trust=memory.trust,
        created_at=memory.created_at,
        seq=seq,
        replaced=None if replaces is None else MemoryId(replaces),
        embedding_skipped=True,
        embedding_skip_reason=_DEFERRED,
    )


def _warnings(question: Question, ready: upkeep.Readiness, found: Answer) -> tuple[str, ...]:
    candidates = (
        (ready.warning, ready.warning),
        (found.gathered.problem, f"index_unusable: {found.gathered.problem}"),
        (question.clamped, "query_clamped: only the beginning of the query was used"),
        (found.strays, f"index_mismatch: {found.strays} candidates did not match the ledger and were left out"),
    )
    return tuple(warning for cause, warning in candidates if cause)


def _unknown(id: str, within: Reach) -> NotFound:
    return NotFound(f"no memory {id[:80]!r} in {within}", hint="name its scope with --scope, or use --all-scopes")


def _several(words: Sequence[str]) -> tuple[str, ...]:
    """Take one word for a list of one: a text would otherwise be taken apart into letters."""
    return (words,) if isinstance(words, str) else tuple(words)


def _page_size(limit: int) -> int:
    if type(limit) is not int or not 1 <= limit <= MAX_PAGE:
        raise InvalidRequest(
            f"limit {limit!r} is not a number from 1 to {MAX_PAGE}", code="out_of_range", hint="such as 20"
        )
    return limit


def _page_mark(after: str | None) -> tuple[int, str] | None:
    if after is None:
        return None
    created_at, _, id = after.partition(":")
    if not (created_at.isascii() and created_at.isdigit() and len(created_at) < 16 and id):
        raise InvalidRequest(
            f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use the 'next' of a page"
        )
    return int(created_at), readable(id)
