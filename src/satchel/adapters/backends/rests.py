"""Which steps failed lately. Kept in memory: the file of backends is its installer's."""

import threading

FIRST_SECONDS = 60.0
LONGEST_SECONDS = 300.0


class StepRests:
    """Implements ports.backend.Rests: a minute after the first failure, twice as long after each further one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[str, tuple[float, float]] = {}

    def failed(self, step: str, at: float) -> None:
        with self._lock:
            _, before = self._until.get(step, (0.0, FIRST_SECONDS / 2))
            seconds = min(LONGEST_SECONDS, before * 2)
            self._until[step] = (at + seconds, seconds)

    def served(self, step: str) -> None:
        with self._lock:
            self._until.pop(step, None)

    def resting(self, at: float) -> frozenset[str]:
        with self._lock:
            return frozenset(step for step, (until, _) in self._until.items() if at < until)
