"""Likeness: when two texts say the same in nearly the same words.

Being told a memory a second time, with other capitals, other punctuation or one "the" more, is no news. A changed
number, name, sign or "not" is: so nothing here guesses at spelling, and the order of the words counts.
"""

import re
from functools import cache

from satchel.domain.text import normalised
from satchel.domain.words import UNSPACED

_CONTRACTED = (("n't", " not"), ("n’t", " not"), ("'ve", " have"), ("’ve", " have"), ("'re", " are"), ("’re", " are"))
# Words that carry no news.
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
# Between the words of a sentence these say nothing. Every other sign does: C is not C++, and < is not >.
_PAUSES = frozenset(".,;:'\"“”‘’()[]{}-–—…。，；：、「」『』（）【】《》~～`_")
_SIGN = re.compile(r"(?<!\w)-(?=\d)")
_MINUS = "−"
_SHORTEST_PLURAL = 4


@cache
def _tokens() -> re.Pattern[str]:
    # A name keeps what holds it together: 1.5 is not 15, and foo_bar is not foo-bar.
    word = rf"(?:(?![{UNSPACED}])[^\W_])+"
    return re.compile(rf"[{UNSPACED}]|{word}(?:[-_.:/@'’+]+{word})*|!(?!\s|$)|[^\w\s!]")


def gist(text: str) -> str:
    """Return what is left of a text without fillers, plurals and pauses. Equal gists say the same."""
    plain = normalised(text)
    for short, long in _CONTRACTED:
        plain = plain.replace(short, long)
    signed = _SIGN.sub(_MINUS, plain)
    tokens = [singular(token) for token in _tokens().findall(signed) if token not in _PAUSES]
    telling = [token for token in tokens if token not in _FILLERS]
    return " ".join(telling or tokens) or plain


def same_words(one: str, other: str) -> bool:
    """Say whether two texts differ in case, width or white space at most."""
    return normalised(one) == normalised(other)


def singular(word: str) -> str:
    """Return an English word without the s of a plural."""
    # Most words end otherwise, and every word of every text comes by here.
    if not word.endswith("s") or len(word) < _SHORTEST_PLURAL:
        return word
    return word[:-1] if word.isascii() and not word.endswith("ss") else word
