"""Near duplicates: sentences that a person would not want kept twice."""

from satchel.domain.text import normalised
from satchel.domain.words import segmented

MIN_CONTAINED_CHARS = 30
# One word more or less is the same sentence, but not one of these.
_NEWS_WORDS = "no not never none without nor neither don doesn didn won isn aren cannot 不 没 沒 無 无 未 别 別 勿 非"
_NEWS = frozenset(_NEWS_WORDS.split())


def alike(one: str, other: str, threshold: float) -> bool:
    """Say whether two texts say the same: the same words, one inside the other, or nearly the same set of words."""
    first, second = normalised(one), normalised(other)
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    words, more_words = set(segmented(shorter).split()), set(segmented(longer).split())
    if _is_news(words ^ more_words):
        return False
    if len(shorter) >= MIN_CONTAINED_CHARS and shorter.rstrip(".!。！ ") in longer:
        return True
    return len(words & more_words) >= threshold * len(words | more_words) > 0


def _is_news(differing: set[str]) -> bool:
    return any(word in _NEWS or any(letter.isdigit() for letter in word) for word in differing)
