"""Maintenance: counts, health checks, the index and the receipts of a whole store."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Annotated, Any

from msgspec.structs import asdict

from satchel.core.automatic_tags import tag_before
from satchel.core.operations import AllScopes, DryRun, Kinds, Param, Scope, operation
from satchel.core.references import record_id
from satchel.core.run import require_writable
from satchel.core.service import Service, page_size, receipt_mark
from satchel.domain.arguments import check_range
from satchel.domain.embedding import EMBEDDING_PROVIDERS
from satchel.domain.envelope import Ok
from satchel.domain.moment import DAY_MS, parse_time
from satchel.domain.receipt import Receipt
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.indexing import memory_index, memory_upkeep, passage_index
from satchel.indexing.embed import BacklogResult
from satchel.indexing.move import move_batches
from satchel.indexing.values import IndexReport
from satchel.maintenance.check_up import examine_at_once, examine_store
from satchel.maintenance.compare_receipts import compare_receipts
from satchel.maintenance.index_reports import answer_updated, index_sizes, missing_extra, report_indexes
from satchel.maintenance.values import CheckUp, ReceiptComparison, ReceiptsPruned, Stats
from satchel.ports import ChainState, Progress, PrunedReceipts, StoredReceipt

RECEIPTS_PER_BATCH = 1_000
MAX_PRUNE_DAYS = 36_500


class Maintenance(Service):
    """Looks after a store as a whole."""

    def warm(self) -> None:
        """Load the embedder, the index and the judge and let the index catch up briefly, so that the next turn is fast."""
        memory_index.catch_up(self._indexed_store, "warm", self._policies.recall.catch_up_ms / 1000)
        space = self._ledger.vectors.space()
        judge = None if space is None else self._parts.judge()
        if space is not None and judge is not None and space.name == judge.space:
            # A turn says why it could not be loaded.
            with suppress(Unavailable):
                judge.load()

    def share_work(self, stopped: Callable[[], bool]) -> BacklogResult:
        """Embed what waits and no other process has claimed, and let the indexes follow."""
        require_writable(self._parts)
        ledger, result = self._ledger, BacklogResult()
        for vectors in (ledger.vectors, ledger.passages.vectors):
            result = result.joined(memory_upkeep.share_backlog(self._indexed_store, vectors, stopped))
        if result.made:
            self._follow()
            self.merge()
        return result

    def record_work(self, done: BacklogResult) -> bool:
        """Keep a receipt of what a worker has embedded; return whether it was kept."""
        with self._run("worker", writes=True) as run:
            return run.keep(None, made=done.made, skipped=dict(done.skipped)).receipt.kept

    def _follow(self) -> None:
        """Let the indexes catch up with the ledger."""
        if (space := self._ledger.vectors.space()) is None:
            return
        # A few changes wait: each write of a large index makes the next searches slower.
        if not self._parts.index().pending(self._ledger.feed, space):
            self._parts.index().catch_up(self._ledger.feed, space)
        if self._ledger.passages.feed.tip():
            self._parts.passage_index().catch_up(self._ledger.passages.feed, space)

    def merge(self) -> bool:
        """Merge the small fragments of the indexes if there are many; return whether there were."""
        if self._parts.read_only:
            return False
        merged = [index.optimize(only_if_due=True) for index in (self._parts.index(), self._parts.passage_index())]
        return any(merged)

    def move(self, before_text: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Move the store to the embedder that replaces its own, if there is one: a batch per step, then the switch.

        `before_text` is called before each text, and may wait there.
        """
        target = self._parts.move_to()
        if target is None or self._parts.read_only:
            return
        yield from move_batches(self._indexed_store, target, before_text)
        # Another process may have finished the move meanwhile.
        if self._parts.move_to() == target:
            self.index_rebuild(embedder=target)

    # The store as a whole

    @operation(
        "stats",
        operator_only=True,
        served=True,
        examples=(
            "satchel stats",
            "satchel stats --all-scopes",
        ),
    )
    def stats(self, *, scope: Scope = None, all_scopes: AllScopes = False, kinds: Kinds = ()) -> Ok[Stats]:
        """Count the records."""
        with self._run("stats") as run:
            view = self._admin_view(scope, all_scopes, kinds)
            tally, space = self._ledger.memories.tally(view), self._ledger.vectors.space()
            waiting, skipped = self._ledger.vectors.backlog(space)
            stats = Stats(
                scope=view.reach.name,
                tally=tally,
                embedding_space=space.name if space else None,
                embeddings_waiting=waiting,
                embeddings_skipped=skipped,
                folder=self._parts.files.folder,
                server=self._parts.server(),
            )
            run.asked = {"scope": view.reach.name, "kinds": list(view.kinds)}
            return run.done(stats, memories=tally.memories)

    @operation(
        "doctor",
        operator_only=True,
        long=True,
        examples=(
            "satchel doctor",
            "satchel doctor --fix",
        ),
    )
    def doctor(
        self,
        *,
        fix: Annotated[
            bool, Param("rebuild what can be rebuilt, quarantine damaged records; nothing is lost", operator_only=True)
        ] = False,
        progress: Progress | None = None,
    ) -> Ok[CheckUp]:
        """Check the store, and repair it with --fix."""
        with self._run("doctor", {"fix": fix}, writes=fix) as run:
            checked = examine_store(self._parts, self._indexed_passages, progress, fix=fix)
            run.decided = {one.check: one.status for one in checked.findings}
            return run.done(checked)

    @operation("check", operator_only=True, served=True, examples=("satchel check",))
    def check(self) -> Ok[CheckUp]:
        """Check what can be checked at once; 'doctor' also reads every page, text, receipt and index."""
        with self._run("check") as run:
            checked = examine_at_once(self._parts, self._indexed_store)
            run.decided = {one.check: one.status for one in checked.findings}
            return run.done(checked)

    # The index

    @operation("index status", operator_only=True, examples=("satchel index status",))
    def index_status(self) -> Ok[IndexReport]:
        """Compare the index with the ledger."""
        with self._run("index status") as run:
            report = report_indexes(self._parts, self._indexed_passages)
            if (missing := missing_extra(self._parts)) is not None:
                run.warn(missing.warning)
            return run.done(report, rows=report.rows)

    @operation("index build", writes=True, operator_only=True, long=True, examples=("satchel index build",))
    def index_build(self, *, progress: Progress | None = None) -> Ok[IndexReport]:
        """Embed all texts that have no vector yet, and update the index."""
        with self._run("index build", writes=True) as run:
            filled = memory_upkeep.build(self._indexed_store, progress)
            filled = filled.joined(passage_index.build(self._indexed_passages, progress))
            return answer_updated(run, filled, self._parts, self._indexed_passages)

    @operation("index optimize", writes=True, operator_only=True, long=True, examples=("satchel index optimize",))
    def index_optimize(self) -> Ok[IndexReport]:
        """Merge the fragments of the index; for a large store, build the vector index.

        A running server does so by itself when it is idle. A recall never does.
        """
        with self._run("index optimize", writes=True) as run:
            run.considered = {"before": index_sizes(report_indexes(self._parts, self._indexed_passages))}
            self._ledger.vectors.convert_to_float16()
            self._parts.index().optimize()
            self._parts.passage_index().optimize()
            return answer_updated(run, BacklogResult(), self._parts, self._indexed_passages)

    @operation("index rebuild", writes=True, operator_only=True, long=True, examples=("satchel index rebuild",))
    def index_rebuild(
        self,
        *,
        embedder: Annotated[
            str | None, Param("embed every text again with this one", choices=EMBEDDING_PROVIDERS)
        ] = None,
        progress: Progress | None = None,
    ) -> Ok[IndexReport]:
        """Rebuild the index, with another embedder if one is given.

        A store with vectors of MiniLM moves to the bundled model unless embedding.provider names another one. Can be interrupted and started again: nothing is embedded twice. The old vectors answer until every text has a
        new one; while the index is then filled, recall answers by words.
        """
        with self._run("index rebuild", writes=True) as run:
            embedder = embedder or self._parts.move_to()
            before = self._ledger.vectors.space()
            # Nothing of a memory changes: 'tag diff' with this tag shows it.
            tag_before(self._parts, "index rebuild")
            # Passages first: the store switches over once every text has a vector in the new space.
            filled = passage_index.embed_all(self._indexed_passages, embedder, progress)
            filled = filled.joined(memory_upkeep.rebuild(self._indexed_store, embedder, progress))
            passage_index.update_index(self._indexed_passages, progress, rebuild=True)
            return answer_updated(run, filled, self._parts, self._indexed_passages, before)

    # Receipts

    @operation(
        "receipts list",
        operator_only=True,
        examples=(
            "satchel receipts list --operation recall --limit 10",
            "satchel receipts list --scope project/shop --since 2026-11-01 --mentions ID",
            "satchel receipts list --actor user:anna",
        ),
    )
    def receipts_list(
        self,
        *,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 20,
        operation: Annotated[str | None, Param("only receipts of this operation")] = None,
        scope: Annotated[str | None, Param("only receipts of requests in this scope")] = None,
        since: Annotated[
            str | None, Param("not older than this: 2026-12-31, with a time or without, today or yesterday")
        ] = None,
        until: Annotated[
            str | None, Param("older than this: 2026-12-31, with a time or without, today or yesterday")
        ] = None,
        mentions: Annotated[str | None, Param("only receipts that name the record with this id")] = None,
        actor: Annotated[
            str | None, Param("only receipts of this user, with all its tokens or one: user:anna, user:anna/laptop")
        ] = None,
        before: Annotated[int | None, Param("continue after the previous page: the 'seq' of its last receipt")] = None,
    ) -> Ok[tuple[StoredReceipt, ...]]:
        """List the newest receipts, of everything or of one operation, scope, time, record or user."""
        with self._run("receipts list") as run:
            wanted, now = None if operation is None else replace_undecodable(operation), self._clock.now()
            narrowed: dict[str, Any] = {
                "scope": None if scope is None else replace_undecodable(scope),
                "since": None if since is None else parse_time(since, "since", now),
                "until": None if until is None else parse_time(until, "until", now),
                "mentions": None if mentions is None else self._meant(mentions),
                "actor": None if actor is None else replace_undecodable(actor),
                "before": receipt_mark(before),
            }
            kept = tuple(self._ledger.receipts.recent(page_size(limit), wanted, **narrowed))
            given = {name: value for name, value in narrowed.items() if value is not None}
            run.asked = {"limit": limit, "operation": wanted, **given}
            return run.done(kept, returned=len(kept))

    def _meant(self, reference: str) -> str:
        """Return the id that a reference means, or the reference itself: receipts outlast what they name."""
        return record_id(self._parts, reference, scope=None, all_scopes=True)

    @operation("receipts show", operator_only=True, examples=("satchel receipts show sha256:3f0c",))
    def receipts_show(
        self,
        name: Annotated[str, Param("digest of the receipt, or its beginning", positional=True)],
    ) -> Ok[StoredReceipt]:
        """Show one receipt."""
        with self._run("receipts show") as run:
            found = self._receipt(name)
            run.asked = {"digest": found.digest}
            return run.done(found)

    def _receipt(self, name: str) -> StoredReceipt:
        found = self._ledger.receipts.find(replace_undecodable(name)) if name.strip() else []
        if not found:
            raise NotFound(f"no receipt begins with {name[:80]!r}", hint="'satchel receipts list' shows their names")
        if len({one.digest for one in found}) > 1:
            raise InvalidRequest(
                f"several receipts begin with {name[:80]!r}", code="ambiguous", hint="give more characters"
            )
        return found[0]

    @operation(
        "receipts compare",
        operator_only=True,
        examples=("satchel receipts compare sha256:3f0c sha256:81aa",),
    )
    def receipts_compare(
        self,
        first: Annotated[str, Param("digest of a receipt, or its beginning", positional=True)],
        second: Annotated[str, Param("digest of another receipt, or its beginning", positional=True)],
    ) -> Ok[ReceiptComparison]:
        """Show what differs between two receipts.

        Records in a list are matched by their id, so a record that only moved differs in its place.
        """
        with self._run("receipts compare") as run:
            ends = [self._receipt(name) for name in (first, second)]
            comparison = compare_receipts(*ends)
            run.asked = {"first": ends[0].digest, "second": ends[1].digest}
            return run.done(comparison, equal=comparison.equal, differences=len(comparison.differences))

    @operation("receipts verify", operator_only=True, long=True, examples=("satchel receipts verify",))
    def receipts_verify(self) -> Ok[ChainState]:
        """Recompute every receipt and the chain between them."""
        with self._run("receipts verify") as run:
            chain = self._ledger.receipts.verify()
            return run.done(chain, receipts=chain.receipts, broken_at=chain.broken_at)

    @operation(
        "receipts prune",
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        long=True,
        examples=("satchel receipts prune --older-than 90 --dry-run", "satchel receipts prune --older-than 365"),
    )
    def receipts_prune(
        self,
        *,
        older_than: Annotated[int, Param("remove the bodies of receipts that are older than this many days")],
        dry_run: DryRun = False,
        progress: Progress | None = None,
    ) -> Ok[ReceiptsPruned]:
        """Remove what old receipts say, and keep the proof that they were there.

        Their digests, times and the links of the chain stay, so 'receipts verify' still checks every one of them.
        'satchel why' cannot explain a pruned receipt. There is no undo.
        """
        with self._run("receipts prune", {"older_than": older_than, "dry_run": dry_run}, writes=not dry_run) as run:
            days = check_range(older_than, "older than", 1, MAX_PRUNE_DAYS, "such as 90")
            before, receipts = self._clock.now() - days * DAY_MS, self._ledger.receipts
            if dry_run:
                number, chars = receipts.prunable(before)
                return run.done(ReceiptsPruned(True, days, number, chars, receipts.size().pruned + number))
            total = receipts.prunable(before)[0]
            kept: list[Receipt] = []

            def receipt(pruned: PrunedReceipts) -> Receipt:
                kept.append(run.receipt(**asdict(pruned)))
                return kept[-1]

            result = ReceiptsPruned(False, days, 0, 0, receipts.size().pruned)
            # In batches, each with its proof, so that others wait for one batch at most.
            for batch in receipts.prune(before, RECEIPTS_PER_BATCH, receipt):
                number, chars = result.pruned + batch.pruned, result.chars + batch.chars
                result = ReceiptsPruned(False, days, number, chars, batch.pruned_in_all)
                if progress is not None:
                    progress(number, max(number, total), "pruning")
            return run.committed(result, kept[-1]) if kept else run.done(result)
