"""Linking: which earlier decision a new one replaces, and that no decision comes to rest on itself."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from satchel.domain.conversation import ClauseKind, Decision, DecisionId
from satchel.domain.words import telling_terms
from satchel.errors import Conflict

# What stands in many topics and tells nothing of them.
_EMPTY = frozenset(
    [
        "which",
        "what",
        "should",
        "we",
        "use",
        "using",
        "choose",
        "pick",
        "new",
        "main",
        "our",
        "project",
        "service",
        "thing",
        "one",
        "go",
        "应该",
        "该用",
        "用什",
        "用哪",
        "哪个",
        "什么",
        "我们",
    ]
)
SAME_TOPIC, NEAR_TOPIC = 1.0, 0.5


def terms_of(text: str) -> frozenset[str]:
    """Return the words that a choice or a topic is known by."""
    terms = frozenset(telling_terms(text))
    return (terms - _EMPTY) or terms


def linked(new: Sequence[Decision], earlier: Sequence[Decision]) -> list[Decision]:
    """Return new decisions, each with the one it replaces. The decisions are in the order in which they were made."""
    known, done = list(earlier), []
    for one in new:
        target = one.replaces or _replaced(one, known)
        linked_one = one if target is None else replace(one, replaces=target)
        known.append(linked_one)
        done.append(linked_one)
    return done


def _replaced(one: Decision, known: Sequence[Decision]) -> DecisionId | None:
    """Return the newest decision that holds and that this one takes the place of."""
    gone = {other.replaces for other in known if other.replaces}
    standing = [other for other in reversed(known) if other.id not in gone and other.id != one.id]
    for clause in (*one.clauses_of(ClauseKind.REPLACED), *one.clauses_of(ClauseKind.ALTERNATIVE)):
        if found := _choosing(clause.text, standing):
            return found.id
    if one.reverses and (returned := _superseder(one, known, standing)):
        return returned.id
    least = NEAR_TOPIC if one.reverses else SAME_TOPIC
    return next((other.id for other in standing if _is_other_answer(one, other, least)), None)


def _choosing(name: str, standing: Iterable[Decision]) -> Decision | None:
    wanted = terms_of(name)
    return next((one for one in standing if wanted and _same_thing(wanted, terms_of(one.choice))), None)


def _same_thing(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one and other) and (one <= other or other <= one)


def _superseder(one: Decision, known: Sequence[Decision], standing: Sequence[Decision]) -> Decision | None:
    """Return what has taken the place of an earlier decision for the same thing: going back to it replaces that."""
    before = next(
        (other for other in reversed(known) if _same_thing(terms_of(one.choice), terms_of(other.choice))), None
    )
    if before is None:
        return None
    following: Decision | None = before
    while following is not None and following not in standing:
        following = next((other for other in known if other.replaces == following.id), None)
    return None if following is before else following


def _is_other_answer(one: Decision, other: Decision, least: float) -> bool:
    mine, theirs = _topic(one), _topic(other)
    if not mine or not theirs or _same_thing(terms_of(one.choice), terms_of(other.choice)):
        return False
    return len(mine & theirs) / len(mine | theirs) >= least


def _topic(one: Decision) -> frozenset[str]:
    return terms_of(one.topic) if one.topic else frozenset()


def require_no_cycle(one: Decision, edges: Mapping[DecisionId, Iterable[DecisionId]]) -> None:
    """Refuse a decision that would, over others, be a reason for itself."""
    seen, ahead = set[DecisionId](), [*([one.replaces] if one.replaces else []), *one.caused_by]
    while ahead:
        id = ahead.pop()
        if id == one.id:
            raise Conflict(
                f"{one.id} would rest on itself", code="cycle_refused", hint="a decision follows from earlier ones"
            )
        if id not in seen:
            seen.add(id)
            ahead += edges.get(id, ())
