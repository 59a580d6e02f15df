"""Which rows of an import are new, by id and by text, and the id that each of them gets."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from uuid import UUID, uuid5

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.canonical import digest
from satchel.domain.imports import Dedupe
from satchel.domain.record import Memory, MemoryId, State
from satchel.domain.scope import EVERYWHERE
from satchel.domain.text import normalize_text
from satchel.domain.undo import UNDONE
from satchel.domain.view import LIVE_STATES, admin_view
from satchel.memories.row_format import ParsedRow
from satchel.ports import MemoryStore, TextKey

# Namespace of the id of a memory whose own id is taken in another scope: deterministic, so a second import finds it.
_NAMESPACE = UUID("5f0c8f6e-7d3a-5b1e-9c55-2a1d0e6b7c44")


class SeenRows(Struct):
    """Rows seen in this file that are not in the store yet."""

    ids: dict[MemoryId, str] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)


def taken_back(memories: MemoryStore, ids: Sequence[MemoryId], now: int) -> tuple[MemoryId, ...]:
    """Return those of some memories whose storing was taken back."""
    found = memories.fetch(ids, replace(admin_view(EVERYWHERE, now), states=(State.RETIRED,)))
    return tuple(id for id, one in found.items() if one.reason == UNDONE)


class RowMatcher:
    """Recognises rows that the store has, or that came before in the same file."""

    def __init__(self, memories: MemoryStore, dedupe: str, new_id: Callable[[], str]) -> None:
        self._memories = memories
        self._dedupe = dedupe
        self._new_id = new_id
        self.seen = SeenRows()
        self.known_ids: list[MemoryId] = []
        """The ids of the last batch that were recognised."""

    def new_rows(self, batch: Sequence[ParsedRow]) -> tuple[list[ParsedRow], Counter[str]]:
        """Return the new rows of a batch with their ids, and how many others were recognised by id and by text.

        Nobody else may write before the new rows are stored.
        """
        texts = [_text_key(one.memory) for one in batch] if self._dedupe == Dedupe.ID_TEXT else []
        known = self._memories.known([one.wanted for one in batch if one.wanted is not None], texts)
        taken = {**known.ids, **self._memories.known(self._renamed(batch, known.ids), []).ids}
        new, recognised = list[ParsedRow](), Counter[str]()
        self.known_ids = []
        for place, row in enumerate(batch):
            id, is_known = self._id_of(row, taken)
            if is_known:
                recognised["id"] += 1
                self.known_ids.append(id)
            elif texts and (texts[place] in known.text_keys or not self._is_new_text(texts[place])):
                recognised["text"] += 1
            else:
                self.seen.ids[id] = row.memory.scope
                new.append(row if id == row.wanted else replace(row, memory=replace(row.memory, id=id)))
        return new, recognised

    def _is_new_text(self, key: TextKey) -> bool:
        """Return whether a text was not in the file before, and note that it is now."""
        # A digest, so that the texts of a long file need not be kept.
        text = digest(f"{key.scope}\n{key.live}\n{key.text}")
        is_new = text not in self.seen.texts
        self.seen.texts.add(text)
        return is_new

    def _renamed(self, batch: Sequence[ParsedRow], taken: Mapping[MemoryId, str]) -> list[MemoryId]:
        """Return the ids that rows would get whose own one may be taken in another scope."""
        times = Counter(one.wanted for one in batch)
        return [
            id_elsewhere(one.wanted, one.memory.scope)
            for one in batch
            if one.wanted is not None and (one.wanted in taken or times[one.wanted] > 1 or one.wanted in self.seen.ids)
        ]

    def _id_of(self, row: ParsedRow, taken: Mapping[MemoryId, str]) -> tuple[MemoryId, bool]:
        """Return the id for a row, and whether the row with this id is already present or was forgotten."""
        own, scope = row.wanted, row.memory.scope
        if own is None:
            return MemoryId(self._new_id()), False
        holder = taken.get(own) or self.seen.ids.get(own)
        if holder is None:
            return own, False
        if self._dedupe == Dedupe.NONE:
            return MemoryId(self._new_id()), False
        if holder == scope:
            return own, True
        # Taken in another scope: nothing there is touched, and nothing about it is revealed.
        other = id_elsewhere(own, scope)
        return other, other in taken or other in self.seen.ids


def id_elsewhere(id: MemoryId, scope: str) -> MemoryId:
    """Return the id of a row whose own one is taken in another scope, the same at every import."""
    return MemoryId(str(uuid5(_NAMESPACE, f"{scope}\n{id}")))


def _text_key(memory: Memory) -> TextKey:
    """Return the text key of a memory. A retired memory does not count as a duplicate of a live one."""
    return TextKey(memory.scope, memory.state in LIVE_STATES, normalize_text(memory.text))
