"""When two texts say the same thing, from strict to lenient.

1. `same_text`: equal except for case, width and white space.
2. `statement_key`: equal also without punctuation, filler words and plurals. Word order counts.
3. `TextComparison.says_same`: slightly reworded. When in doubt, no: a wrong merge loses a rule.
4. `near_duplicate`: mostly the same set of words, by a threshold.

Each level includes the ones before. A changed number, negation or qualifier is never the same statement.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from msgspec import Struct

from satchel.domain.safety.compiled import compiled
from satchel.domain.text import normalize_text
from satchel.domain.words import UNSPACED, content_terms, segment, text_terms

# Maximum number of characters compared; no packet or prompt block shows more of a text.
COMPARED_CHARS = 4_000
# Minimum length at which a text contained in another is its near duplicate.
MIN_CONTAINED_CHARS = 30
# Minimum share of the longer text that a reworded text must have in common with it.
MIN_SHARED = 0.7
# Words with a common prefix of this length and share are forms of one word.
STEM_CHARS = 4
STEM_SHARE = 0.6
# Minimum share of an episode's words in a summary that covers it.
MIN_COVERED = 0.8

_CONTRACTED = (("n't", " not"), ("n’t", " not"), ("'ve", " have"), ("’ve", " have"), ("'re", " are"), ("’re", " are"))
# Words that add nothing to a statement.
_FILLERS = frozenset(
    [
        "a",
        "an",
        "the",
        "please",
        "just",
        "really",
        "very",
        "simply",
        "actually",
        "basically",
        "have",
        "has",
        "的",
        "了",
        "请",
        "請",
    ]
)
# Words and characters that reverse or restrict a statement.
_NEGATIONS_AND_QUALIFIERS = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "nor",
        "neither",
        "without",
        "cannot",
        "dont",
        "doesnt",
        "didnt",
        "wont",
        "isnt",
        "arent",
        "shouldnt",
        "mustnt",
        "cant",
        "except",
        "unless",
        "until",
        "before",
        "after",
        "always",
        "only",
        "kein",
        "keine",
        "nicht",
        "nie",
        "ohne",
        "pas",
        "jamais",
        "sans",
        "nunca",
        "sin",
    ]
)
_CJK_NEGATIONS_AND_QUALIFIERS = "[不没沒未勿别別非无無莫否前后後]"
# Punctuation without meaning. Every other sign has one: C is not C++, and < is not >.
_PAUSES = frozenset(".,;:'\"“”‘’()[]{}-–—…。，；：、「」『』（）【】《》~～`_")
_FINAL_PUNCTUATION = ".!。！ "
_SIGN = r"(?<!\w)-(?=\d)"
_MINUS = "−"
_MIN_PLURAL_CHARS = 4
# Words whose tokens are remembered, and how long these are at most.
_KNOWN_WORDS, _MAX_KNOWN_CHARS = 8_192, 32
# What `_tokens` finds in ASCII text in lower case.
_ASCII_TOKEN = r"[0-9a-z]+(?:[-_.:/@'+]+[0-9a-z]+)*|!(?!\s|$)|[^\w\s!]"
_NUMBER = r"\d+"
_WORD = r"\w+"


def same_text(one: str, other: str) -> bool:
    """Return whether two texts differ in case, width or white space at most."""
    return normalize_text(one) == normalize_text(other)


def statement_key(text: str) -> str:
    """Return a text without fillers, plurals and punctuation. The ledger stores a digest of it: never change it."""
    return normalized_statement_key(normalize_text(text))


def normalized_statement_key(normalized: str) -> str:
    """Return the statement key of a text that is normalised already."""
    plain = _expanded(normalized)
    signed = compiled(_SIGN).sub(_MINUS, plain) if "-" in plain else plain
    tokens = _tokens_of(signed)
    return " ".join([token for token in tokens if token not in _FILLERS] or tokens) or plain


def near_duplicate(one: str, other: str, threshold: float) -> bool:
    """Return whether one text contains the other, or they share at least this share of their words."""
    first, second = _statement(one), _statement(other)
    if first.key == second.key:
        return True
    if first.markers != second.markers:
        return False
    shorter, longer = sorted((first.plain, second.plain), key=len)
    if len(shorter) >= MIN_CONTAINED_CHARS and shorter.rstrip(_FINAL_PUNCTUATION) in longer:
        return True
    words, others = set(segment(shorter).split()), set(segment(longer).split())
    return len(words & others) >= threshold * len(words | others) > 0


class TextComparison:
    """Compares many texts with each other, analysing each only once."""

    def __init__(self) -> None:
        self._statement = cache(_statement)
        self._terms = cache(lambda text: frozenset(content_terms(text[:COMPARED_CHARS])))
        self._words = cache(lambda text: text_terms(text[:COMPARED_CHARS]))

    def says_same(self, one: str, other: str) -> bool:
        """Return whether two texts differ in small matters of wording only."""
        first, second = self._statement(one), self._statement(other)
        if first.key == second.key:
            return True
        if first.markers != second.markers:
            return False
        return _mostly_contained(first.plain, second.plain) or _reworded(self._terms(one), self._terms(other))

    def covers(self, summary: str, episode: str) -> bool:
        """Return whether a summary holds what an episode tells, including every number."""
        terms = self._terms(episode)
        if not terms or not {*self._statement(episode).markers.numbers} <= {*self._statement(summary).markers.numbers}:
            return False
        return len(terms & self._words(summary)) >= MIN_COVERED * len(terms)


class _Markers(Struct, frozen=True):
    """The parts of a text that may not differ between two versions of a statement."""

    numbers: tuple[str, ...]
    words: tuple[str, ...]
    characters: tuple[str, ...]


class _Statement(Struct, frozen=True):
    plain: str
    key: str
    markers: _Markers


def _statement(text: str) -> _Statement:
    plain = normalize_text(text[:COMPARED_CHARS])
    words = compiled(_WORD).findall(_expanded(plain).replace("'", "").replace("’", ""))
    markers = _Markers(
        tuple(compiled(_NUMBER).findall(plain)),
        tuple(sorted(word for word in words if word in _NEGATIONS_AND_QUALIFIERS)),
        tuple(compiled(_CJK_NEGATIONS_AND_QUALIFIERS).findall(plain)),
    )
    return _Statement(plain, normalized_statement_key(plain), markers)


def _mostly_contained(first: str, second: str) -> bool:
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= MIN_SHARED * len(longer) and shorter.rstrip(_FINAL_PUNCTUATION) in longer


def _reworded(first: frozenset[str], second: frozenset[str]) -> bool:
    only_first, only_second = first - second, second - first
    if not only_first or not only_second:
        return min(len(first), len(second)) >= MIN_SHARED * max(len(first), len(second)) > 0
    # Exchanged words must be forms of each other.
    return len(only_first) == len(only_second) and all(
        any(_same_stem(word, other) for other in only_second) for word in only_first
    )


def _same_stem(one: str, other: str) -> bool:
    shared = max(STEM_CHARS, round(STEM_SHARE * max(len(one), len(other))))
    return min(len(one), len(other)) >= shared and one[:shared] == other[:shared]


def _expanded(plain: str) -> str:
    if "'" not in plain and "’" not in plain:
        return plain
    for short, long in _CONTRACTED:
        plain = plain.replace(short, long)
    return plain


def _tokens_of(plain: str) -> list[str]:
    """Return the tokens of a text in the singular, without pauses."""
    if not plain.isascii():
        return _meaningful(_tokens().findall(plain))
    # Every stored text passes here. No token has a space, and most words have been in a text before.
    found: list[str] = []
    for word in plain.split():
        found += _tokens_of_short_word(word) if len(word) <= _MAX_KNOWN_CHARS else _tokens_of_word(word)
    return found


def _tokens_of_word(word: str) -> list[str]:
    return _meaningful([word] if word.isalnum() else compiled(_ASCII_TOKEN).findall(word))


@lru_cache(maxsize=_KNOWN_WORDS)
def _tokens_of_short_word(word: str) -> list[str]:
    return _tokens_of_word(word)


def _meaningful(tokens: Sequence[str]) -> list[str]:
    return [singular(token) for token in tokens if token not in _PAUSES]


@cache
def _tokens() -> re.Pattern[str]:
    # A name keeps its inner punctuation: 1.5 is not 15, and foo_bar is not foo-bar.
    word = rf"(?:(?![{UNSPACED}])[^\W_])+"
    return re.compile(rf"[{UNSPACED}]|{word}(?:[-_.:/@'’+]+{word})*|!(?!\s|$)|[^\w\s!]")


def singular(word: str) -> str:
    """Return an English word without its plural s."""
    # Checked first because it is cheap: most words end differently, and every word of every text passes here.
    if not word.endswith("s") or len(word) < _MIN_PLURAL_CHARS:
        return word
    return word[:-1] if word.isascii() and not word.endswith("ss") else word
