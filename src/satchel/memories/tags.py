"""Tags: named points in the history of a store, comparison and restore."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Annotated

from msgspec.structs import asdict, replace

from satchel.core.automatic_tags import tag_before
from satchel.core.operations import AllScopes, DryRun, Param, Redact, Scope, operation
from satchel.core.run import OperationRun
from satchel.core.service import Service, page_size
from satchel.domain.automatic_tags import CHANGES_AT_ONCE, check_own_name
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.history import (
    ChangedMemory,
    Compared,
    Difference,
    Differences,
    Point,
    PointDiff,
    Restored,
    Tag,
    Tagged,
    TagList,
    Untagged,
    tag_name,
)
from satchel.domain.receipt import Receipt
from satchel.domain.safety.redact import mask
from satchel.domain.scope import Reach
from satchel.domain.text import check_text, replace_undecodable
from satchel.errors import InvalidRequest, NotFound
from satchel.memories import rollback, tag_diff
from satchel.memories.as_of import point_of
from satchel.memories.bulk_commit import commit_all_but_last
from satchel.ports import Change, Progress

MEMORIES_PER_REPORT = 1_000


_Name = Annotated[str, Param("name of the tag", positional=True)]
_Point = Annotated[str | int, Param("a tag, or a sequence number", positional=True)]


class Tags(Service):
    """Names points in history, compares with them, and restores them by appending changes."""

    @operation(
        "tag create",
        writes=True,
        operator_only=True,
        examples=('satchel tag create release-4 --note "all tests pass"',),
    )
    def create(
        self,
        name: _Name,
        *,
        note: Annotated[str | None, Param("a note; secrets are masked")] = None,
        seq: Annotated[int | None, Param("tag this sequence number instead of the current one")] = None,
    ) -> Ok[Tagged]:
        """Name the current state of the store.

        A tag is a name for a sequence number: it copies nothing and costs nothing. Before a bulk change a tag is made by
        itself, such as auto/import-120; the newest 20 of those are kept.
        """
        with self._run("tag create", writes=True) as run:
            wanted = check_own_name(tag_name(name))
            masked_note = None if note is None else mask(check_text(note, "note"))
            with self._ledger.memories.transaction():
                point = self._point(self._ledger.feed.tip() if seq is None else _number(seq))
                # Validity dates at a past point are judged by the time of that point.
                at = self._clock.now() if seq is None else point.at
                tag = Tag(wanted, point.seq, at, self._parts.actor, masked_note)
                run.asked = {"name": wanted, "note_chars": len(note or "")}
                receipt = run.receipt(seq=tag.seq)
                self._ledger.history.put(tag, receipt)
            return run.committed(Tagged(tag), receipt)

    @operation("tag delete", writes=True, operator_only=True, examples=("satchel tag delete before-refactor",))
    def delete(self, name: _Name) -> Ok[Untagged]:
        """Delete a tag.

        The history stays: 'tag create NAME --seq N' creates the tag again.
        """
        with self._run("tag delete", writes=True) as run:
            with self._ledger.memories.transaction():
                tag = self._known(name)
                run.asked = {"name": tag.name}
                receipt = run.receipt(seq=tag.seq)
                self._ledger.history.remove(tag.name, receipt)
            return run.committed(Untagged(tag), receipt)

    @operation("tag list", operator_only=True, examples=("satchel tag list",))
    def list(self) -> Ok[TagList]:
        """List the tags, newest first."""
        with self._run("tag list") as run:
            tags = tuple(self._ledger.history.tags())
            return run.done(TagList(tags, self._ledger.feed.tip()), tags=len(tags))

    @operation("tag show", operator_only=True, examples=("satchel tag show before-refactor", "satchel tag show 120"))
    def show(self, point: _Point, *, scope: Scope = None, all_scopes: AllScopes = False) -> Ok[Compared]:
        """Count how the memories of a scope differ from a tagged state."""
        with self._run("tag show") as run:
            within, then = self._reach(scope, all_scopes), self._point(point)
            plan = self._plan(then, within)
            tag = None if then.name is None else self._ledger.history.tag(then.name)
            compared = Compared(
                then, within.name, self._ledger.feed.tip(), plan.differences, None if tag is None else tag.note
            )
            run.asked = {"scope": within.name, "seq": then.seq, "tag": then.name}
            return run.done(compared, **asdict(plan.differences))

    @operation(
        "tag diff",
        operator_only=True,
        examples=("satchel tag diff before-refactor", "satchel tag diff 120 before-refactor --all-scopes"),
    )
    def diff(
        self,
        start: Annotated[str | int, Param("a tag, or a sequence number", positional=True)],
        end: Annotated[
            str | int | None, Param("another tag or sequence number; now if omitted", positional=True)
        ] = None,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: Annotated[int, Param("how many memories to list, 1 to 5000")] = 50,
        redact: Redact = True,
    ) -> Ok[PointDiff]:
        """List the memories that were added, changed, retired, revived or forgotten between two points."""
        with self._run("tag diff", redact=redact) as run:
            within, most = self._reach(scope, all_scopes), page_size(limit)
            first, last = self._point(start), self._point(self._ledger.feed.tip() if end is None else end)
            if first.seq > last.seq:
                raise InvalidRequest(
                    f"#{first.seq} comes after #{last.seq}", code="out_of_range", hint="name the earlier point first"
                )
            later = None
            if end is not None:
                later = {one.now.id: one.then for one in self._differences(last, within)}
            counts: Counter[str] = Counter()
            listed: list[ChangedMemory] = []
            for one in tag_diff.compare(self._differences(first, within), later):
                counts[one.what] += 1
                if len(listed) < most:
                    listed.append(one)
            erased = self._ledger.history.erased_since(first.seq, within, last.seq)
            found = PointDiff(first, last, within.name, tag_diff.counted(counts, erased), tuple(listed))
            run.asked = {"scope": within.name, "start": first.seq, "end": last.seq, "limit": limit}
            return run.done(found, **asdict(found.counts))

    @operation(
        "tag restore",
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        long=True,
        examples=("satchel tag restore before-refactor --dry-run", "satchel tag restore 120 --scope repo/api"),
    )
    def restore(
        self,
        point: _Point,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        dry_run: DryRun = False,
        progress: Progress | None = None,
    ) -> Ok[Restored]:
        """Restore every memory of a scope to an earlier state.

        Existing memories become what they were; memories stored since are archived; forgotten ones stay erased. These
        are new changes: the answer names the sequence number that undoes them. Up to 500 are made all or nothing, more
        of them in batches: if it is interrupted, run it again.
        """
        with self._run("tag restore", writes=not dry_run) as run:
            within = self._reach(scope, all_scopes)
            if dry_run:
                return run.done(self._planned(run, self._point(point), within, dry_run=True))
            then = self._point(point)
            restored = self._planned(run, then, within, dry_run=False)
            changes: Iterator[Change] = iter(())
            if _changed(restored) > CHANGES_AT_ONCE:
                restored = replace(restored, tag=tag_before(self._parts, "tag restore"))
                changes = self._changes(then, within, restored, progress)
                commit_all_but_last(
                    self._ledger.memories, changes, _changed(restored), partial(self._batch_receipt, run)
                )
            with self._ledger.memories.transaction():
                if restored.tag is None:
                    restored = self._planned(run, then, within, dry_run=False)
                    if restored.differences != Differences(erased_since=restored.differences.erased_since):
                        restored = replace(restored, tag=tag_before(self._parts, "tag restore"))
                    changes = self._changes(then, within, restored, progress)
                receipt = run.receipt()
                self._ledger.memories.commit(changes, receipt)
                self._ledger.history.restore_edges(then.seq, within)
                restored = replace(restored, seq=self._ledger.feed.tip())
            return run.committed(restored, receipt)

    def _batch_receipt(self, run: OperationRun, size: int) -> Receipt:
        return self._run("tag restore batch", run.asked).receipt(memories=size)

    def _point(self, name: str | int) -> Point:
        return point_of(name, self._ledger, self._clock.now())

    def _known(self, name: str) -> Tag:
        tag = self._ledger.history.tag(tag_name(name))
        if tag is None:
            raise NotFound(f"no tag {replace_undecodable(name)[:80]!r}", hint="'satchel tag list' shows the tags")
        return tag

    def _differences(self, point: Point, within: Reach) -> Iterator[Difference]:
        return self._ledger.history.differences(point.seq, within)

    def _plan(self, point: Point, within: Reach) -> rollback.RestorePlan:
        history = self._ledger.history
        erased, edges = history.erased_since(point.seq, within), history.edges_changed_since(point.seq, within)
        return rollback.plan_restore(self._differences(point, within), erased, edges)

    def _planned(self, run: OperationRun, point: Point, within: Reach, *, dry_run: bool) -> Restored:
        plan, tip = self._plan(point, within), self._ledger.feed.tip()
        run.asked = {"scope": within.name, "seq": point.seq, "tag": point.name, "dry_run": dry_run}
        run.decided = {"before": tip, "counts": asdict(plan.differences), **_by_rule(plan)}
        return Restored(dry_run, point, within.name, tip, tip, plan.differences, plan.examples)

    def _changes(self, point: Point, within: Reach, planned: Restored, progress: Progress | None) -> Iterator[Change]:
        named = f" ({point.name})" if point.name else ""
        total = _changed(planned)
        done = 0
        for one in self._differences(point, within):
            if (step := rollback.restore_step(one)) is not None:
                reason = f"restored to {point.seq}{named}: {step.rule}"
                yield Change(step.memory, one.now, "restore", self._parts.actor, reason)
                done += 1
                if progress is not None and done % MEMORIES_PER_REPORT == 0:
                    progress(done, total, "restoring")


def _changed(planned: Restored) -> int:
    return planned.differences.as_then + planned.differences.created_since


def _by_rule(plan: rollback.RestorePlan) -> dict[str, Json]:
    """Return the first memories that each rule applies to."""
    return {
        rule: [{"id": one.id} for one in plan.examples if one.rule == rule]
        for rule in (rollback.AS_THEN, rollback.CREATED_SINCE)
    }


def _number(seq: int) -> int:
    if type(seq) is not int or seq < 0:
        raise InvalidRequest(f"seq {seq!r} is not a sequence number", code="out_of_range", hint="such as 120")
    return seq
