"""Which rules may match a text, by the keywords in it: found out in one pass, because most texts have hardly any.

A keyword is looked up in the text only if its rarest three letters occur there.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.secrets import RULES

# A word in lower case and the sign after it; an escape before a word is no part of it.
_WORDS = r"[a-z0-9]+[_.-]?"
_ESCAPED_WORDS = r"\\(?:[nrt]|u[0-9a-f]{4})|%[0-9a-f]{2}|\x1b\[[0-9;]{1,5}m|([a-z0-9]+[_.-]?)"
# Few texts have so many letters and digits in a row.
_LONG_RUN = 12
# The first letters of a word and the sign after it.
_HEAD = 3
_WORD_HEAD = r"[A-Za-z0-9]{3}|[A-Za-z0-9]{2}[_.-]"
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
    trigrams: frozenset[Trigram]
    rules: list[int]


class _Index(NamedTuple):
    """Keywords, by how they are looked up."""

    trigrams: dict[Trigram, list[_Keyword]]
    """By their rarest three letters."""
    letters: dict[str, list[_Keyword]]
    """By their first letter: those of at most two letters."""


@cache
def _index() -> _Index:
    keywords: dict[tuple[str, bool, str], _Keyword] = {}
    for number, rule in enumerate(RULES):
        for word in rule.keywords:
            exact, head = rule.exact or word != word.lower(), _head(rule, word)
            # Blanks in a text may be line breaks, so only a part without any is looked for.
            trigrams = frozenset(_trigrams(max(word.lower().split(), key=len, default="")))
            keywords.setdefault((word, exact, head), _Keyword(word, exact, head, trigrams, [])).rules.append(number)
    index = _Index({}, {})
    for keyword in keywords.values():
        if keyword.trigrams:
            index.trigrams.setdefault(min(keyword.trigrams, key=_frequency), []).append(keyword)
        else:
            index.letters.setdefault(keyword.word.lower()[:1], []).append(keyword)
    return index


def _head(rule: SecretRule, word: str) -> str:
    is_start = word.isascii() and not rule.inside and compiled(_WORD_HEAD).match(word)
    return word[:_HEAD].lower() if is_start and rule.run < _LONG_RUN else ""


def _trigrams(text: str) -> set[Trigram]:
    return set(zip(text, text[1:], text[2:], strict=False))


def _frequency(trigram: Trigram) -> tuple[int, Trigram]:
    return sum(map(_FREQUENT.find, trigram)), trigram


def candidate_rules(text: str) -> tuple[SecretRule, ...]:
    """Return the rules that may match a text: those with a keyword in it."""
    lowered = text.lower()
    has_escapes = any(sign in text for sign in "\\%\x1b")
    # One by one: a list of all words would take many times the memory of a long text.
    words = {
        found[1 if has_escapes else 0] or ""
        for found in compiled(_ESCAPED_WORDS if has_escapes else _WORDS).finditer(lowered)
    }
    longest = max(map(len, words), default=0)
    heads = {"", *(word[:_HEAD] for word in words)}
    found: set[int] = set()
    for keyword in _possible(lowered):
        if keyword.head in heads and keyword.word in (text if keyword.exact else lowered):
            found.update(keyword.rules)
    has_digits = compiled(_NEAR_DIGITS).search(text) is not None
    # In table order: where two rules match, the earlier one names the kind.
    return tuple(
        rule
        for rule in map(RULES.__getitem__, sorted(found))
        if rule.run <= longest and (has_digits or not rule.digits)
    )


def _possible(lowered: str) -> Iterator[_Keyword]:
    """Yield the keywords whose letters are in a text, in groups of three."""
    index = _index()
    # Each word once: a long text has few that are new.
    trigrams = _trigrams(" ".join({*lowered.split()}))
    for trigram in index.trigrams.keys() & trigrams:
        yield from (keyword for keyword in index.trigrams[trigram] if keyword.trigrams <= trigrams)
    for letter, keywords in index.letters.items():
        if letter in lowered:
            yield from keywords
