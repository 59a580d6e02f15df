"""Which rules may match a text, by the keywords in it: found out in one pass, because most texts have hardly any.

A keyword is looked up in a word only if the three letters around its rarest one occur there. Texts repeat their words, so
the keywords of a word are remembered.
"""

from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.secrets import RULES

# The first letters of a word and the sign after it.
_HEAD = 3
_WORD_HEAD = r"[a-z0-9]{3}|[a-z0-9]{2}[_.-]"
_ESCAPE = r"(?:\\(?:[nrt]|u[0-9a-f]{4})|%[0-9a-f]{2}|\x1b\[[0-9;]{1,5}m)\Z"
_LONGEST_ESCAPE = 8
# Few texts have so many letters and digits in a row.
_LONG_RUN = 12
_RUNS = r"[A-Za-z0-9]{12,}+"
# Words up to this length are remembered, and how many of them. No part of a keyword is longer.
_LONGEST_WORD = 40
_MOST_WORDS = 1 << 14
# Characters whose words are listed at once: each short word takes many times its length.
_BLOCK = 1 << 18
_NEAR_DIGITS = r"[0-9][^0-9]{0,16}[0-9][^0-9]{0,16}[0-9]"
# Letters from rare to frequent; all other characters are rarer.
_FREQUENT = "zqjxkvbywgpfmucdlhrsnioate"

# Every test run says it, and no rule means it; compiling the rules for passwords would take a quarter of a capture hook.
_NO_KEYWORD = r"(?<![a-z0-9])pass(?:ed|es|ing)(?![a-z0-9])"

Letters = tuple[str, ...]


class _Keyword(NamedTuple):
    """A keyword, how it is looked up, and the rules it belongs to."""

    word: str
    exact: bool
    head: str
    """The first letters of a word that must be in the text; empty if the keyword may stand inside a word."""
    run: int
    """How many letters and digits in a row its rules need."""
    part: str
    """What a word of the text must have: the longest part without a blank, because in a text a blank may be a line break."""
    rules: list[int]


class _Index(NamedTuple):
    """Keywords, and their numbers by the three letters around the rarest one of their part, or by all if it is shorter."""

    keywords: list[_Keyword]
    numbers: dict[Letters, list[int]]


@cache
def _index() -> _Index:
    known: dict[tuple[str, bool, str, int], _Keyword] = {}
    index = _Index([], {})
    for number, rule in enumerate(RULES):
        for word in rule.keywords:
            lowered = word.lower()
            kept = word, rule.exact or word != lowered, _head(rule, lowered), rule.run
            if kept not in known:
                part = max(lowered.split(), key=len, default="") if " " in lowered else lowered
                known[kept] = _Keyword(*kept, part, [])
                index.numbers.setdefault(_rarest(part), []).append(len(index.keywords))
                index.keywords.append(known[kept])
            known[kept].rules.append(number)
    return index


def _rarest(part: str) -> Letters:
    rarest = min(part, key=_FREQUENT.find, default="")
    middle = max(1, min(part.index(rarest), len(part) - 2))
    return tuple(part[middle - 1 : middle + 2])


def _head(rule: SecretRule, lowered: str) -> str:
    is_start = not rule.inside and rule.run < _LONG_RUN and lowered.isascii() and compiled(_WORD_HEAD).match(lowered)
    return lowered[:_HEAD] if is_start else ""


def candidate_rules(text: str) -> tuple[SecretRule, ...]:
    """Return the rules that may match a text: those with a keyword in it."""
    lowered = text.lower()
    if "pass" in lowered:
        lowered = compiled(_NO_KEYWORD).sub(" ", lowered)
    longest = max((run.end() - run.start() for run in compiled(_RUNS).finditer(text)), default=_LONG_RUN - 1)
    found: set[int] = set()
    for keyword in map(_index().keywords.__getitem__, _possible(lowered)):
        if (
            keyword.run <= longest
            and keyword.word in (text if keyword.exact else lowered)
            and _begins_word(keyword.head, lowered)
        ):
            found.update(keyword.rules)
    # In table order: where two rules match, the earlier one names the kind.
    rules = tuple(map(RULES.__getitem__, sorted(found)))
    if any(rule.digits for rule in rules) and not compiled(_NEAR_DIGITS).search(text):
        return tuple(rule for rule in rules if not rule.digits)
    return rules


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


def _possible(lowered: str) -> set[int]:
    """Return the keywords whose part is in a text."""
    found = {*_index().numbers[()]}
    for start in range(0, len(lowered), _BLOCK):
        # Each word once: a long text has few that are new. What is cut at the end of a block begins the next one too.
        for word in {*lowered[start : start + _BLOCK + _LONGEST_WORD].split()}:
            if numbers := _known(word) if len(word) <= _LONGEST_WORD else _in_word(word):
                found.update(numbers)
    return found


@lru_cache(_MOST_WORDS)
def _known(word: str) -> tuple[int, ...]:
    return _in_word(word)


def _in_word(word: str) -> tuple[int, ...]:
    """Return the keywords whose part is in a word."""
    keywords, numbers = _index()
    letters = chain(zip(word), pairwise(word), zip(word, word[1:], word[2:], strict=False))
    return tuple(one for found in numbers.keys() & letters for one in numbers[found] if keywords[one].part in word)
