"""Parts of a text around some places, so that a change there need not be looked for in the whole text."""

from collections.abc import Iterable

# No rule looks farther from a secret than this, but for the rest of a line.
REACH = 1_000


def around(text: str, places: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the whole lines around some places, which are in order; the whole text if that is most of it."""
    parts: list[tuple[int, int]] = []
    for first, last in places:
        if parts and last + REACH <= parts[-1][1]:
            continue
        start = text.rfind("\n", 0, max(0, first - REACH)) + 1
        end = text.find("\n", last + REACH)
        end = len(text) if end < 0 else end
        if parts and start <= parts[-1][1]:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    size = sum(end - start for start, end in parts)
    return [(0, len(text))] if 2 * size > len(text) else parts
