"""An index of passages that is loaded when there is one, or something to put into it: most stores hold no passages."""

from collections.abc import Callable, Iterator

from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import PassageId, Sight
from satchel.ports import CatchUp, IndexStatus, PassageFeed, PassageIndex, Progress


class UnopenedPassages:
    """Implements ports.PassageIndex over another one, which is not asked for as long as it would be empty."""

    def __init__(self, opened: Callable[[], PassageIndex], is_there: Callable[[], bool]) -> None:
        """Take the index, and whether there is one on disk, which must load nothing."""
        self._opened = opened
        self._is_there = is_there

    def catch_up(
        self, feed: PassageFeed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        if not feed.tip() and not self._is_there():
            return CatchUp()
        return self._opened().catch_up(feed, space, seconds=seconds, progress=progress)

    def nearest(self, vector: Vector, sight: Sight, limit: int) -> list[PassageId]:
        return self._opened().nearest(vector, sight, limit) if self._is_there() else []

    def optimize(self) -> None:
        if self._is_there():
            self._opened().optimize()

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        if self._is_there():
            self._opened().drop(only=only, seconds=seconds)

    def status(self) -> IndexStatus:
        return self._opened().status() if self._is_there() else IndexStatus(exists=False)

    def fingerprints(self) -> Iterator[tuple[str, str]]:
        return self._opened().fingerprints() if self._is_there() else iter(())
