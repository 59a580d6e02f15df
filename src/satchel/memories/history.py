"""Changes: list what was done to memories and observations, and take it back."""

from collections.abc import Iterator, Sequence
from heapq import merge
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
from satchel.domain.history import Tag
from satchel.domain.moment import iso
from satchel.domain.observation import ObservationId
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId, Trust
from satchel.domain.safety.redact import mask
from satchel.domain.text import replace_undecodable
from satchel.domain.undo import (
    ChangeList,
    LeftAlone,
    PastOperation,
    RecordedEvent,
    StayingRecords,
    TrustBefore,
    Undone,
    UndoneMemory,
    short_name,
)
from satchel.errors import Conflict, NotFound, Refused
from satchel.memories import undo_rules as rules
from satchel.memories.undo_rules import ChangeEvents
from satchel.ports import Ask, Change, Progress, StateChange

EVENTS_PER_PAGE = 500
MAX_LISTED = 20
RECENT_RECEIPTS = 500
MEMORIES_PER_REPORT = 1_000
MIN_NAME_CHARS = 4
QUESTION_CHARS = 80
# Larger than any sequence number, so that no edge follows it.
NO_EVENT = 1 << 53

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
                return run.done(replace(_planned(found, skipped), action="declined"))
            planned = _something(self._plan(found, skipped))
            if dry_run:
                return run.done(planned)
            self._take_back_move(run, found, progress)
            tag = ""
            changes: Iterator[Change] = iter(())
            if planned.memories > CHANGES_AT_ONCE:
                tag = tag_before(self._parts, UNDO, rules.reason_for(found.key))
                changes = self._changes(found, planned.memories, progress)
                self._commit_batches(run, changes, planned.memories)
            with self._ledger.memories.transaction():
                if not tag:
                    planned = _something(replace(self._plan(found, skipped), moved=planned.moved))
                    changes = self._changes(found, planned.memories, progress)
                trusts = self._trusts(found)
                receipt = self._receipt(run, planned, trusts)
                self._ledger.memories.commit(changes, receipt)
                self._take_back_observations(found, trusts, receipt)
                self._ledger.changes.take_back_edges(_last_seq(found), dry_run=False)
            return run.committed(replace(planned, action="undone", receipt=tag or receipt.digest), receipt)

    def _commit_batches(self, run: OperationRun, changes: Iterator[Change], total: int) -> None:
        """Commit all changes but the last batch, which belongs with the edges."""
        for _ in range(0, total - CHANGES_PER_BATCH, CHANGES_PER_BATCH):
            # What a batch changes is read under the write lock, too.
            with self._ledger.memories.transaction():
                batch = list(islice(changes, CHANGES_PER_BATCH))
                receipt = self._run("undo batch", run.asked).receipt(memories=len(batch))
                self._ledger.memories.commit(batch, receipt)

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
            found = list(islice(self._history(scope), page_size(limit) + 1))
            run.asked = {"scope": scope, "limit": limit}
            listed = tuple(one.summary() for one in found[:limit])
            return run.done(ChangeList(listed, len(found) > limit), returned=len(listed))

    # Which change

    def _history(self, scope: str | None) -> Iterator[ChangeEvents]:
        """Yield the changes, newest first, and whether they were taken back."""
        within = None if scope is None else self._reach(scope)
        events = merge(self._events(True), self._events(False), key=lambda one: -one.at)
        tags = self._ledger.history.tags()
        for one in rules.mark_undone(rules.group_changes(events, tags, self._whole_bulk)):
            if within is None or all(within.admits(event.scope) for event in one.events):
                yield one

    def _events(self, of_memories: bool, before: int | None = None) -> Iterator[RecordedEvent]:
        log = self._ledger.changes
        read = log.memory_events if of_memories else log.observation_events
        while page := read(before, EVENTS_PER_PAGE):
            yield from page
            before = page[-1].seq

    def _whole_bulk(self, tag: Tag, newest: RecordedEvent) -> Sequence[RecordedEvent]:
        """Return all events of the bulk change after a tag, the memories' first."""
        found = []
        for of_memories in (True, False):
            start = newest.seq + 1 if newest.is_memory is of_memories else None
            for one in self._events(of_memories, start):
                if one.seq <= tag.seq if of_memories else one.at < tag.at:
                    break
                if rules.bulk_tag(one, [tag]) is not None:
                    found.append(one)
        return found

    def _target(self, name: str | None, scope: str | None) -> tuple[ChangeEvents, tuple[PastOperation, ...]]:
        """Return the change to take back, and what was done since that cannot be."""
        return self._last_change(scope) if name is None else (self._named_change(name, scope), ())

    def _named_change(self, name: str, scope: str | None) -> ChangeEvents:
        for one in self._history(scope):
            if _is_named(one, name):
                unfinished = one.undone and not _is_empty(self._plan(one, ()))
                return _checked(one, unfinished=unfinished)
        raise NotFound(f"no change {replace_undecodable(name)[:80]!r}", hint="'satchel undo list' names the changes")

    def _last_change(self, scope: str | None) -> tuple[ChangeEvents, tuple[PastOperation, ...]]:
        """Return the last change; raise if something was done since that a person may mean, and cannot be taken back."""
        erased = None
        for one in self._history(scope):
            if one.undone or one.target:
                continue
            if one.problem:
                erased = erased or rules.irrevocable(one)
            elif not _is_empty(self._plan(one, ())):
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

    def _plan(self, change: ChangeEvents, skipped: tuple[PastOperation, ...]) -> Undone:
        memories = retired = 0
        left: list[LeftAlone] = []
        examples: list[UndoneMemory] = []
        for id, (first, last) in change.spans().items():
            versions = self._ledger.changes.versions(MemoryId(id), first, last)
            step = rules.undo_step(versions)
            if step is None:
                continue
            if step.memory is None or versions.now is None:
                left.append(LeftAlone(id, step.left))
                continue
            memories += 1
            retired += step.created
            if len(examples) < MAX_LISTED:
                examples.append(UndoneMemory(id, versions.now.state, step.memory.state))
        left += [LeftAlone(one.record_id, "grade_of_observation") for one in change.events if _keeps_grade(one)]
        observations = len(_state_changes(change)) + len(self._trusts(change))
        edges = self._ledger.changes.take_back_edges(_last_seq(change), dry_run=True)
        return replace(
            _planned(change, skipped),
            memories=memories,
            retired=retired,
            observations=observations,
            edges=edges,
            moved=self._ledger.scope_moves.recorded(change.key),
            left=tuple(left[:MAX_LISTED]),
            left_unlisted=max(0, len(left) - MAX_LISTED),
            examples=tuple(examples),
            stays=self._staying(change),
        )

    def _staying(self, change: ChangeEvents) -> tuple[StayingRecords, ...]:
        """Return what an import brought besides memories."""
        if change.oldest.operation != "import":
            return ()
        for one in self._ledger.receipts.recent(RECENT_RECEIPTS, "import"):
            decided = one.body.get("decided")
            if isinstance(decided, dict) and decided.get("tag") == change.key:
                return rules.staying_records(one)
        return ()

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
        self._ledger.observations.change_states(_state_changes(change), receipt, self._parts.actor)
        self._ledger.changes.restore_trusts(trusts, receipt, self._parts.actor, rules.reason_for(change.key))

    def _trusts(self, change: ChangeEvents) -> Sequence[TrustBefore]:
        """Return the trust that observations had before; the receipt of the change says so."""
        changed = [one for one in change.events if not one.is_memory and one.operation in ("confirm", UNDO)]
        changed = [one for one in changed if one.from_state is None]
        found = self._ledger.receipts.find(change.oldest.receipt) if changed else []
        decided = found[0].body.get("decided") if found else None
        was = {**_texts(decided, "confirmed"), **_texts(decided, "trust_before")}
        return [
            TrustBefore(ObservationId(one.record_id), one.seq, Trust(was[one.record_id]))
            for one in changed
            if one.record_id in was
        ]


def _texts(decided: object, name: str) -> dict[str, str]:
    found = decided.get(name) if isinstance(decided, dict) else None
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


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


def _planned(change: ChangeEvents, skipped: tuple[PastOperation, ...]) -> Undone:
    return Undone("planned", change.summary(), None, 0, 0, 0, 0, (), 0, (), skipped)


def _is_empty(planned: Undone) -> bool:
    return not (planned.memories or planned.observations or planned.edges or planned.moved)


def _something(planned: Undone) -> Undone:
    """Return a plan that changes something, or raise."""
    if _is_empty(planned):
        raise Conflict(
            "nothing of that change is left to take back: its records were changed or forgotten since",
            code="changed_since",
            hint="'satchel undo list' shows the later changes",
        )
    return planned


def _last_seq(change: ChangeEvents) -> int:
    """Return the last event of a memory; edges that changed with it follow it."""
    return max((one.seq for one in change.events if one.is_memory), default=NO_EVENT)


def _state_changes(change: ChangeEvents) -> Sequence[StateChange]:
    reason = rules.reason_for(change.key)
    return [
        StateChange(ObservationId(one.record_id), one.to_state, one.from_state, UNDO, reason)
        for one in change.events
        if not one.is_memory and one.from_state is not None and one.to_state is not None
    ]


def _keeps_grade(event: RecordedEvent) -> bool:
    return not event.is_memory and event.operation == "grade"
