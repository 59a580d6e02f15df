"""Estimate from a prompt alone whether it is about the person's own matters, or could be asked of anybody.

Private notes help with "who signs off the invoices?", not with "what is an invoice?". A linear model over the prompt's vector
and a few words says which of the two a prompt is more like. `python -m training prompts` learns it.
"""

import base64
import re
from array import array
from functools import cache

from satchel.domain.embedding import BUNDLED_MODEL, Vector
from satchel.turns.own_matters_weights import BIAS, CUES, CUES_ALONE, SCALE, WEIGHTS

# Beyond this, in log-odds, a prompt's wording says no more about whether a memory matters.
MAX_LOG_ODDS = 3.0

_GENERAL = re.compile(
    r"\b(?:in general|differences? between|explain|usually|typical(?:ly)?|recommend|ideas? for|what is an?|"
    r"what does .{1,30} (?:mean|stand for)|how does an?|how do (?:you|people)|vs\.?|versus|history of|"
    r"who (?:invented|won|wrote)|jokes?|translate|recipe|tell me (?:something|a)|in two (?:lines|sentences))\b|"
    r"一般|通常|解釋|解释|推薦|推荐|笑話|笑话|翻譯|翻译|翻成|區別|区别|差別|差别|是什麼意思|是什么意思|原理",
    re.IGNORECASE,
)
_KNOWN_THING = re.compile(r"\b(?:the|that|this|those|these)\b|這|这|那|該", re.IGNORECASE)
_WE = re.compile(r"\b(?:we|we're|we've|we'd|us|our|ours)\b|我们|我們|咱", re.IGNORECASE)
MAX_CHARS = 2_000


def own_log_odds(prompt: str, vector: Vector | None, space: str | None) -> float:
    """Return the log-odds that a prompt is about the person's own matters; without a vector, by its words alone."""
    found = cues(prompt)
    if vector is None or space != BUNDLED_MODEL:
        value = sum(weight * cue for weight, cue in zip(CUES_ALONE, (True, *found), strict=True))
    else:
        by_meaning = SCALE * sum(weight * part for weight, part in zip(_weights(), vector, strict=True))
        value = BIAS + sum(weight * cue for weight, cue in zip(CUES, found, strict=True)) + by_meaning
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, value))


def cues(prompt: str) -> tuple[bool, bool, bool]:
    """Return whether a prompt is worded like a general question, names a known thing, and speaks of "us"."""
    beginning = prompt[:MAX_CHARS]
    return tuple(bool(cue.search(beginning)) for cue in (_GENERAL, _KNOWN_THING, _WE))  # type: ignore[return-value]


@cache
def _weights() -> "array[int]":
    return array("b", base64.b85decode(WEIGHTS))
