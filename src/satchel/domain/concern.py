"""How clearly the change that one statement announces concerns another statement: decided by their words."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from enum import IntEnum

from satchel.domain.contradiction import TAKES_VALUE, Contradiction, contradiction
from satchel.domain.statements.changes import REOPENED
from satchel.domain.statements.comparable import Statement, shared_terms, terms_in, tokens_in
from satchel.domain.statements.detect import fold
from satchel.domain.statements.word_forms import common_terms, has_most, same_word, without, word_set

# What a text that describes a change must have in common with an older one about the same: this share of the older one's
# words and a related meaning, or one word and a close meaning.
MIN_SHARED = 2
SHARE_OF_OLDER = 0.25
RELATED_MEANING, CLOSE_MEANING = 0.5, 0.6
# What stands after these in Chinese is likely a choice, though a name may go on there: 用飛書溝通, 用微信支付收款.
_USES_UNSPACED = word_set("用 採 采 走")
_COPULAS = word_set("is are = : 是")
# The name that follows one of these is a choice too, if it ends the statement; several may be.
_CHOOSES = word_set("follow follows return returns run runs")
# What may follow a value: the end, or a word that introduces the subject.
_FOLLOWS_VALUE = word_set("for in as on at when with to from by if of and : 做 當 当 來 来 作 給 给")


class Concern(IntEnum):
    """How clearly an announced change concerns a statement."""

    NONE = 0
    POSSIBLE = 1
    CLEAR = 2


def concern(said: Statement, other: Statement) -> Concern:
    """Return how clearly the change that one statement announces concerns another statement.

    It does if the other holds what is given up, and is about the same subject as far as the change names one. Without a
    name for what is given up, the other must be the same statement with another value.
    """
    change = said.change
    if change is None:
        return Concern.NONE
    old, subject = said.given_up, set(terms_in(change.subject))
    if not old and change.returns and _gave_up(other, terms_in(change.returns), subject):
        return Concern.CLEAR
    if not old:
        return _concern_by_subject(said, other, subject)
    if not has_most(old, other.terms):
        return Concern.NONE
    rest = without(other.terms, old)
    subject = without(subject, old)
    if subject:
        return Concern.CLEAR if common_terms(subject, rest) else Concern.NONE if rest else Concern.POSSIBLE
    said_rest = without(said.terms, old)
    if not rest or _is_chosen(tokens_in(change.old), other.tokens) or has_most(rest, said_rest):
        return Concern.CLEAR
    is_likely = common_terms(said_rest, rest) or _is_used(tokens_in(change.old), other.tokens)
    return Concern.POSSIBLE if is_likely else Concern.NONE


def makes_choice(name: str, subject: str, statement: Statement) -> bool:
    """Return whether a statement chooses what is named, about the subject if one is given."""
    wanted = without(terms_in(fold(subject)), terms_in(fold(name)))
    on_subject = not wanted or bool(common_terms(wanted, statement.terms))
    return on_subject and _is_chosen(tokens_in(fold(name)), statement.tokens)


def same_subject(newer: Statement, older: Statement, cosine: float | None) -> bool:
    """Return whether a statement that describes a change is about the same as an older one.

    For showing them together, not for retiring anything: by words in common, or by one and a close meaning. One that names
    what it gives up is about nothing else.
    """
    change = newer.change
    if change is not None and change.old and not has_most(newer.given_up, older.terms):
        return False
    shared = len(shared_terms(older, newer))
    if cosine is not None and shared > 0 and cosine >= CLOSE_MEANING:
        return True
    by_words = shared >= MIN_SHARED and shared >= SHARE_OF_OLDER * len(older.terms)
    return by_words and (cosine is None or cosine >= RELATED_MEANING)


def _gave_up(other: Statement, returns: AbstractSet[str], subject: AbstractSet[str]) -> bool:
    """Return whether a statement gave up what a change returns to."""
    return (
        bool(other.given_up)
        and has_most(returns, other.given_up)
        and (not subject or bool(common_terms(subject, other.terms)))
    )


def _concern_by_subject(said: Statement, other: Statement, subject: AbstractSet[str]) -> Concern:
    if contradiction(said, other) is Contradiction.VALUE:
        return Concern.CLEAR
    if not subject or not has_most(subject, other.terms):
        return Concern.NONE
    # "We changed our mind about X" names the earlier decision; "we moved to Y for X" may be about another side of X.
    names_decision = said.change is not None and said.change.cue in REOPENED
    return Concern.CLEAR if names_decision else Concern.POSSIBLE if len(subject) > 1 else Concern.NONE


def _is_chosen(name: Sequence[str], tokens: Sequence[str]) -> bool:
    """Return whether a statement makes this name its choice, and does not only mention it."""
    for start in range(len(tokens) - len(name) + 1):
        if name and all(map(same_word, name, tokens[start : start + len(name)])):
            stop = start + len(name)
            before = tokens[start - 1] if start else ""
            follows = stop == len(tokens) or tokens[stop] in _FOLLOWS_VALUE
            # 用 Jenkins 跑測試: the Chinese word after a name in Latin letters is a verb.
            if before in _USES_UNSPACED and not follows:
                follows = tokens[stop - 1].isascii() and not tokens[stop].isascii()
            # "The tool is X Studio 5": what follows a copula is the choice, with the rest of its name.
            return before in _COPULAS or (follows and (not before or before in TAKES_VALUE | _CHOOSES))
    return False


def _is_used(name: Sequence[str], tokens: Sequence[str]) -> bool:
    """Return whether a statement in Chinese says that something with this name, or a longer one, is used."""
    return any(
        tokens[start] in _USES_UNSPACED and all(map(same_word, name, tokens[start + 1 : start + 1 + len(name)]))
        for start in range(len(tokens) - len(name))
    )
