"""Changes: list what was done to memories and observations, and take it back."""

from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import Annotated

from msgspec.structs import replace

from satchel.core.automatic_tags import tag_before
from satchel.core.operations import DryRun, Param, operation
from satchel.core.run import OperationRun
from satchel.core.service import Service, page_size
from satchel.domain.automatic_tags import CHANGES_AT_ONCE, CHANGES_PER_BATCH, UNDO
from satchel.domain.counting import count
from satchel.domain.envelope import Ok
from satchel.domain.moment import iso
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId
from satchel.domain.safety.redact import mask
from satchel.domain.text import replace_undecodable
from satchel.domain.undo import (
    ChangeList,
    PastOperation,
    TrustBefore,
    Undone,
    short_name,
)
from satchel.errors import Conflict, NotFound, Refused
from satchel.memories import undo_rules as rules
from satchel.memories.bulk_commit import commit_all_but_last
from satchel.memories.past_changes import PastChanges
from satchel.memories.undo_plan import MAX_LISTED, UndoPlans, empty_plan, is_empty, last_seq, state_changes
from satchel.memories.undo_rules import ChangeEvents
from satchel.ports import Ask, Change, Progress

RECENT_RECEIPTS = 500
MEMORIES_PER_REPORT = 1_000
MIN_NAME_CHARS = 4
QUESTION_CHARS = 80

_OneScope = Annotated[str | None, Param("only changes within this scope; any if omitted")]


class History(Service):
    """Takes back changes by appending new ones: the history keeps both."""

    @operation(
        "undo",
        writes=True,
        operator_only=True,
        long=True,
        examples=("satchel undo", "satchel undo --dry-run"),
    )
    def undo(
        self,
        change: Annotated[
            str | None,
            Param("the change, as 'undo list' names it; the last one if omitted", positional=True),
        ] = None,
        *,
        scope: _OneScope = None,
        dry_run: DryRun = False,
        yes: Annotated[bool, Param("do not ask", terminal_only=True)] = False,
        ask: Ask | None = None,
        progress: Progress | None = None,
    ) -> Ok[Undone]:
        """Take back the last change of memories: a store, an edit, a confirmation, an import, a restore.

        What it created is retired, what it changed becomes what it was. A record that has changed again since is left
        alone. What was forgotten does not come back: if that was the last change, nothing is taken back, and the error
        names the change before it. The answer names the undo, which can be taken back as well.
        """
        with self._run("undo", writes=not dry_run) as run:
            found, skipped = self._target(change, scope)
            run.asked = {"change": found.key, "scope": scope, "dry_run": dry_run}
            if not dry_run and not yes and ask is not None and not ask(self._question(found)):
                return run.done(replace(empty_plan(found, skipped), action="declined"))
            planned = _something(self._plans.plan(found, skipped))
            if dry_run:
                return run.done(planned)
            self._take_back_move(run, found, progress)
            tag = ""
            changes: Iterator[Change] = iter(())
            if planned.memories > CHANGES_AT_ONCE:
                tag = tag_before(self._parts, UNDO, rules.reason_for(found.key))
                changes = self._changes(found, planned.memories, progress)
                commit_all_but_last(self._ledger.memories, changes, planned.memories, partial(self._batch_receipt, run))
            with self._ledger.memories.transaction():
                if not tag:
                    planned = _something(replace(self._plans.plan(found, skipped), moved=planned.moved))
                    changes = self._changes(found, planned.memories, progress)
                trusts = self._plans.trusts(found)
                receipt = self._receipt(run, planned, trusts)
                self._ledger.memories.commit(changes, receipt)
                self._take_back_observations(found, trusts, receipt)
                self._ledger.changes.take_back_edges(last_seq(found), dry_run=False)
            return run.committed(replace(planned, action="undone", receipt=tag or receipt.digest), receipt)

    def _batch_receipt(self, run: OperationRun, size: int) -> Receipt:
        return self._run("undo batch", run.asked).receipt(memories=size)

    def _take_back_move(self, run: OperationRun, change: ChangeEvents, progress: Progress | None) -> None:
        """Move records of other kinds back to the scope that they came from, before the memories: they tell what is left."""
        reason, done, moves = rules.reason_for(change.key), 0, self._ledger.scope_moves
        total = sum(moves.recorded(change.key).values())
        while True:
            receipt = self._run("undo batch", run.asked).receipt(moved=done)
            moved = moves.take_back(change.key, CHANGES_PER_BATCH, self._parts.actor, reason, receipt)
            if not moved:
                return
            done += moved
            if progress is not None:
                progress(done, max(done, total), "moving back")

    @operation("undo list", operator_only=True, examples=("satchel undo list --limit 5",))
    def list(
        self, *, scope: _OneScope = None, limit: Annotated[int, Param("how many to return, 1 to 5000")] = 20
    ) -> Ok[ChangeList]:
        """List the last changes of memories and observations, newest first."""
        with self._run("undo list") as run:
            found = list(islice(self._past.newest_first(scope), page_size(limit) + 1))
            run.asked = {"scope": scope, "limit": limit}
            listed = tuple(one.summary() for one in found[:limit])
            return run.done(ChangeList(listed, len(found) > limit), returned=len(listed))

    @cached_property
    def _past(self) -> PastChanges:
        return PastChanges(self._parts)

    @cached_property
    def _plans(self) -> UndoPlans:
        return UndoPlans(self._parts)

    # Which change

    def _target(self, name: str | None, scope: str | None) -> tuple[ChangeEvents, tuple[PastOperation, ...]]:
        """Return the change to take back, and what was done since that cannot be."""
        return self._last_change(scope) if name is None else (self._named_change(name, scope), ())

    def _named_change(self, name: str, scope: str | None) -> ChangeEvents:
        for one in self._past.newest_first(scope):
            if _is_named(one, name):
                unfinished = one.undone and not is_empty(self._plans.plan(one, ()))
                return _checked(one, unfinished=unfinished)
        raise NotFound(f"no change {replace_undecodable(name)[:80]!r}", hint="'satchel undo list' names the changes")

    def _last_change(self, scope: str | None) -> tuple[ChangeEvents, tuple[PastOperation, ...]]:
        """Return the last change; raise if something was done since that a person may mean, and cannot be taken back."""
        erased = None
        for one in self._past.newest_first(scope):
            if one.undone or one.target:
                continue
            if one.problem:
                erased = erased or rules.irrevocable(one)
            elif not is_empty(self._plans.plan(one, ())):
                since = [last for last in (erased, self._done_deliberately(one, scope)) if last is not None]
                if since:
                    raise _not_the_last(max(since, key=lambda last: last.at), one)
                return one, tuple(self._done_by_others(one)[:MAX_LISTED])
        reason = f": {erased.reason}" if erased else ""
        raise NotFound(
            f"there is no change to take back{reason}",
            code="nothing_to_undo",
            hint="'satchel undo list' shows the changes",
        )

    def _done_deliberately(self, change: ChangeEvents, scope: str | None) -> PastOperation | None:
        """Return the last thing that a person did to other records after a change."""
        within = None if scope is None else self._reach(scope).name
        last = self._ledger.receipts.recent(1, rules.DELIBERATE, within)
        if not last:
            return None
        own = self._ledger.receipts.find(change.events[0].receipt)
        is_later = last[0].seq > own[0].seq if own else last[0].at > change.events[0].at
        return rules.done_otherwise(last[0]) if is_later else None

    def _done_by_others(self, change: ChangeEvents) -> Sequence[PastOperation]:
        return rules.done_by_others(self._ledger.receipts.recent(RECENT_RECEIPTS), change.oldest.at)

    def _question(self, change: ChangeEvents) -> str:
        """Return what a person is asked, with the beginning of the text of the newest record."""
        shown = ""
        for id, (first, last) in islice(change.spans().items(), 1):
            now = self._ledger.changes.versions(MemoryId(id), first, last).now
            text = "" if now is None else " ".join(mask(now.text).split())
            shown = f": {text[:QUESTION_CHARS]}{'…' if len(text) > QUESTION_CHARS else ''}" if text else ""
        return f"Take back {_described(change)}{shown}?"

    # Taking it back

    def _receipt(self, run: OperationRun, planned: Undone, trusts: Sequence[TrustBefore]) -> Receipt:
        now = self._ledger.observations.fetch([one.id for one in trusts], self._admin_view(None, True))
        return run.receipt(
            before=self._ledger.feed.tip(),
            undone=planned.change.id,
            operation=planned.change.operation,
            memories=planned.memories,
            retired=planned.retired,
            observations=planned.observations,
            edges=planned.edges,
            moved=dict(planned.moved),
            left=[[one.id, one.reason] for one in planned.left],
            left_unlisted=planned.left_unlisted,
            # By these the undo itself can be taken back.
            trust_before={one.id: one.trust.value for one in now.values()},
        )

    def _changes(self, change: ChangeEvents, total: int, progress: Progress | None) -> Iterator[Change]:
        done, reason = 0, rules.reason_for(change.key)
        for id, (first, last) in change.spans().items():
            versions = self._ledger.changes.versions(MemoryId(id), first, last)
            step = rules.undo_step(versions)
            if step is not None and step.memory is not None:
                yield Change(step.memory, versions.now, UNDO, self._parts.actor, reason)
                done += 1
                if progress is not None and done % MEMORIES_PER_REPORT == 0:
                    progress(done, total, "taking back")

    def _take_back_observations(self, change: ChangeEvents, trusts: Sequence[TrustBefore], receipt: Receipt) -> None:
        self._ledger.observations.change_states(state_changes(change), receipt, self._parts.actor)
        self._ledger.changes.restore_trusts(trusts, receipt, self._parts.actor, rules.reason_for(change.key))


def _is_named(change: ChangeEvents, name: str) -> bool:
    digest = name if name.startswith("sha256:") else f"sha256:{name}"
    if change.key == name:
        return True
    return len(name) >= MIN_NAME_CHARS and any(one.receipt.startswith(digest) for one in change.events)


def _checked(change: ChangeEvents, *, unfinished: bool) -> ChangeEvents:
    """Return a change that can be taken back, or the rest of it after an interruption; else raise."""
    if change.problem:
        raise Refused(f"this change cannot be taken back: {change.problem}", code="irrevocable")
    if change.undone and not unfinished:
        raise Conflict(
            "this change was taken back already", code="already_undone", hint="'satchel undo list' shows the changes"
        )
    return change


def _not_the_last(last: PastOperation, before: ChangeEvents) -> Refused:
    by = f" by {last.actor}" if last.actor else ""
    return Refused(
        f"the last change cannot be taken back: {last.operation} of {iso(last.at)}{by}: {last.reason}",
        code="irrevocable",
        hint=f"'satchel undo {short_name(before.key)}' takes back the one before it: {_described(before)}",
    )


def _described(change: ChangeEvents) -> str:
    told = change.summary()
    return (
        f"{told.operation} of {iso(told.at)} by {told.actor}, "
        f"{count(told.memories + told.observations, 'record')} in {', '.join(told.scopes)}"
    )


def _something(planned: Undone) -> Undone:
    """Return a plan that changes something, or raise."""
    if is_empty(planned):
        raise Conflict(
            "nothing of that change is left to take back: its records were changed or forgotten since",
            code="changed_since",
            hint="'satchel undo list' shows the later changes",
        )
    return planned
