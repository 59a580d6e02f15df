"""Views of changes and of taking them back."""

from satchel.domain.automatic_tags import MOVE
from satchel.domain.undo import ChangeList, PastChange, Undone, short_name
from satchel.interfaces.cli.views.lines import Lines, Views, count, tally
from satchel.interfaces.local_time import local_time

_NOUNS = {"turns": "turn", "documents": "document", "entities": "entity", "relations": "relation"}
_LEFT = {
    "changed_since": "changed again since",
    "forgotten": "forgotten since",
    "grade_of_observation": "an observation, which keeps its grade",
}


def _undone(result: Undone) -> Lines:
    change = _named(result.change)
    if result.action == "declined":
        yield f"{change} was not taken back", "yellow"
        return
    done = "would take back" if result.action == "planned" else "took back"
    yield f"{done} {change}", "yellow" if result.action == "planned" else "green"
    if restored := result.memories - result.retired:
        yield f"  as before: {count(restored, 'memory')}", ""
    if result.retired:
        yield f"  retired, because the change created them: {result.retired:,}", ""
    if result.observations:
        yield f"  as before: {count(result.observations, 'observation')}", ""
    if result.edges:
        yield f"  edges restored: {result.edges}", ""
    if result.moved:
        yield f"  in their former scope: {tally(result.moved)}", ""
    for one in result.left:
        yield f"  left alone: {one.id}, {_LEFT[one.reason]}", "yellow"
    if result.left_unlisted:
        yield f"  left alone: {result.left_unlisted} more", "yellow"
    for stays in result.stays:
        yield f"  left: {count(stays.count, _NOUNS[stays.record])}, erased by '{stays.erased_by}'", "yellow"
    for gone in result.skipped:
        yield f"  not taken back: {gone.operation} of {local_time(gone.at)}: {gone.reason}", "dim"
    if result.action == "planned":
        yield "nothing was written", "dim"
    elif result.receipt and result.change.operation != MOVE:
        yield f"'satchel undo {short_name(result.receipt)}' takes this back", "dim"


def _listed(result: ChangeList) -> Lines:
    for one in result.changes:
        state = " · taken back" if one.undone else f" · cannot be taken back: {one.problem}" if one.problem else ""
        yield f"{short_name(one.id)}  {_named(one)}{state}", "dim" if state else ""
    if not result.changes:
        yield "no changes yet", "dim"
    if result.more:
        yield "there are more: --limit", "dim"


def _named(change: PastChange) -> str:
    records = [count(change.memories, "memory")] if change.memories else []
    records += [count(change.observations, "observation")] if change.observations else []
    return f"{change.operation} of {local_time(change.at)} by {change.actor}: {', '.join(records)} in {', '.join(change.scopes)}"


VIEWS: Views = {"undo": _undone, "undo list": _listed}
