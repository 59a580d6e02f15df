"""Which rule a new one replaces, when it is said to replace one: the one it clearly means, or none and the candidates."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.likeness import singular
from satchel.domain.words import question_terms

MAX_CANDIDATES = 5
# How far the best match must lead the second, so that it is the one.
CLEAR_LEAD = 2.0
# Every rule is phrased with these; they say nothing of what it is about.
_PHRASING_WORDS = (
    "always never prefer prefers preferred avoid use using used rule rules preference preferences from now on going forward "
    "moving please remember should must want like replace previous old new my instead keep make every each all any only about "
    "regarding 以後 以后 之後 之后 一律 統一 统一 永遠 永远 總是 总是 規則 规则 偏好 喜歡 喜欢 不要 避免 記住 记住 使用 我的 決定 决定 改成 "
    "都用 從現 从现 現在 现在"
)
_PHRASING = frozenset(_PHRASING_WORDS.split())


class Rule(Struct, frozen=True):
    """A rule that the store holds."""

    id: str
    text: str
    created_at: int


class Replacement(Struct, frozen=True):
    """The rule that gives way, or else those it could be, the likeliest first."""

    replaced: str | None
    candidates: tuple[str, ...] = ()


def replaced_rule(new: str, about: str | None, rules: Sequence[Rule]) -> Replacement:
    """Say which rule a new one replaces, by what it says it is about, else by the words that both have in common.

    Nothing in common, or as much with two of them, is not enough to retire a rule: then it could not be told which.
    """
    asked = _subject(about or "") or _subject(new)
    subjects = {rule.id: _subject(rule.text) for rule in rules}
    # A word that several rules share tells less of which one is meant.
    known_by = Counter(word for subject in subjects.values() for word in subject)
    scores = {rule.id: sum(1 / known_by[word] for word in asked & subjects[rule.id]) for rule in rules}
    ranked = sorted(rules, key=lambda rule: (-scores[rule.id], -rule.created_at, rule.id))
    best, second = [*(scores[rule.id] for rule in ranked[:2]), 0.0, 0.0][:2]
    if best > 0 and best >= CLEAR_LEAD * second:
        return Replacement(ranked[0].id)
    likely = [rule for rule in ranked if scores[rule.id] > 0] or ranked
    return Replacement(None, tuple(rule.id for rule in likely[:MAX_CANDIDATES]))


def _subject(text: str) -> frozenset[str]:
    return frozenset(singular(word) for word in question_terms(text) if word not in _PHRASING)
