"""How what was remembered fades: a fixed share a day, down to a fifth."""

from satchel.domain.moment import DAY_MS

PER_DAY = 0.043
LEAST = 0.2


def decay(age_ms: int) -> float:
    """Return what is left of a memory of this age. What is dated ahead has not begun to fade."""
    return max(LEAST, 1.0 - PER_DAY * max(0, age_ms) / DAY_MS)
