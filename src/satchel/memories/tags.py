"""Tags: moments of the store that have a name, and the way back to them."""

from collections.abc import Iterator

from msgspec.structs import asdict, replace

from satchel.core.service import Area
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.history import Compared, Difference, Point, Restored, Tag, Tagged, TagList, Untagged, tag_name
from satchel.domain.receipt import Receipt
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import Reach
from satchel.domain.text import checked, readable
from satchel.errors import InvalidRequest, NotFound
from satchel.memories import rollback
from satchel.memories.as_of import Past
from satchel.ports import Change, Progress

MEMORIES_PER_REPORT = 1_000


class Tags(Area):
    """Names moments, says what has changed since, and goes back: by new changes, never by taking old ones away."""

    def create(self, name: str, *, note: str | None = None, seq: int | None = None) -> Ok[Tagged]:
        """Give the present moment a name, or that of a sequence number."""
        self._require_writable()
        started, wanted = self._clock.ticks(), tag_name(name)
        said = None if note is None else redacted(checked(note, "note")).text
        with self._ledger.memories.alone():
            point = self._past.point(self._ledger.feed.tip() if seq is None else _number(seq))
            # A moment of the past is judged by its own time.
            at = self._clock.now() if seq is None else point.at
            tag = Tag(wanted, point.seq, at, self._parts.actor, said)
            facts: dict[str, Json] = {"seq": tag.seq}
            receipt = self._receipt(
                "tag create", started, asked={"name": wanted, "note_chars": len(note or "")}, decided=facts
            )
            self._ledger.history.put(tag, receipt)
        return Ok(Tagged(tag), self._kept(receipt, started))

    def delete(self, name: str) -> Ok[Untagged]:
        """Take a name away. The history it named stays, and can be named again by its number."""
        self._require_writable()
        started = self._clock.ticks()
        with self._ledger.memories.alone():
            tag = self._known(name)
            receipt = self._receipt("tag delete", started, asked={"name": tag.name}, decided={"seq": tag.seq})
            self._ledger.history.remove(tag.name, receipt)
        return Ok(Untagged(tag), self._kept(receipt, started))

    def list(self, *, elsewhere: bool = True) -> Ok[TagList]:
        """List the tags, newest moment first. Without `elsewhere`, notes are left out: they may tell of any scope."""
        started = self._clock.ticks()
        tags = self._ledger.history.tags()
        shown = tuple(tags) if elsewhere else tuple(replace(tag, note=None) for tag in tags)
        receipt = self._receipt("tag list", started, asked={"elsewhere": elsewhere}, decided={"tags": len(tags)})
        return Ok(TagList(shown, self._ledger.feed.tip()), receipt)

    def show(self, point: str | int, *, scope: str | None = None, all_scopes: bool = False) -> Ok[Compared]:
        """Say how the memories of a scope differ from what they were at a tag or sequence number."""
        started, within = self._clock.ticks(), self._reach(scope, all_scopes)
        moment = self._past.point(point)
        planned = self._plan(moment, within)
        tag = None if moment.name is None else self._ledger.history.tag(moment.name)
        compared = Compared(
            moment, within.name, self._ledger.feed.tip(), planned.differences, None if tag is None else tag.note
        )
        asked: dict[str, Json] = {"scope": within.name, "seq": moment.seq, "tag": moment.name}
        return Ok(compared, self._receipt("tag show", started, asked=asked, decided=asdict(planned.differences)))

    def restore(
        self,
        point: str | int,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Ok[Restored]:
        """Bring every memory of a scope back to the state it had at a tag or sequence number, all of them or none.

        What was forgotten since stays erased. Restoring the number that the answer names takes it back.
        """
        started, within = self._clock.ticks(), self._reach(scope, all_scopes)
        if dry_run:
            restored, receipt = self._planned(self._past.point(point), within, started, dry_run=True)
            return Ok(restored, receipt)
        self._require_writable()
        with self._ledger.memories.alone():
            moment = self._past.point(point)
            restored, receipt = self._planned(moment, within, started, dry_run=False)
            self._ledger.memories.commit(self._changes(moment, within, restored, progress), receipt)
            self._ledger.history.restore_edges(moment.seq, within)
            restored = replace(restored, seq=self._ledger.feed.tip())
        return Ok(restored, self._kept(receipt, started))

    # How the operations above get at things

    @property
    def _past(self) -> Past:
        return Past(self._parts)

    def _known(self, name: str) -> Tag:
        tag = self._ledger.history.tag(tag_name(name))
        if tag is None:
            raise NotFound(f"there is no tag {readable(name)[:80]!r}", hint="'satchel tag list' shows what there is")
        return tag

    def _differences(self, point: Point, within: Reach) -> Iterator[Difference]:
        return self._ledger.history.differences(point.seq, within)

    def _plan(self, point: Point, within: Reach) -> rollback.Plan:
        history = self._ledger.history
        erased, edges = history.erased_since(point.seq, within), history.edges_changed_since(point.seq, within)
        return rollback.plan(self._differences(point, within), erased, edges)

    def _planned(self, point: Point, within: Reach, started: float, *, dry_run: bool) -> tuple[Restored, Receipt]:
        plan, tip = self._plan(point, within), self._ledger.feed.tip()
        restored = Restored(dry_run, point, within.name, tip, tip, plan.differences, plan.examples)
        return restored, self._receipt(
            "tag restore",
            started,
            asked={"scope": within.name, "seq": point.seq, "tag": point.name, "dry_run": dry_run},
            decided={"before": tip, "counts": asdict(plan.differences), **_by_rule(plan)},
        )

    def _changes(self, point: Point, within: Reach, planned: Restored, progress: Progress | None) -> Iterator[Change]:
        named = f" ({point.name})" if point.name else ""
        total = planned.differences.as_then + planned.differences.created_since
        done = 0
        for one in self._differences(point, within):
            if (step := rollback.step(one)) is not None:
                reason = f"restored to {point.seq}{named}: {step.rule}"
                yield Change(step.memory, one.now, "restore", self._parts.actor, reason)
                done += 1
                if progress is not None and done % MEMORIES_PER_REPORT == 0:
                    progress(done, total, "restoring")


def _by_rule(plan: rollback.Plan) -> dict[str, Json]:
    """Return the first memories that each rule decides over."""
    return {
        rule: [{"id": one.id} for one in plan.examples if one.rule == rule]
        for rule in (rollback.AS_THEN, rollback.CREATED_SINCE)
    }


def _number(seq: int) -> int:
    if type(seq) is not int or seq < 0:
        raise InvalidRequest(f"seq {seq!r} is no sequence number", code="out_of_range", hint="such as 120")
    return seq
