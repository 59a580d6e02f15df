"""Plan what taking back a change does to each record."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.core.service import Service
from satchel.domain.automatic_tags import UNDO
from satchel.domain.observation import ObservationId
from satchel.domain.record import MemoryId, Trust
from satchel.domain.undo import (
    LeftAlone,
    PastOperation,
    RecordedEvent,
    StayingRecords,
    TrustBefore,
    Undone,
    UndoneMemory,
)
from satchel.memories import undo_rules as rules
from satchel.memories.undo_rules import ChangeEvents
from satchel.ports import StateChange

MAX_LISTED = 20
RECENT_IMPORTS = 500
# Larger than any sequence number, so that no edge follows it.
NO_EVENT = 1 << 53


class UndoPlans(Service):
    """Makes plans; writes nothing."""

    def plan(self, change: ChangeEvents, skipped: tuple[PastOperation, ...]) -> Undone:
        """Return what taking back a change would do now."""
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
        observations = len(state_changes(change)) + len(self.trusts(change))
        edges = self._ledger.changes.take_back_edges(last_seq(change), dry_run=True)
        return replace(
            empty_plan(change, skipped),
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
        for one in self._ledger.receipts.recent(RECENT_IMPORTS, "import"):
            decided = one.body.get("decided")
            if isinstance(decided, dict) and decided.get("tag") == change.key:
                return rules.staying_records(one)
        return ()

    def trusts(self, change: ChangeEvents) -> Sequence[TrustBefore]:
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


def empty_plan(change: ChangeEvents, skipped: tuple[PastOperation, ...]) -> Undone:
    """Return the plan of a change before its records are examined."""
    return Undone("planned", change.summary(), None, 0, 0, 0, 0, (), 0, (), skipped)


def is_empty(planned: Undone) -> bool:
    """Return whether a plan changes nothing."""
    return not (planned.memories or planned.observations or planned.edges or planned.moved)


def last_seq(change: ChangeEvents) -> int:
    """Return the last event of a memory; edges that changed with it follow it."""
    return max((one.seq for one in change.events if one.is_memory), default=NO_EVENT)


def state_changes(change: ChangeEvents) -> Sequence[StateChange]:
    """Return the states that observations get back."""
    reason = rules.reason_for(change.key)
    return [
        StateChange(ObservationId(one.record_id), one.to_state, one.from_state, UNDO, reason)
        for one in change.events
        if not one.is_memory and one.from_state is not None and one.to_state is not None
    ]


def _keeps_grade(event: RecordedEvent) -> bool:
    return not event.is_memory and event.operation == "grade"


def _texts(decided: object, name: str) -> dict[str, str]:
    found = decided.get(name) if isinstance(decided, dict) else None
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}
