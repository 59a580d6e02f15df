"""Store memories that were read from another program's file."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import asdict

from satchel.domain.canonical import Json
from satchel.domain.imports import ImportTerms, MemoryItem, Taken
from satchel.domain.record import Kind, MemoryId, Trust
from satchel.domain.statements.detect import detect
from satchel.errors import InvalidRequest, Refused
from satchel.memories.batches import BatchImport, ImportOptions
from satchel.memories.known_rows import taken_back
from satchel.memories.row_format import ParsedRow
from satchel.ports import MemoryStore

# What an item has in common with a row of an export, by the row's name.
_ROW_NAMES = {"created_at": "createdAt", "updated_at": "updatedAt"}
_NOT_IN_ROWS = frozenset({"key", "place", "details"})


# The beginning of a statement tells its kind.
MAX_JUDGED_CHARS = 300
_STATED_KINDS = frozenset({Kind.PREFERENCE, Kind.DECISION, Kind.TODO})


def stated_kind(text: str) -> Kind:
    """Return the kind of a statement by its words: a preference, a decision or a task, else a fact."""
    found = detect(text[:MAX_JUDGED_CHARS], _STATED_KINDS)
    return Kind.FACT if found is None else found.kind


class ItemWriter:
    """Stores items as rows of an export are stored: validated, inspected, and each of them once."""

    def __init__(self, terms: ImportTerms, options: ImportOptions, memories: MemoryStore, batches: BatchImport) -> None:
        self._terms = terms
        self._options = options
        self._memories = memories
        self._batches = batches

    def take(self, items: Sequence[MemoryItem]) -> Taken:
        """Store a batch."""
        parsed, refused = list[ParsedRow](), list[tuple[int, str]]()
        known = self._known(items)
        for place, item in enumerate(items):
            if self._terms.id_of(item.key) in known:
                continue
            try:
                parsed.append(self._options.parse(self._row(item), item.details))
            except (InvalidRequest, Refused) as error:
                refused.append((place, error.code))
        before = len(self._batches.counts.taken_back)
        new = self._batches.add(parsed)
        recognised = self._batches.counts.taken_back[before:]
        return Taken(
            new=len(new),
            known=len(items) - len(refused) - len(new),
            quarantined=sum(one.trust is Trust.QUARANTINED for one in new),
            refused=tuple(refused),
            scopes=Counter(one.scope for one in new),
            taken_back=(*taken_back(self._memories, [MemoryId(id) for id in known], self._options.now), *recognised),
        )

    def _known(self, items: Sequence[MemoryItem]) -> set[str]:
        """Return the ids that an earlier import brought into the same scope: their rows need not be parsed again."""
        place = self._options.scope or self._options.scope_policy.default_scope
        ids = [self._terms.id_of(item.key) for item in items]
        return {id for id, scope in self._memories.known(ids, []).ids.items() if scope == place}

    def _row(self, item: MemoryItem) -> dict[str, Json]:
        own = {name: value for name, value in asdict(item).items() if name not in _NOT_IN_ROWS and value is not None}
        row = {_ROW_NAMES.get(name, name): list(one) if isinstance(one, tuple) else one for name, one in own.items()}
        row.setdefault("kind", stated_kind(item.text))
        return {
            **row,
            "id": self._terms.id_of(item.key),
            "source_ref": f"{self._terms.source}: {item.place}"[:1_000],
        }
