"""Shorten a text at the end of a sentence or word, and mark the cut."""

import re

MARK = "…"
# Minimum share of the available length that a cut at a sentence or word end must use.
MIN_USED = 0.5

_SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]|\n")


def shorten(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters, with an ellipsis if it was cut."""
    whole = text.strip()
    if len(whole) <= limit:
        return whole
    room = whole[: max(0, limit - len(MARK) - 1)]
    ends = [found.end() for found in _SENTENCE_END.finditer(room)]
    if ends and ends[-1] >= MIN_USED * len(room):
        return f"{room[: ends[-1]].rstrip()} {MARK}"
    word_end = room.rfind(" ")
    # Text without spaces is cut at the full length.
    return f"{room[:word_end].rstrip() if word_end > MIN_USED * len(room) else room}{MARK}"
