"""Links decisions into chains: which earlier decision a new one replaces."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec.structs import replace

from satchel.domain.conversation import EXPLICIT, ClauseKind, Decision, DecisionId
from satchel.domain.words import content_terms
from satchel.errors import Conflict

MAX_CHAIN = 50
# Minimum overlap of topics for a decision to replace another; lower if it says that it changes something.
SAME_TOPIC, NEAR_TOPIC = 1.0, 0.5
# Common words of topics, which do not identify one.
_TOPIC_WORDS = "which what should we use using choose pick new main our project service thing one 应该 该用 用什 用哪 哪个 什么 我们"
_COMMON_WORDS = frozenset(_TOPIC_WORDS.split())


@lru_cache(maxsize=16_384)
def topic_terms(text: str) -> frozenset[str]:
    """Return the terms that identify a choice or a topic."""
    terms = frozenset(content_terms(text))
    return (terms - _COMMON_WORDS) or terms


def is_same_choice(one: str, other: str) -> bool:
    """Return whether one name contains every term of the other."""
    mine, theirs = topic_terms(one), topic_terms(other)
    return bool(mine and theirs) and (mine <= theirs or theirs <= mine)


def link_replacements(new: Sequence[Decision], earlier: Sequence[Decision]) -> list[Decision]:
    """Return new decisions, each with the one it replaces. All decisions are in the order in which they were made."""
    replaced = {other.replaces for other in earlier if other.replaces}
    # The newest first: a change most likely refers to it.
    standing = [other for other in reversed(earlier) if other.id not in replaced]
    known, linked = list(earlier), list[Decision]()
    for one in new:
        target = one.replaces or _replaced(one, known, standing)
        made = one if target is None else replace(one, replaces=target)
        known.append(made)
        linked.append(made)
        standing = [made, *(other for other in standing if other.id != target)]
    return linked


def _replaced(one: Decision, known: Sequence[Decision], standing: Sequence[Decision]) -> DecisionId | None:
    """Return the newest standing decision that this one replaces."""
    for clause in (*one.clauses_of(ClauseKind.REPLACED), *one.clauses_of(ClauseKind.ALTERNATIVE)):
        if found := next((other for other in standing if is_same_choice(clause.text, other.choice)), None):
            return found.id
    if one.reverses and (successor := _standing_successor(one, known, standing)):
        return successor.id
    min_overlap = NEAR_TOPIC if one.reverses else SAME_TOPIC
    if rival := next((other for other in standing if _is_rival(one, other, min_overlap)), None):
        return rival.id
    if one.rule == EXPLICIT and (inherited := _on_inherited_topic(one, known, standing)):
        return inherited.id
    return _only_earlier(one, standing) if one.reverses else None


def _on_inherited_topic(one: Decision, known: Sequence[Decision], standing: Sequence[Decision]) -> Decision | None:
    """Return the newest standing decision on the same topic that only an earlier one of its chain names.

    Only for a decision by hand, whose topic is what a person wrote: a topic in a message may be about something near.
    """
    by_id = {other.id: other for other in known}
    unnamed = (replace(other, topic=_inherited_topic(other, by_id)) for other in standing if not other.topic)
    return next((other for other in unnamed if _is_rival(one, other, SAME_TOPIC)), None)


def _inherited_topic(decision: Decision, by_id: Mapping[DecisionId, Decision]) -> str:
    before: Decision | None = decision
    for _ in range(MAX_CHAIN):
        if before is None or before.topic or before.replaces is None:
            break
        before = by_id.get(before.replaces)
    return before.topic if before is not None else ""


def _only_earlier(one: Decision, standing: Sequence[Decision]) -> DecisionId | None:
    """Return the only earlier decision of the conversation, for a change that does not say what it changes."""
    near = [other for other in standing if other.conversation == one.conversation]
    is_only = len(near) == 1 and not (one.topic and near[0].topic) and not one.clauses_of(ClauseKind.REPLACED)
    return near[0].id if is_only and not is_same_choice(one.choice, near[0].choice) else None


def _standing_successor(one: Decision, known: Sequence[Decision], standing: Sequence[Decision]) -> Decision | None:
    """Return what has replaced an earlier decision for the same choice: going back to it replaces that."""
    before = next((other for other in reversed(known) if is_same_choice(one.choice, other.choice)), None)
    if before is None:
        return None
    following: Decision | None = before
    while following is not None and following not in standing:
        following = _successor(following, known)
    return None if following is before else following


def _is_rival(one: Decision, other: Decision, min_overlap: float) -> bool:
    mine, theirs = topic_terms(one.topic), topic_terms(other.topic)
    shared = len(mine & theirs)
    return bool(shared) and shared / len(mine | theirs) >= min_overlap and not is_same_choice(one.choice, other.choice)


def require_no_cycle(one: Decision, known: Iterable[Decision]) -> None:
    """Refuse a decision that would depend on itself."""
    edges = {other.id: _depends_on(other) for other in known}
    seen, ahead = set[DecisionId](), [*_depends_on(one)]
    while ahead:
        id = ahead.pop()
        if id == one.id:
            raise Conflict(
                f"{one.id} would depend on itself", code="cycle_refused", hint="name earlier decisions as causes"
            )
        if id not in seen:
            seen.add(id)
            ahead += edges.get(id, ())


def _depends_on(one: Decision) -> tuple[DecisionId, ...]:
    return (*([one.replaces] if one.replaces else []), *one.caused_by)


def chain_of(decision: Decision, decisions: Sequence[Decision]) -> list[Decision]:
    """Return the chain of replacements that contains a decision, newest first."""
    by_id = {one.id: one for one in decisions}
    later: list[Decision] = []
    following = _successor(decision, decisions)
    while following is not None and len(later) < MAX_CHAIN and following not in later:
        later.append(following)
        following = _successor(following, decisions)
    earlier: list[Decision] = []
    before = by_id.get(decision.replaces) if decision.replaces else None
    while before is not None and len(earlier) < MAX_CHAIN and before not in earlier:
        earlier.append(before)
        before = by_id.get(before.replaces) if before.replaces else None
    return [*reversed(later), decision, *earlier]


def _successor(decision: Decision, decisions: Sequence[Decision]) -> Decision | None:
    return next((one for one in decisions if one.replaces == decision.id), None)
