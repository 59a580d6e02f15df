"""The system clock."""

import time


class SystemClock:
    """Implements ports.Clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def ticks(self) -> float:
        return time.monotonic()
