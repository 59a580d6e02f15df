"""Numbers with their nouns, in words for people."""


def count(number: int, noun: str) -> str:
    """Return a number with its noun in singular or plural: "1 memory", "2 memories"."""
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and not noun.endswith("day") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"
