"""Opens the indexes of a store. Lance is loaded only once it is needed."""

from functools import cache
from pathlib import Path

from satchel.adapters import extras
from satchel.adapters.growing_index import GrowingIndex, GrowingPassageIndex
from satchel.adapters.lance.folder import DatasetFolder
from satchel.adapters.sql.sql_ledger import SqlLedger
from satchel.config import Settings
from satchel.ports import ForeignTable, Index, Ledger, PassageIndex


def grow_index(ledger: SqlLedger, folder: Path, settings: Settings) -> Index:
    """Return the index of memories: the ledger itself while the store is small, Lance from then on."""
    return GrowingIndex(
        ledger,
        cache(lambda: open_index(ledger, folder, settings)),
        DatasetFolder(folder, "memories", read_only=settings.read_only),
        from_memories=settings.recall.index_from,
        missing=extras.missing(extras.INDEX),
    )


def open_index(ledger: SqlLedger, folder: Path, settings: Settings) -> Index:
    """Load Lance, which takes a third of a second."""
    from satchel.adapters.lance.index import LanceIndex

    # Who keeps the table from the first memory on wants to open it with LanceDB.
    for_lancedb = settings.recall.index_from == 0
    return LanceIndex(folder, ledger.memories, read_only=settings.read_only, for_lancedb=for_lancedb)


def grow_passage_index(ledger: Ledger, folder: Path, index_from: int, *, read_only: bool = False) -> PassageIndex:
    """Return the index of passages: the ledger itself while there are few, Lance from then on."""

    def opened() -> PassageIndex:
        from satchel.adapters.lance.passages import LancePassageIndex

        return LancePassageIndex(folder, read_only=read_only)

    return GrowingPassageIndex(
        ledger,
        cache(opened),
        DatasetFolder(folder, "passages", read_only=read_only),
        from_parts=index_from,
        missing=extras.missing(extras.INDEX),
    )


def open_foreign_table(folder: str, name: str, store: Path) -> ForeignTable:
    """Open a LanceDB table of another program, which must not be in the folder of the store."""
    extras.require(extras.TABLES)
    from satchel.adapters.lance import foreign_table

    return foreign_table.open_foreign_table(folder, name, store)
