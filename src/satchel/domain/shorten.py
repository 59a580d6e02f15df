"""Shortening: a text that is too long ends where a sentence or a word ends, and shows that it was cut."""

import re

MARK = "…"
# A sentence that ends before this share of the room leaves too much of it empty.
LEAST_USED = 0.5

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n")


def shortened(text: str, limit: int) -> str:
    """Return a text of at most so many characters, cut and marked if need be."""
    whole = text.strip()
    if len(whole) <= limit:
        return whole
    room = whole[: max(0, limit - len(MARK) - 1)]
    ends = [found.end() for found in _SENTENCE_END.finditer(room)]
    if ends and ends[-1] >= LEAST_USED * len(room):
        return f"{room[: ends[-1]].rstrip()} {MARK}"
    word_end = room.rfind(" ")
    # Scripts without spaces are cut where the room ends.
    return f"{room[:word_end].rstrip() if word_end > LEAST_USED * len(room) else room}{MARK}"
