"""Opens the indexes of a store. Lance is loaded only once it is needed."""

from functools import cache
from pathlib import Path

from satchel.adapters.growing_index import GrowingIndex
from satchel.adapters.lazy_passage_index import LazyPassageIndex
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.config import Settings
from satchel.ports import Index, PassageIndex


def grow_index(ledger: SqliteLedger, folder: Path, settings: Settings) -> Index:
    """Return the index of memories: the ledger itself while the store is small, Lance from then on."""
    return GrowingIndex(
        ledger,
        cache(lambda: open_index(folder, read_only=settings.read_only)),
        (folder / "memories.lance").exists,
        from_memories=settings.recall.index_from,
    )


def open_index(folder: Path, *, read_only: bool = False) -> Index:
    """Load Lance, which takes a third of a second."""
    from satchel.adapters.lance.index import LanceIndex

    return LanceIndex(folder, read_only=read_only)


def open_passage_index(folder: Path, *, read_only: bool = False) -> PassageIndex:
    """Return the index of passages; Lance is loaded only if it is not empty."""

    def opened() -> PassageIndex:
        from satchel.adapters.lance.passages import LancePassageIndex

        return LancePassageIndex(folder, read_only=read_only)

    return LazyPassageIndex(cache(opened), (folder / "passages.lance").exists)
