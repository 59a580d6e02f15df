"""Opens the indexes of a store. Lance is loaded only once it is needed."""

from functools import cache
from pathlib import Path

from satchel.adapters import extras
from satchel.adapters.growing_index import GrowingIndex, GrowingPassageIndex
from satchel.adapters.lance.bucket import DatasetInBucket, FilesAndBucket, dataset_files
from satchel.adapters.lance.folder import DatasetFolder
from satchel.adapters.sql.sql_ledger import SqlLedger
from satchel.config import Settings
from satchel.ports import Files, ForeignTable, Index, Ledger, PassageIndex


def grow_index(ledger: SqlLedger, folder: Path, settings: Settings) -> Index:
    """Return the index of memories: the ledger itself while the store is small, Lance from then on."""
    return GrowingIndex(
        ledger,
        cache(lambda: open_index(ledger, folder, settings)),
        index_files(folder, "memories", settings),
        from_memories=settings.recall.index_from,
        missing=extras.missing(extras.INDEX),
    )


def open_index(ledger: SqlLedger, folder: Path, settings: Settings) -> Index:
    """Load Lance, which takes a third of a second."""
    from satchel.adapters.lance.index import LanceIndex

    # Who keeps the table from the first memory on wants to open it with LanceDB.
    for_lancedb = settings.recall.index_from == 0
    return LanceIndex(
        folder, ledger.memories, read_only=settings.read_only, for_lancedb=for_lancedb, bucket=settings.index
    )


def grow_passage_index(ledger: Ledger, folder: Path, settings: Settings) -> PassageIndex:
    """Return the index of passages: the ledger itself while there are few, Lance from then on."""

    def opened() -> PassageIndex:
        from satchel.adapters.lance.passages import LancePassageIndex

        return LancePassageIndex(folder, read_only=settings.read_only, bucket=settings.index)

    return GrowingPassageIndex(
        ledger,
        cache(opened),
        index_files(folder, "passages", settings),
        from_parts=settings.recall.index_from,
        missing=extras.missing(extras.INDEX),
    )


def index_files(folder: Path, name: str, settings: Settings) -> DatasetFolder:
    """Return the files of an index, in the store's folder or in a bucket."""
    return dataset_files(folder, name, settings.index, read_only=settings.read_only)


def files_with_bucket(files: Files, folder: Path, settings: Settings) -> Files:
    """Return the files of a store, and the objects of its indexes if they are in a bucket."""
    if not settings.index or settings.address:
        return files
    names = ("memories", "passages")
    return FilesAndBucket(files, [DatasetInBucket(folder, name, settings.index) for name in names])


def open_foreign_table(folder: str, name: str, store: Path) -> ForeignTable:
    """Open a LanceDB table of another program, which must not be in the folder of the store."""
    extras.require(extras.TABLES)
    from satchel.adapters.lance import foreign_table

    return foreign_table.open_foreign_table(folder, name, store)
