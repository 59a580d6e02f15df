"""Which rules may match a text, by the keywords in it: found out in one pass, because most texts have hardly any.

A keyword is looked up in the text only if the three letters around its rarest one occur there.
"""

from functools import cache
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.secrets import RULES

# The first letters of a word and the sign after it.
_HEAD = 3
_GROUP = 3
_WORD_HEAD = r"[a-z0-9]{3}|[a-z0-9]{2}[_.-]"
_ESCAPE = r"(?:\\(?:[nrt]|u[0-9a-f]{4})|%[0-9a-f]{2}|\x1b\[[0-9;]{1,5}m)\Z"
_LONGEST_ESCAPE = 8
# Few texts have so many letters and digits in a row.
_LONG_RUN = 12
_RUNS = r"[A-Za-z0-9]{12,}+"
_NEAR_DIGITS = r"[0-9][^0-9]{0,16}[0-9][^0-9]{0,16}[0-9]"
# Letters from rare to frequent; all other characters are rarer.
_FREQUENT = "zqjxkvbywgpfmucdlhrsnioate"

Trigram = tuple[str, str, str]


class _Keyword(NamedTuple):
    """A keyword, how it is looked up, and the rules it belongs to."""

    word: str
    exact: bool
    head: str
    """The first letters of a word that must be in the text; empty if the keyword may stand inside a word."""
    run: int
    """How many letters and digits in a row its rules need."""
    rules: list[int]


class _Index(NamedTuple):
    """Keywords, by how they are looked up."""

    trigrams: dict[Trigram, list[_Keyword]]
    """By the three letters around their rarest one."""
    letters: dict[str, list[_Keyword]]
    """By their rarest letter: those of at most two letters."""


@cache
def _index() -> _Index:
    keywords: dict[tuple[str, bool, str, int], _Keyword] = {}
    index = _Index({}, {})
    for number, rule in enumerate(RULES):
        for word in rule.keywords:
            lowered = word.lower()
            kept = word, rule.exact or word != lowered, _head(rule, lowered), rule.run
            if kept not in keywords:
                keywords[kept] = _added(index, lowered, kept)
            keywords[kept].rules.append(number)
    return index


def _added(index: _Index, lowered: str, kept: tuple[str, bool, str, int]) -> _Keyword:
    # In a text a blank may be a line break, so only a part without any is looked for.
    part = max(lowered.split(), key=len, default="") if " " in lowered else lowered
    keyword = _Keyword(*kept, [])
    rarest = min(part, key=_FREQUENT.find, default="")
    if len(part) >= _GROUP:
        middle = min(max(1, part.index(rarest)), len(part) - 2)
        index.trigrams.setdefault((part[middle - 1], part[middle], part[middle + 1]), []).append(keyword)
    else:
        index.letters.setdefault(rarest, []).append(keyword)
    return keyword


def _head(rule: SecretRule, lowered: str) -> str:
    is_start = not rule.inside and rule.run < _LONG_RUN and lowered.isascii() and compiled(_WORD_HEAD).match(lowered)
    return lowered[:_HEAD] if is_start else ""


def candidate_rules(text: str) -> tuple[SecretRule, ...]:
    """Return the rules that may match a text: those with a keyword in it."""
    lowered = text.lower()
    longest = max((run.end() - run.start() for run in compiled(_RUNS).finditer(text)), default=_LONG_RUN - 1)
    has_digits = compiled(_NEAR_DIGITS).search(text) is not None
    found: set[int] = set()
    for keyword in _possible(lowered):
        if (
            keyword.run <= longest
            and keyword.word in (text if keyword.exact else lowered)
            and _begins_word(keyword.head, lowered)
        ):
            found.update(keyword.rules)
    # In table order: where two rules match, the earlier one names the kind.
    return tuple(rule for rule in map(RULES.__getitem__, sorted(found)) if has_digits or not rule.digits)


def _begins_word(head: str, lowered: str) -> bool:
    """Return whether a word of a text begins with some letters; an escape before a word is no part of it."""
    place = lowered.find(head)
    while place > 0:
        before = lowered[place - 1]
        is_inside = before.isascii() and before.isalnum()
        if not is_inside or compiled(_ESCAPE).search(lowered, max(0, place - _LONGEST_ESCAPE), place):
            return True
        place = lowered.find(head, place + 1)
    return place == 0


def _possible(lowered: str) -> list[_Keyword]:
    """Return the keywords whose rarest letters are in a text."""
    index = _index()
    # Each word once: a long text has few that are new.
    words = " ".join({*lowered.split()})
    trigrams = set(zip(words, words[1:], words[2:], strict=False))
    found = [keyword for trigram in index.trigrams.keys() & trigrams for keyword in index.trigrams[trigram]]
    return found + [one for letter, keywords in index.letters.items() if letter in lowered for one in keywords]
