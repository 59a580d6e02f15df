"""Import a changed file again: a line that took the place of another replaces its memory, and lines that are gone are named."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set

from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.file_lines import FileLine, match_lines
from satchel.domain.imports import FileChanges, ImportTerms, LineChange, MemoryItem, import_id
from satchel.domain.listing import ListFilter
from satchel.domain.record import Memory, MemoryId, State, Trust
from satchel.domain.scope import Reach
from satchel.domain.trust import outranks
from satchel.domain.view import LIVE_STATES, View, admin_view
from satchel.memories.known_rows import id_elsewhere
from satchel.memories.listing import read_page
from satchel.ports import Change

CHANGED = "its line of the file was changed"
GONE = "its line of the file is gone"
# A file with more memories than this is not compared.
MAX_LINES = 5_000


class ItemRevision(Service):
    """Implements domain.imports.FileRevision. Nothing more trusted than the import itself is retired."""

    def __init__(self, parts: Parts, terms: ImportTerms) -> None:
        super().__init__(parts)
        self._terms = terms
        self._scope = terms.scope or self._policies.scope.default_scope

    def plan(self, items: Sequence[MemoryItem], *, prune: bool) -> FileChanges:
        """Return what has changed since the same file was imported into the same scope."""
        lines = self._by_id(items)
        known = self._ledger.memories.known([*lines], []).ids
        returned = self._returned(lines)
        # A line whose memory was forgotten, or retired by a person, does not come in again and replaces nothing.
        arriving = {id for id in lines if id not in known} | {*returned}
        files = defaultdict[str, dict[MemoryId, MemoryItem]](dict)
        for id, item in lines.items():
            files[item.place.rpartition(":")[0]][id] = item
        changes = [one for path, own in files.items() for one in self._changes(path, own, arriving)]
        replaced = tuple(one for one in changes if one.new is not None)
        return FileChanges(replaced, tuple(one for one in changes if one.new is None), returned, prune)

    def apply(self, planned: FileChanges) -> FileChanges:
        """Retire the replaced memories, and with `pruned` those of lines that are gone."""
        ids = [one for change in planned.replaced for one in (change.old, change.new or "")]
        ids += [*planned.returned, *(change.old for change in planned.gone)]
        with self._ledger.memories.transaction():
            found = self._ledger.memories.fetch([MemoryId(id) for id in ids], self._view())
            back = {id: _live_again(found[MemoryId(id)]) for id in planned.returned if id in found}
            now = {str(id): back.get(str(id), one) for id, one in found.items()}
            replaced = tuple(change for change in planned.replaced if _may_replace(change, now))
            pruned = [change for change in planned.gone if planned.pruned and change.old in now]
            retired = {change.old: self._retire(now[change.old], change.new) for change in (*replaced, *pruned)}
            after = {**back, **retired}
            if after:
                self._commit([(found[MemoryId(id)], one) for id, one in after.items()])
        return replace(planned, replaced=replaced)

    def _commit(self, changes: Sequence[tuple[Memory, Memory]]) -> None:
        self._terms.before_write()
        asked = {"source": self._terms.source, "scope": self._scope}
        receipt = self._run("import changes", asked).receipt(memories=len(changes))
        actor = self._parts.actor
        # Called an import, so that an undo of the import takes it back as well.
        events = [Change(after, before, "import", actor, after.reason) for before, after in changes]
        self._ledger.memories.commit(events, receipt)

    def _retire(self, memory: Memory, by: str | None) -> Memory:
        return replace(
            memory,
            state=State.RETIRED,
            replaced_by=None if by is None else MemoryId(by),
            reason=GONE if by is None else CHANGED,
            updated_at=self._clock.now(),
        )

    def _changes(
        self, path: str, lines: Mapping[MemoryId, MemoryItem], arriving: Set[MemoryId]
    ) -> Iterator[LineChange]:
        own = [one for one in self._stored(path) if one.id in lines or self._is_from_file(one)]
        live = {one.id for one in own}
        before = [FileLine(one.id, one.text, one.title or "") for one in own]
        now = [FileLine(id, one.text, one.title or "") for id, one in lines.items() if id in live or id in arriving]
        pairs = match_lines(before, now)
        for one in own:
            # What is trusted more than the import stays as it is.
            if one.id not in lines and not outranks(one.trust, self._authority):
                new = pairs.get(one.id)
                yield LineChange(one.id, one.text, new, "" if new is None else lines[MemoryId(new)].text)

    def _stored(self, path: str) -> list[Memory]:
        """Return the live memories of a file, in the order of their lines."""
        prefix = f"{self._terms.source}: {path}:"
        view = replace(self._view(), states=LIVE_STATES)
        page = read_page(self._ledger.memories, view, ListFilter(source=prefix), MAX_LINES, None)
        found = [one for one in page.memories if (one.source_ref or "").startswith(prefix)]
        return [] if page.next else sorted(found, key=lambda one: (_line(one, prefix), one.id))

    def _is_from_file(self, memory: Memory) -> bool:
        """Return whether a memory came from this very file: others may have its name."""
        first = next(iter(self._ledger.memories.history(memory.id)), None)
        receipts = [] if first is None else self._ledger.receipts.find(first.receipt or "")
        asked = receipts[0].body.get("asked") if receipts else None
        return isinstance(asked, dict) and bool(self._terms.file) and asked.get("file") == self._terms.file

    def _by_id(self, items: Sequence[MemoryItem]) -> dict[MemoryId, MemoryItem]:
        """Return the items by the ids that their memories have, or would get, in the scope."""
        own = [MemoryId(import_id(self._terms.source, item.key)) for item in items]
        holders = self._ledger.memories.known(own, []).ids
        ids = [id if holders.get(id, self._scope) == self._scope else id_elsewhere(id, self._scope) for id in own]
        return dict(zip(ids, items, strict=True))

    def _returned(self, lines: Mapping[MemoryId, MemoryItem]) -> tuple[MemoryId, ...]:
        """Return the memories of lines that an earlier version of the file had, and the one before this had not."""
        view = replace(self._view(), states=(State.RETIRED,))
        found = self._ledger.memories.fetch([*lines], view)
        return tuple(id for id, one in found.items() if one.reason in (CHANGED, GONE))

    def _view(self) -> View:
        return admin_view(Reach((self._scope,)), self._clock.now())

    @property
    def _authority(self) -> Trust:
        return Trust.TRUSTED if self._terms.trusted else Trust.UNTRUSTED


def _line(memory: Memory, prefix: str) -> int:
    number = (memory.source_ref or "").removeprefix(prefix)
    return int(number) if number.isascii() and number.isdigit() else 0


def _live_again(memory: Memory) -> Memory:
    return replace(memory, state=State.ACTIVE, replaced_by=None, reason=None)


def _may_replace(change: LineChange, now: dict[str, Memory]) -> bool:
    """Return whether the new line came in, and is trusted no less than the memory that it replaces."""
    old, new = now.get(change.old), now.get(change.new or "")
    if old is None or new is None or new.state not in LIVE_STATES:
        return False
    return old.state in LIVE_STATES and not outranks(old.trust, new.trust)
