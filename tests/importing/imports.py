"""Running imports in tests."""

from pathlib import Path
from typing import Any

from satchel.app import Satchel
from satchel.importing.values import ItemsImported


def import_all(memory: Satchel, path: Path, **options: Any) -> ItemsImported:
    """Import a source, and return what came of it."""
    result = memory.importing.import_(str(path), yes=True, **options).result
    assert isinstance(result, ItemsImported)
    return result


def preview(memory: Satchel, path: Path, **options: Any) -> ItemsImported:
    """Return the preview of an import."""
    result = memory.importing.import_(str(path), **options).result
    assert isinstance(result, ItemsImported)
    return result


def texts(memory: Satchel) -> list[str]:
    """Return the texts of all memories, sorted."""
    return sorted(one.text for one in memory.memories.list(all_scopes=True, limit=1000).result.memories)


def counts(done: ItemsImported) -> dict[str, tuple[int, int, int]]:
    """Return how many records were read, are new and were refused, by type."""
    return {one.record: (one.read, one.new, one.refused) for one in done.records}
