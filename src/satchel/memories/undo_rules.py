"""Decide what one change consists of, whether it can be taken back, and what that does to each memory."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.admit import EDITED
from satchel.domain.automatic_tags import MOVE, UNDO, bulk_events
from satchel.domain.history import Tag
from satchel.domain.imports import ERASED_BY, erase_command
from satchel.domain.record import Memory, State
from satchel.domain.undo import UNDONE, PastChange, PastOperation, RecordedEvent, StayingRecords, Versions
from satchel.domain.view import LIVE_STATES
from satchel.ports import StoredReceipt

_REASON = "undo of "

IRREVOCABLE: Mapping[str, str] = {
    "forget": "a forgotten text is erased for good",
    "quarantine": "the stored bytes were damaged",
}
"""Events that cannot be taken back, and why."""

OTHER_WAYS: Mapping[str, str] = {
    "ingest": "evidence stays; 'satchel forget ID' erases an observation",
    "episodes add": "evidence stays; 'satchel episodes forget' erases it",
    "episodes forget": IRREVOCABLE["forget"],
    "episodes prune": IRREVOCABLE["forget"],
    "docs ingest": "'satchel docs forget' removes a collection",
    "docs add": "'satchel docs forget' removes it",
    "docs forget": "'satchel docs ingest' reads the folder again",
    "conversation add": "evidence stays; 'satchel conversation forget' erases it",
    "conversation decide": "'satchel conversation forget ID' erases the decision",
    "conversation forget": IRREVOCABLE["forget"],
    "fact assert": "'satchel fact invalidate ID --retract' takes a fact back",
    "fact invalidate": "'satchel fact assert' states it again",
    "fact stale": "'satchel fact assert' states it again",
    "graph add": "'satchel graph forget' removes relations",
    "graph extract": "'satchel graph forget' removes what was read",
    "graph forget": "'satchel graph extract' reads it again",
    "scopes delete": IRREVOCABLE["forget"],
    "reflect": "pruned lines of the log do not come back; their observations are kept",
}
"""Operations on other records, which `undo` does not take back, and what does."""

# Hooks and servers run them by themselves, so the last thing a person did is an earlier one.
_UNATTENDED = frozenset({"ingest", "episodes add", "docs ingest", "graph extract", "reflect"})
DELIBERATE = tuple(one for one in OTHER_WAYS if one not in _UNATTENDED)
"""Those of them that a person does, and may expect `undo` to take back."""


class ChangeEvents(Struct, frozen=True):
    """The events of one change, newest first."""

    key: str
    events: tuple[RecordedEvent, ...]
    undone: bool = False

    @property
    def oldest(self) -> RecordedEvent:
        """The first event of the change."""
        return self.events[-1]

    @property
    def target(self) -> str:
        """The key of the change that this one took back; empty if it is not an undo."""
        reason = self.oldest.reason or ""
        return reason.removeprefix(_REASON) if self.oldest.operation == UNDO and reason.startswith(_REASON) else ""

    @property
    def problem(self) -> str:
        """Why it cannot be taken back; empty if it can."""
        if MOVE in bulk_events(self.target):
            return "'satchel scopes rename' or 'scopes merge' moves the scope again"
        return IRREVOCABLE.get(self.oldest.operation, "")

    def spans(self) -> dict[str, tuple[int, int]]:
        """Return the first and the last event of each memory, newest memory first."""
        spans: dict[str, tuple[int, int]] = {}
        for one in self.events:
            if one.is_memory:
                spans[one.record_id] = (one.seq, spans.get(one.record_id, (one.seq, one.seq))[1])
        return spans

    def summary(self) -> PastChange:
        """Return what a person is told about the change."""
        observations = {one.record_id for one in self.events if not one.is_memory}
        first = self.oldest
        return PastChange(
            id=self.key,
            # An edit stores the changed memory and retires the old one.
            operation="edit" if any(one.reason == EDITED for one in self.events) else first.operation,
            at=first.at,
            actor=first.actor,
            memories=len(self.spans()),
            observations=len(observations),
            scopes=tuple(sorted({one.scope for one in self.events})),
            undone=self.undone,
            problem=self.problem,
        )


class UndoStep(Struct, frozen=True):
    """What a memory becomes, or why it is left alone."""

    memory: Memory | None
    left: str = ""
    created: bool = False


def reason_for(key: str) -> str:
    """Return the reason that the events of an undo have: it says which change was taken back."""
    return f"{_REASON}{key}"


def bulk_tag(event: RecordedEvent, tags: Sequence[Tag]) -> Tag | None:
    """Return the automatic tag that was made before the bulk change that an event belongs to. Tags come newest first."""
    for tag in tags:
        after = tag.seq < event.seq if event.is_memory else tag.at <= event.at
        # Only a large undo has a tag of its own, which says what it took back.
        own = event.operation != UNDO or event.reason == tag.note
        if after and own and event.operation in bulk_events(tag.name):
            return tag
    return None


def group_changes(
    events: Iterable[RecordedEvent],
    tags: Sequence[Tag],
    whole_bulk: Callable[[Tag, RecordedEvent], Sequence[RecordedEvent]],
) -> Iterator[ChangeEvents]:
    """Yield the changes that events belong to, newest first: by receipt, or by the tag made before a bulk change.

    The events of a bulk change may have others between them, so `whole_bulk` returns all of them at once.
    """
    run: list[RecordedEvent] = []
    seen: set[str] = set()
    for event in events:
        tag = bulk_tag(event, tags)
        if tag is not None and tag.name in seen:
            continue
        if run and (tag is not None or run[0].receipt != event.receipt):
            yield ChangeEvents(run[0].receipt, tuple(run))
            run = []
        if tag is None:
            run.append(event)
        else:
            seen.add(tag.name)
            yield ChangeEvents(tag.name, tuple(whole_bulk(tag, event)))
    if run:
        yield ChangeEvents(run[0].receipt, tuple(run))


def mark_undone(changes: Iterable[ChangeEvents]) -> Iterator[ChangeEvents]:
    """Mark the changes that were taken back. The undo of an undo leaves the change as it was made."""
    taken_back: Counter[str] = Counter()
    for change in changes:
        undone = taken_back[change.key] > 0
        if undone:
            taken_back[change.key] -= 1
        elif change.target:
            taken_back[change.target] += 1
        yield replace(change, undone=undone)


def undo_step(versions: Versions) -> UndoStep | None:
    """Decide what a memory becomes when a change is taken back; None if there is nothing to do."""
    now = versions.now
    if now is None:
        return UndoStep(None, "forgotten")
    if now != versions.after:
        return UndoStep(None, "changed_since")
    if versions.before is None:
        retired = replace(now, state=State.RETIRED, reason=UNDONE)
        return UndoStep(retired, created=True) if now.state in LIVE_STATES else None
    return None if versions.before == now else UndoStep(versions.before)


def irrevocable(change: ChangeEvents) -> PastOperation:
    """Return what a person is told about a change that cannot be taken back."""
    return PastOperation(change.oldest.operation, change.oldest.at, change.problem, change.oldest.actor)


def done_otherwise(receipt: StoredReceipt) -> PastOperation:
    """Return an operation that `undo` does not take back, and what does."""
    actor = receipt.body.get("actor")
    return PastOperation(receipt.operation, receipt.at, OTHER_WAYS[receipt.operation], str(actor or ""))


def staying_records(receipt: StoredReceipt) -> tuple[StayingRecords, ...]:
    """Return what an import brought besides memories, by its receipt."""
    asked, decided = receipt.body.get("asked"), receipt.body.get("decided")
    new = decided.get("new") if isinstance(decided, dict) else None
    if not isinstance(asked, dict) or not isinstance(new, dict):
        return ()
    source, scope = str(asked.get("source")), asked.get("scope")
    within = f" --scope {scope}" if scope else ""
    return tuple(
        StayingRecords(record, count, f"satchel {erase_command(record, source)}{within}")
        for record, count in new.items()
        if isinstance(count, int) and count and record in ERASED_BY
    )


def done_by_others(receipts: Iterable[StoredReceipt], since: int) -> list[PastOperation]:
    """Return the operations since a moment, newest first, that `undo` does not take back."""
    return [done_otherwise(one) for one in receipts if one.at >= since and one.operation in OTHER_WAYS]
