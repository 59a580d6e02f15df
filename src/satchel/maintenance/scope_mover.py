"""Moves all records of scopes to another one, in batches that each leave the store sound."""

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from satchel.core.automatic_tags import tag_before
from satchel.core.service import Service
from satchel.domain.automatic_tags import MOVE
from satchel.domain.record import WORKING_SET, Memory, State
from satchel.domain.scope import Reach
from satchel.domain.scopes import MovedRecords, ScopeContents, ScopesMoved
from satchel.domain.similarity import same_text
from satchel.domain.trust import outranks
from satchel.domain.view import LIVE_STATES, View, admin_view
from satchel.errors import Conflict
from satchel.ports import Change, Progress

RECORDS_PER_BATCH = 200
# How many nearly equal memories of the target are compared.
MAX_ALIKE = 20
SAME_TEXT = "the scope that it moved to says the same"


class ScopeMover(Service):
    """Moves the memories of scopes by changes with a history, and has the ledger move everything else."""

    def check(self, sources: Sequence[str], target: str) -> None:
        """Refuse what cannot be merged."""
        for source in sources:
            if shared := self._ledger.scope_moves.collections_with_other_roots(source, target):
                raise Conflict(
                    f"{source} and {target} both have a collection {shared[0]!r}, of different folders",
                    code="collection_taken",
                    hint=f"satchel docs forget {shared[0]} --scope {source}",
                )

    def plan(self, found: Sequence[ScopeContents], target: str) -> ScopesMoved:
        """Return what a move would do."""
        records: Counter[str] = Counter()
        for one in found:
            records.update(one.records)
        names = tuple(one.scope for one in found)
        retired = sum(
            self._twin(memory, target) is not None
            for source in names
            for memory in self._ledger.memories.walk(self._view(source))
        )
        return ScopesMoved("planned", names, target, records, retired, {}, (), {}, self._still_named(names))

    def move(
        self, operation: str, found: Sequence[ScopeContents], target: str, progress: Progress | None
    ) -> ScopesMoved:
        """Move everything. If it is interrupted, a second move takes the rest."""
        tag, sources = tag_before(self._parts, operation), tuple(one.scope for one in found)
        records: Counter[str] = Counter()
        dropped: Counter[str] = Counter()
        renamed: list[str] = []
        retired, done, total = 0, 0, sum(sum(one.records.values()) for one in found)
        for source in sources:
            number = self._begin(operation, source, target, tag)
            for moved, twins in self._move_memories(operation, source, target):
                records["memories"] += moved
                retired, done = retired + twins, done + moved
                _report(progress, done, total)
            while (batch := self._move_batch(operation, number, source, target)).count:
                records.update({kind: count for kind, count in batch.moved.items() if kind})
                dropped.update(batch.dropped)
                renamed += batch.renamed
                done += batch.count
                _report(progress, done, total)
            finishing = self._run(f"{operation} end", {"scope": source, "target": target}).receipt(number=number)
            self._ledger.scope_moves.finish(number, finishing)
        return ScopesMoved(
            "moved",
            sources,
            target,
            {kind: count for kind, count in records.items() if count},
            retired,
            dropped,
            tuple(renamed),
            self._left(sources),
            self._still_named(sources),
            tag,
        )

    def _begin(self, operation: str, source: str, target: str, tag: str) -> int:
        receipt = self._run(f"{operation} begin", {"scope": source, "target": target}).receipt(tag=tag)
        return self._ledger.scope_moves.begin(source, target, tag, receipt)

    def _move_batch(self, operation: str, number: int, source: str, target: str) -> MovedRecords:
        receipt = self._run(f"{operation} batch", {"scope": source, "target": target}).receipt(number=number)
        return self._ledger.scope_moves.move_batch(number, RECORDS_PER_BATCH, self._parts.actor, receipt)

    def _move_memories(self, operation: str, source: str, target: str) -> Iterator[tuple[int, int]]:
        """Yield for each batch how many memories moved, and how many of them were retired."""
        memories, view = self._ledger.memories, self._view(source)
        while True:
            with memories.transaction():
                page = [one for one in memories.page(view, RECORDS_PER_BATCH) if not one.id.startswith(WORKING_SET)]
                if not page:
                    return
                changes = [self._change(one, target) for one in page]
                retired = sum(one.memory.reason == SAME_TEXT for one in changes)
                asked = {"scope": source, "target": target}
                receipt = self._run(f"{operation} batch", asked).receipt(memories=len(page), retired=retired)
                memories.commit(changes, receipt)
            yield len(page), retired

    def _change(self, memory: Memory, target: str) -> Change:
        moved, twin = replace(memory, scope=target), self._twin(memory, target)
        if twin is not None:
            moved = replace(moved, state=State.RETIRED, replaced_by=twin.id, reason=SAME_TEXT)
        return Change(moved, memory, MOVE, self._parts.actor, f"from scope {memory.scope}")

    def _twin(self, memory: Memory, target: str) -> Memory | None:
        """Return the live memory of the target that says the same at the same time, trusted at least as much."""
        if memory.state not in LIVE_STATES:
            return None
        view = replace(self._view(target), states=LIVE_STATES)
        for one in self._ledger.memories.near_duplicates(memory.text, view, MAX_ALIKE):
            same_time = (one.valid_from, one.valid_to) == (memory.valid_from, memory.valid_to)
            if same_time and same_text(one.text, memory.text) and not outranks(memory.trust, one.trust):
                return one
        return None

    def _view(self, scope: str) -> View:
        return admin_view(Reach((scope,)), self._clock.now())

    def _left(self, sources: Sequence[str]) -> dict[str, int]:
        left: Counter[str] = Counter()
        for one in self._ledger.scopes.contents():
            if one.scope in sources:
                left.update(one.records)
        return dict(left)

    def _still_named(self, sources: Sequence[str]) -> tuple[str, ...]:
        policy = self._policies.scope
        settings = {
            "scope_policy.default_scope": (policy.default_scope,),
            "scope_policy.fallback_scopes": policy.fallback_scopes,
        }
        named = [f"setting {name}" for name, values in settings.items() if {*values} & {*sources}]
        tokens = [f"token {one.name}" for one in self._parts.tokens() if {*one.scopes} & {*sources}]
        return (*named, *tokens)


def _report(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, max(done, total), "moving")
