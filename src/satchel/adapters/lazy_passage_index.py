"""An index of passages that is loaded only when it is needed: most stores have no passages."""

from collections.abc import Callable, Iterator

from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import PassageId, PassageView
from satchel.ports import CatchUp, IndexStatus, PassageFeed, PassageIndex, Progress


class LazyPassageIndex:
    """Implements ports.PassageIndex over another index, which is not opened while it would be empty."""

    def __init__(self, open: Callable[[], PassageIndex], exists: Callable[[], bool]) -> None:
        """`open` opens the index; `exists` checks the disk for it without loading anything."""
        self._open = open
        self._exists = exists

    def catch_up(
        self, feed: PassageFeed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        if not feed.tip() and not self._exists():
            return CatchUp()
        return self._open().catch_up(feed, space, seconds=seconds, progress=progress)

    def nearest(self, vector: Vector, view: PassageView, limit: int) -> list[PassageId]:
        return self._open().nearest(vector, view, limit) if self._exists() else []

    def optimize(self) -> None:
        if self._exists():
            self._open().optimize()

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        if self._exists():
            self._open().drop(only=only, seconds=seconds)

    def status(self) -> IndexStatus:
        return self._open().status() if self._exists() else IndexStatus(exists=False)

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        return self._open().fingerprints() if self._exists() else iter(())
