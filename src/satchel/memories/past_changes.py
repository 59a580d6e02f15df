"""The changes of memories and observations, read from their events."""

from collections.abc import Iterator, Sequence
from heapq import merge

from satchel.core.service import Service
from satchel.domain.history import Tag
from satchel.domain.undo import RecordedEvent
from satchel.memories import undo_rules as rules
from satchel.memories.undo_rules import ChangeEvents

EVENTS_PER_PAGE = 500


class PastChanges(Service):
    """Reads changes."""

    def newest_first(self, scope: str | None) -> Iterator[ChangeEvents]:
        """Yield the changes, with whether they were taken back; with a scope, those within it only."""
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
