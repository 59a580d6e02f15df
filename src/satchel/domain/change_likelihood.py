"""How likely a newer statement changes an older one, as log-odds of two linear models.

The first says whether both are about the same subject, the second whether the newer one then says something else about it.
One model could not do both: words in common speak for the same subject, but a change often says it in other words, where a
remark about the same thing repeats them. `python -m training changes` fits the weights.
"""

import math
from collections.abc import Sequence

from satchel.domain.change_weights import CHANGED, CHANGED_BY_WORDS, SAME_SUBJECT, SAME_SUBJECT_BY_WORDS
from satchel.domain.statements.comparable import Statement, has_word, shared_terms
from satchel.domain.statements.word_forms import has_most, same_word

CLOSE_COSINE = 0.5
# Shorter words say little about what a statement is about.
MIN_WORD_CHARS = 3


COSINE_FEATURES = (2, 1)
"""How many of the features of each model, its first ones, come from the cosine. They are left out without one."""


def subject_odds(newer: Statement, older: Statement, cosine: float | None) -> float:
    """Return the log-odds that two statements are about the same subject."""
    weights = SAME_SUBJECT_BY_WORDS if cosine is None else SAME_SUBJECT
    return _log_odds(weights, subject_features(newer, older, cosine))


def changed_odds(newer: Statement, older: Statement, cosine: float | None) -> float:
    """Return the log-odds that the newer statement changes what the older one says about the same subject."""
    return _log_odds(CHANGED_BY_WORDS if cosine is None else CHANGED, changed_features(newer, older, cosine))


def subject_features(newer: Statement, older: Statement, cosine: float | None) -> tuple[float, ...]:
    """Return what the first model knows of a pair."""
    shared = len(shared_terms(older, newer))
    first, other_first = _first_word(older), _first_word(newer)
    return (
        *(() if cosine is None else (cosine, max(0.0, cosine - CLOSE_COSINE))),
        shared / max(1, len(older.terms)),
        shared / max(1, len(newer.terms)),
        shared > 0,
        shared > 1,
        _names_old(newer, older),
        same_word(first, other_first),
        bool(first) and has_word(newer, first),
        bool(other_first) and has_word(older, other_first),
        not newer.cues.names.isdisjoint(older.cues.names),
    )


def changed_features(newer: Statement, older: Statement, cosine: float | None) -> tuple[float, ...]:
    """Return what the second model knows of a pair."""
    shared, said, before = len(shared_terms(older, newer)), newer.cues, older.cues
    of_older = shared / max(1, len(older.terms))
    names_old = _names_old(newer, older)
    values = [(before.values[kind], said.values[kind]) for kind in before.values]
    return (
        *(() if cosine is None else (cosine,)),
        of_older,
        shared / max(1, len(newer.terms)),
        same_word(_first_word(older), _first_word(newer)),
        said.ended,
        said.begins,
        said.is_open,
        said.is_temporary,
        said.is_history,
        said.adds,
        math.log(max(1, len(newer.text)) / max(1, len(older.text))),
        bool(before.names - said.names) and bool(said.names - before.names),
        any(one and not other for one, other in values),
        any(one and other and one.isdisjoint(other) for one, other in values),
        names_old,
        bool(newer.given_up) and not names_old,
        not said.ended and _is_about_sibling(newer, older),
        of_older * said.ended,
    )


def is_about_other_item(newer: Statement, older: Statement) -> bool:
    """Return whether two statements begin with different numbers of one series: issue 482 and issue 498, PAY-3 and PAY-7."""
    item, other = _numbered_item(newer), _numbered_item(older)
    return item is not None and other is not None and item[0] == other[0] and item[1] != other[1]


def _numbered_item(statement: Statement) -> tuple[str, str] | None:
    """Return the series and the number that a statement begins with."""
    first, second = (*statement.tokens, "", "")[:2]
    series, _, number = first.rpartition("-")
    if series and number.isdigit():
        return series, number
    return (first, second) if first.isalpha() and second.isdigit() else None


def _names_old(newer: Statement, older: Statement) -> bool:
    return bool(newer.given_up) and has_most(newer.given_up, older.terms)


def _log_odds(weights: Sequence[float], features: Sequence[float]) -> float:
    base, *factors = weights
    return base + sum(factor * value for factor, value in zip(factors, features, strict=True))


def _first_word(statement: Statement) -> str:
    return next((one for one in statement.tokens if one in statement.terms or len(one) >= MIN_WORD_CHARS), "")


def _is_about_sibling(newer: Statement, older: Statement) -> bool:
    """Return whether a word of both follows different words: the history exam, the biology exam."""
    in_newer = _words_before(newer)
    return any(
        one != other and one not in newer.tokens and other not in older.tokens
        for word, befores in _words_before(older).items()
        for one in befores
        for other in in_newer.get(word, ())
    )


def _words_before(statement: Statement) -> dict[str, list[str]]:
    """Return the words that stand before each word."""
    found: dict[str, list[str]] = {}
    for before, word in zip(statement.tokens, statement.tokens[1:], strict=False):
        if min(len(before), len(word)) >= MIN_WORD_CHARS:
            found.setdefault(word, []).append(before)
    return found
