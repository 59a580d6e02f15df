"""Estimate the relevance of a text by its words and age, for backends without reliable scores.

A text with everything the query spells out is nearly certain; otherwise the share of the query's content words counts.
"""

import math
import re
from collections.abc import Mapping, Sequence

from satchel.domain.moment import DAY_MS
from satchel.recall.relevance import word_forms
from satchel.routing.prepare import PreparedQuery, parts, words_in
from satchel.routing.signals import components

EXACT = 0.95
OTHER_NOTATION = 0.9
# Certainty of a single shared word, and the maximum without an exact match.
ONE_WORD = 0.6
MAX_INEXACT = 0.9
# Maximum for a text without any of the identifiers and files that a query names: it may help, but is not what was asked for.
MAX_UNNAMED = 0.35
# Only the beginning of a text counts: a long text contains any word by accident.
MAX_CHARS = 8_000
# Number of shared words at which their share counts fully.
ENOUGH = 3
_ENDINGS = ("ing", "ed", "es", "s")
_MIN_STEM_CHARS = 3
_LINE_NUMBER = re.compile(r"(?::\d+)+$")
# Loss per day of age, and the minimum that remains.
DECAY_PER_DAY = 0.043
MIN_DECAY = 0.2


def relevance(query: PreparedQuery, text: str, weights: Mapping[str, float] | None = None) -> float:
    """Return the relevance from 0 to 1, independent of other results."""
    beginning = text[:MAX_CHARS]
    if exact := exactly(query, beginning):
        return exact
    terms = query.terms
    if not terms:
        return 0.0
    held = {_stem(word) for word in words_in(beginning)}
    weigh = (weights or {}).get
    asked = math.fsum(weigh(term, 1.0) for term in terms)
    shared = [term for term in terms if _stem(term) in held]
    if not asked or not shared:
        return 0.0
    share = math.fsum(weigh(term, 1.0) for term in shared) / asked
    certainty = min(1.0, ONE_WORD + (1 - ONE_WORD) * (len(shared) - 1) / (ENOUGH - 1))
    return min(MAX_INEXACT, share * certainty, max_relevance(query, beginning))


def max_relevance(query: PreparedQuery, text: str) -> float:
    """Return the maximum relevance of a text: low if the query names identifiers or files and the text has none of them."""
    if not query.identifiers and not query.paths:
        return 1.0
    is_named = any(_names(text, one, r"[\W_]*") for one in query.identifiers)
    return 1.0 if is_named or any(_names_file(text, one) for one in query.paths) else MAX_UNNAMED


def holds_all(terms: Sequence[str], text: str) -> bool:
    """Return whether a text holds all terms, perhaps in another form or as a part of an identifier."""
    words = words_in(text[:MAX_CHARS])
    return all(not words.isdisjoint(word_forms(term)) for term in terms)


def relates_names(names: Sequence[str], text: str) -> bool:
    """Return whether a text can say how things relate: it has to name all of them, plain words in any form."""
    return all(_names(text, one, r"[\W_]*") or (one.islower() and holds_all((one,), text)) for one in names)


def _names(text: str, identifier: str, separator: str) -> bool:
    """Return whether a text has an identifier in any case, its words joined by a separator; of a qualified one every name."""
    return all(_names_one(text, one, separator) for one in components(identifier))


def _names_one(text: str, name: str, separator: str) -> bool:
    words = parts(name) or (name.strip("_()").lower(),)
    spelt = separator.join(map(re.escape, words))
    return re.search(rf"(?<![a-z0-9]){spelt}(?![a-z0-9])", text, re.IGNORECASE) is not None


def _names_file(text: str, path: str) -> bool:
    """Return whether a text has the file name of a path, in whatever folder."""
    name = _LINE_NUMBER.sub("", path.replace("\\", "/").rstrip("/").rpartition("/")[2])
    spelt = re.escape(name).replace(r"\*", r"[^/\s]*")
    start = "" if name.startswith((".", "*")) else r"(?<!\w)"
    return re.search(rf"{start}{spelt}(?!\w)", text, re.IGNORECASE | re.ASCII) is not None


def exactly(query: PreparedQuery, text: str) -> float:
    """Return the score for identifiers, paths and phrases found verbatim: EXACT if all of them are.

    An identifier in another notation counts a little less: parse_token for parseToken.
    """
    wanted = query.exact
    held = math.fsum(
        1.0 if _holds(text, one) else OTHER_NOTATION if one in query.identifiers and _names(text, one, "[_-]?") else 0.0
        for one in wanted
    )
    return EXACT * held / len(wanted) if held else 0.0


def _holds(text: str, wanted: str) -> bool:
    """Return whether a text contains an identifier, path or phrase as written, not inside a longer word."""
    if "*" in wanted:
        return re.search(_glob(wanted), text) is not None
    start = text.find(wanted)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(wanted) : start + len(wanted) + 1]
        if not (_is_word_char(before) or _is_word_char(after)):
            return True
        start = text.find(wanted, start + 1)
    return False


def _is_word_char(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")


def _glob(pattern: str) -> str:
    """Return a glob as a regular expression; `*` stays within a folder, `**` does not."""
    parts = [re.escape(one) for one in re.split(r"\*\*/?", pattern)]
    inner = r"\S*".join(part.replace(r"\*", r"[^/\s]*") for part in parts)
    return rf"(?<![\w/]){inner}(?![\w/])"


def _stem(word: str) -> str:
    if not word.isascii():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_CHARS:
            return word.removesuffix(ending)
    return word


def decay(age_ms: int) -> float:
    """Return the factor for a memory of this age; 1 for a future one."""
    return max(MIN_DECAY, 1.0 - DECAY_PER_DAY * max(0, age_ms) / DAY_MS)
