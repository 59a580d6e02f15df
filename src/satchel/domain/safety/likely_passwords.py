"""Values that are likely a password by all that speaks for it: no one way to say so is required.

A word for a password, or for logging in, stands somewhere on the line, before the value or after it.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.likely_features import (
    is_clear,
    line_features,
    place_features,
    shape_of,
    surroundings_of,
    with_pairs,
)
from satchel.domain.safety.likely_weights import BIAS, WEIGHTS
from satchel.domain.safety.near_values import Place
from satchel.domain.safety.surroundings import line_start

_REACH = 160
# The id of an account or a credential is no secret.
_IS_ID, _ID_FOLLOWS = r"(?:Id|ID)s?\Z", r"[_ -]?(?:[Ii]d|ID)s?\b"
_MOST_VALUES = 40
# A part of a path, an address, a call or a setting.
_JOINED_BEFORE, _JOINED_AFTER = frozenset("/\\@&?#.%$"), frozenset("/\\(@=[")
# Up to a blank, a quote, a bracket or a sign that ends a value; letters and signs of other scripts end one, too.
_TOKEN = r"(?<![A-Za-z0-9])[^\s\"'`“”„«»‹›(){}\[\]<>,;|:=/\\\u2010-\u206f\u2e80-\uffef]{7,60}"


def likely_passwords(text: str, found: re.Match[str], cue: str) -> Iterator[Place]:
    """Yield the values on the line of a word that are likely passwords."""
    for (start, end), features in candidates(text, found, cue):
        if BIAS + sum(WEIGHTS.get(name, 0.0) for name in features) > 0:
            yield start, end


def candidates(text: str, found: re.Match[str], cue: str) -> Iterator[tuple[Place, set[str]]]:
    """Yield the values on the line of a word that may be passwords, each with what speaks for and against it."""
    if compiled(_IS_ID).search(found.group()) or compiled(_ID_FOLLOWS).match(text, found.end()):
        return
    first, last = _reach(text, found)
    line = text[first:last]
    for start, end in _values(line):
        start, end = start + first, end + first
        is_whole = (start > first or text[first - 1 : first] in ("", "\n")) and (
            end < last or text[last : last + 1] in ("", "\n")
        )
        shape = shape_of(text[start:end]) if is_whole and (end <= found.start() or start >= found.end()) else ()
        # Where a text speaks of hashes, hexadecimal digits are one.
        is_hash = "hexadecimal" in shape and "hash" in line_features(line)
        if is_hash or not shape or not is_clear(shape, cue):
            continue
        is_after = start >= found.end()
        between = text[found.end() : start] if is_after else text[end : found.start()]
        yield (start, end), with_pairs({
            cue, *shape, *line_features(line), *surroundings_of(text, first, last, start, end), *place_features(between, is_after=is_after),
        })  # fmt: skip


def _reach(text: str, found: re.Match[str]) -> Place:
    """Return the part of a line that belongs to a word: up to where the same word stands again, so that no text is looked
    at more than twice."""
    first = line_start(text, found.start(), _REACH)
    last = text.find("\n", found.end(), found.end() + _REACH)
    last = last if last >= 0 else min(len(text), found.end() + _REACH)
    if found.re.search(text, first, found.start()):
        first = found.start()
    again = found.re.search(text, found.end(), last)
    return first, again.start() if again else last


@lru_cache(64)
def _values(line: str) -> tuple[Place, ...]:
    """Return where the values of a line are that are no plain words."""
    # An image within a text is long and random.
    places = list[Place]()
    for one in compiled(_TOKEN).finditer("" if ";base64," in line else line):
        start, end = one.span()
        while start < end and line[start] in "*_-.#>~":
            start += 1
        while end > start and (line[end - 1] in ".*_" or (line[end - 1] in "?!" and line[start : end - 1].isalpha())):
            end -= 1
        is_joined = line[max(0, start - 1) : start] in _JOINED_BEFORE or line[end : end + 1] in _JOINED_AFTER
        is_joined = is_joined or line.startswith("://", end)
        if end - start >= 7 and not is_joined and not line[start:end].isalpha():
            places.append((start, end))
    return tuple(places[:_MOST_VALUES])
