"""The caretaker: a store as a whole. Counts, check-ups, the index and the receipts."""

from collections.abc import Sequence
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from satchel.core.service import Area, page_size
from satchel.domain.admit import kinds_named
from satchel.domain.answers import CheckUp, Finding, IndexReport, Stats
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.text import readable
from satchel.domain.view import View, whole
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.indexing import passages as evidence
from satchel.indexing import upkeep
from satchel.indexing.embed import Filled, embed_one
from satchel.maintenance import doctor
from satchel.ports import (
    ChainState,
    KeptReceipt,
    Progress,
)


class Caretaker(Area):
    """Looks after a store as a whole."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store's files."""
        self._ledger.close()

    def acting_as(self, actor: str) -> Self:
        """Return the same store with another name for who changes it."""
        return type(self)(replace(self._parts, actor=actor))

    def warm(self) -> None:
        """Load the embedder and the index and let them catch up for a moment, so that the next recall need not."""
        upkeep.make_ready(self._derived, "warm", self._policies.recall.catch_up_ms / 1000)

    # The store as a whole

    def stats(self, *, scope: str | None = None, all_scopes: bool = False, kinds: Sequence[str] = ()) -> Ok[Stats]:
        """Count what there is."""
        started = self._clock.ticks()
        view = self._whole(scope, all_scopes, kinds)
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
        asked: dict[str, Json] = {"scope": view.reach.name, "kinds": list(view.kinds)}
        return Ok(stats, self._receipt("stats", started, asked=asked, decided={"memories": tally.memories}))

    def doctor(self, *, fix: bool = False, progress: Progress | None = None) -> Ok[CheckUp]:
        """Examine every part of the store, and mend what can be mended without losing anything."""
        started = self._clock.ticks()
        if fix:
            self._require_writable()
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
        waiting, skipped = map(
            sum, zip(self._ledger.vectors.backlog(space), self._ledger.passages.vectors.backlog(space), strict=True)
        )

        def try_embedder() -> None:
            embed_one(upkeep.embedder_of(self._derived), "is anybody there?", self._parts.clamp)

        return doctor.embeddings_finding(waiting, skipped, try_embedder)

    def _index_findings(self, fix: bool, progress: Progress | None) -> Sequence[Finding]:
        findings = self._indexes_examined()
        if not fix:
            return findings
        broken = {one.check for one in findings if one.status == "bad"}
        if doctor.INDEX in broken:
            self._parts.index().drop()
        try:
            upkeep.follow(self._derived, progress)
        except Unavailable:
            # Some damage shows only when the index is written.
            self._parts.index().drop()
            upkeep.follow(self._derived, progress)
        try:
            evidence.follow(self._evidence, progress, anew=doctor.EVIDENCE_INDEX in broken)
        except Unavailable:
            evidence.follow(self._evidence, progress, anew=True)
        return self._indexes_examined()

    def _indexes_examined(self) -> list[Finding]:
        memories = doctor.index_findings(self._parts.index(), self._ledger.feed)
        try:
            index = self._parts.passage_index()
        except Unavailable as error:
            return [*memories, Finding(doctor.EVIDENCE_INDEX, "warning", f"{error.message}; words answer", error.hint)]
        return [*memories, *doctor.index_findings(index, self._ledger.passages.feed, doctor.EVIDENCE_INDEX)]

    # The index

    def index_status(self) -> Ok[IndexReport]:
        """Say how the index stands to the ledger."""
        started = self._clock.ticks()
        report = self._index_report()
        return Ok(report, self._receipt("index status", started, asked={}, decided={"rows": report.rows}))

    def index_build(self, *, progress: Progress | None = None) -> Ok[IndexReport]:
        """Embed everything that waits, bring the index up to date, and optimize it."""
        self._require_writable()
        started = self._clock.ticks()
        filled = upkeep.build(self._derived, progress)
        return self._index_done("index build", started, filled.joined(evidence.build(self._evidence, progress)))

    def index_optimize(self) -> Ok[IndexReport]:
        """Merge small pieces, drop old versions, and build the vector index once the store has grown into one."""
        self._require_writable()
        started = self._clock.ticks()
        self._ledger.vectors.tidy()
        self._parts.index().optimize()
        self._parts.passage_index().optimize()
        return self._index_done("index optimize", started, Filled())

    def index_rebuild(self, *, embedder: str | None = None, progress: Progress | None = None) -> Ok[IndexReport]:
        """Build the index anew; with another embedder, every text is embedded again first.

        Can be stopped and started again: nothing is embedded twice. The old vectors answer until every text has a new
        one; while the index is then filled anew, recall answers by words.
        """
        self._require_writable()
        started = self._clock.ticks()
        # Evidence first: the store changes over once every text has a vector in the new space.
        filled = evidence.refill(self._evidence, embedder, progress)
        filled = filled.joined(upkeep.rebuild(self._derived, embedder, progress))
        evidence.follow(self._evidence, progress, anew=True)
        return self._index_done("index rebuild", started, filled)

    def _index_report(self) -> IndexReport:
        return replace(upkeep.report(self._derived), passages=evidence.report(self._evidence))

    def _index_done(self, operation: str, started: float, filled: Filled) -> Ok[IndexReport]:
        report = self._index_report()
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
        kept = tuple(self._ledger.receipts.recent(page_size(limit), wanted))
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

    def _whole(self, scope: str | None, everywhere: bool, kinds: Sequence[str]) -> View:
        """Return the administrator's view: every record within reach of some kinds, or of any."""
        return replace(whole(self._reach(scope, everywhere), self._clock.now()), kinds=kinds_named(kinds))
