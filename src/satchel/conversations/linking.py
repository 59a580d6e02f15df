"""Linking: which earlier decision a new one replaces, and that no decision comes to rest on itself."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from satchel.conversations.things import same_thing, terms_of
from satchel.domain.conversation import ClauseKind, Decision, DecisionId
from satchel.errors import Conflict

SAME_TOPIC, NEAR_TOPIC = 1.0, 0.5


def linked(new: Sequence[Decision], earlier: Sequence[Decision]) -> list[Decision]:
    """Return new decisions, each with the one it replaces. The decisions are in the order in which they were made."""
    gone = {other.replaces for other in earlier if other.replaces}
    # The newest first: that is what a change changes.
    standing = [other for other in reversed(earlier) if other.id not in gone]
    known, done = list(earlier), list[Decision]()
    for one in new:
        target = one.replaces or _replaced(one, known, standing)
        made = one if target is None else replace(one, replaces=target)
        known.append(made)
        done.append(made)
        standing = [made, *(other for other in standing if other.id != target)]
    return done


def _replaced(one: Decision, known: Sequence[Decision], standing: Sequence[Decision]) -> DecisionId | None:
    """Return the newest decision that holds and that this one takes the place of."""
    for clause in (*one.clauses_of(ClauseKind.REPLACED), *one.clauses_of(ClauseKind.ALTERNATIVE)):
        if found := _choosing(clause.text, standing):
            return found.id
    if one.reverses and (returned := _superseder(one, known, standing)):
        return returned.id
    least = NEAR_TOPIC if one.reverses else SAME_TOPIC
    if other := next((other for other in standing if _is_other_answer(one, other, least)), None):
        return other.id
    return _only_one_before(one, standing) if one.reverses else None


def _only_one_before(one: Decision, standing: Sequence[Decision]) -> DecisionId | None:
    """Return what a change means that does not say what it changes: the one thing its conversation had decided."""
    near = [other for other in standing if other.conversation == one.conversation]
    alone = len(near) == 1 and not (one.topic and near[0].topic) and not one.clauses_of(ClauseKind.REPLACED)
    return near[0].id if alone and not same_thing(one.choice, near[0].choice) else None


def _choosing(name: str, standing: Iterable[Decision]) -> Decision | None:
    return next((one for one in standing if same_thing(name, one.choice)), None)


def _superseder(one: Decision, known: Sequence[Decision], standing: Sequence[Decision]) -> Decision | None:
    """Return what has taken the place of an earlier decision for the same thing: going back to it replaces that."""
    before = next((other for other in reversed(known) if same_thing(one.choice, other.choice)), None)
    if before is None:
        return None
    following: Decision | None = before
    while following is not None and following not in standing:
        following = next((other for other in known if other.replaces == following.id), None)
    return None if following is before else following


def _is_other_answer(one: Decision, other: Decision, least: float) -> bool:
    mine, theirs = _topic(one), _topic(other)
    shared = len(mine & theirs)
    return bool(shared) and shared / len(mine | theirs) >= least and not same_thing(one.choice, other.choice)


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
