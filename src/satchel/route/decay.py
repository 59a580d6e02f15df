"""How what was remembered fades: a fixed share a day, down to a fifth."""

PER_DAY = 0.043
LEAST = 0.2
_DAY_MS = 86_400_000


def decay(age_ms: int) -> float:
    """Return what is left of a memory of this age. What is dated ahead has not begun to fade."""
    return max(LEAST, 1.0 - PER_DAY * max(0, age_ms) / _DAY_MS)
