"""How relevant a text is to a query, by its words alone, whatever else was found: for backends that do not say so reliably.

What has to be found as it is written, and is, makes it nearly certain; else the share of the query's content words counts.
"""

import math
import re
from collections.abc import Mapping

from satchel.routing.prepare import Prepared, words_in

EXACT = 0.95
# One shared word among many says little, and a word of a one-word query is not the whole of what was meant.
ONE_WORD = 0.6
MOST = 0.9
# Beyond this a text holds any word by accident.
MAX_CHARS = 8_000
# The words of a query that must be there before a share of them counts fully.
ENOUGH = 3
_ENDINGS = ("ing", "ed", "es", "s")
_LEAST_STEM = 3


def relevance(query: Prepared, text: str, weights: Mapping[str, float] | None = None) -> float:
    """Return a value from 0 to 1. The same query and text give the same value anywhere."""
    looked_at = text[:MAX_CHARS]
    if exact := exactly(query, looked_at):
        return exact
    terms = query.terms
    if not terms:
        return 0.0
    held = {_stem(word) for word in words_in(looked_at)}
    weigh = (weights or {}).get
    asked = math.fsum(weigh(term, 1.0) for term in terms)
    shared = [term for term in terms if _stem(term) in held]
    if not asked or not shared:
        return 0.0
    share = math.fsum(weigh(term, 1.0) for term in shared) / asked
    certainty = min(1.0, ONE_WORD + (1 - ONE_WORD) * (len(shared) - 1) / (ENOUGH - 1))
    return min(MOST, share * certainty)


def exactly(query: Prepared, text: str) -> float:
    """Return what it is worth that a text has what a query spells out: nearly everything if it has all of it."""
    wanted = query.exact
    held = sum(_holds(text, one) for one in wanted)
    return EXACT * held / len(wanted) if held else 0.0


def _holds(text: str, wanted: str) -> bool:
    """Say whether a text has an identifier, a path or a phrase as it is written, and not as part of a longer word."""
    if "*" in wanted:
        return re.search(_glob(wanted), text) is not None
    start = text.find(wanted)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(wanted) : start + len(wanted) + 1]
        if not (_goes_on(before) or _goes_on(after)):
            return True
        start = text.find(wanted, start + 1)
    return False


def _goes_on(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")


def _glob(pattern: str) -> str:
    """Return a glob as a regular expression; a star stays within its folder, two of them do not."""
    parts = [re.escape(one) for one in re.split(r"\*\*/?", pattern)]
    inner = r"\S*".join(part.replace(r"\*", r"[^/\s]*") for part in parts)
    return rf"(?<![\w/]){inner}(?![\w/])"


def _stem(word: str) -> str:
    if not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word.removesuffix(ending)
    return word
