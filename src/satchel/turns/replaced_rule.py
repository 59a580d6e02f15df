"""Find the stored rule that a new rule replaces, or the candidates if it is ambiguous."""

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.similarity import singular
from satchel.domain.words import question_terms

MAX_CANDIDATES = 5
# Minimum lead of the best match over the second.
CLEAR_LEAD = 2.0
# Words that phrase a rule without saying what it is about.
_PHRASING_WORDS = (
    "always never prefer prefers preferred avoid use using used rule rules preference preferences from now on going forward "
    "moving please remember should must want like replace previous old new my instead keep make every each all any only about "
    "regarding 以後 以后 之後 之后 一律 統一 统一 永遠 永远 總是 总是 規則 规则 偏好 喜歡 喜欢 不要 避免 記住 记住 使用 我的 決定 决定 改成 "
    "都用 從現 从现 現在 现在"
)
_PHRASING = frozenset(_PHRASING_WORDS.split())


class StoredRule(Struct, frozen=True):
    """A rule in the store."""

    id: str
    text: str
    created_at: int


class RuleReplacement(Struct, frozen=True):
    """The replaced rule, or the candidates, most likely first."""

    replaced: str | None
    candidates: tuple[str, ...] = ()
    related: bool = False
    """Whether the candidates share words with the new rule; if none does, every rule is a candidate."""


def find_replaced_rule(new: str, about: str | None, rules: Sequence[StoredRule]) -> RuleReplacement:
    """Find the replaced rule by the subject the new rule names, else by the words in common.

    No word in common, or no clear lead of one rule, retires nothing and returns the candidates.
    """
    asked = _subject(about or "") or _subject(new)
    subjects = {rule.id: _subject(rule.text) for rule in rules}
    # A word shared by several rules says less about which one is meant.
    known_by = Counter(word for subject in subjects.values() for word in subject)
    scores = {rule.id: sum(1 / known_by[word] for word in asked & subjects[rule.id]) for rule in rules}
    ranked = sorted(rules, key=lambda rule: (-scores[rule.id], -rule.created_at, rule.id))
    best, second = [*(scores[rule.id] for rule in ranked[:2]), 0.0, 0.0][:2]
    if best > 0 and best >= CLEAR_LEAD * second:
        return RuleReplacement(ranked[0].id)
    likely = [rule for rule in ranked if scores[rule.id] > 0]
    return RuleReplacement(None, tuple(rule.id for rule in (likely or ranked)[:MAX_CANDIDATES]), bool(likely))


def _subject(text: str) -> frozenset[str]:
    return frozenset(singular(word) for word in question_terms(text) if word not in _PHRASING)
