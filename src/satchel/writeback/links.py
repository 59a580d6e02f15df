"""Which row of a foreign table belongs to which memory."""

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct

from satchel.domain.imports import import_id
from satchel.domain.record import Memory, SourceKind

SOURCE = "memory-lancedb"
"""What an import of such a table is called."""


class RowLinks(Struct, frozen=True):
    """The rows of a table, by the id of the memory that each belongs to."""

    rows: Mapping[str, str]
    ambiguous: frozenset[str]
    """Ids that several rows have."""

    def row_of(self, memory: Memory) -> str | None:
        """Return the id of a memory's row; None if the table has none."""
        return self.rows.get(memory.id)


def link_rows(ids: Iterable[str]) -> RowLinks:
    """Link rows to memories: by the same id, or by the id that an import of the table gave."""
    counts = Counter(ids)
    linked = {import_id(SOURCE, one): one for one in counts}
    return RowLinks(linked | {one: one for one in counts}, frozenset(one for one, rows in counts.items() if rows > 1))


def came_from_table(memory: Memory) -> bool:
    """Return whether a memory was imported from such a table."""
    return memory.source_kind is SourceKind.IMPORT and (memory.source_ref or "").startswith(f"{SOURCE}:")
