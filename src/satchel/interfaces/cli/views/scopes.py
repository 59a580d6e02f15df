"""Views of scopes."""

from satchel.domain.scopes import ScopeContents, ScopeDeleted, ScopeList, ScopesMoved
from satchel.interfaces.cli.views.lines import Lines, Views, tally
from satchel.interfaces.cli.views.memories import erasure_check
from satchel.interfaces.local_time import local_day


def _listed(result: ScopeList) -> Lines:
    for one in result.scopes:
        default = "  (default)" if one.scope == result.default else ""
        yield f"{one.scope}{default}", "bold"
        yield f"  {_contents(one)}", ""
    if not result.scopes:
        yield "nothing is stored yet", "dim"


def _contents(one: ScopeContents) -> str:
    newest = f", newest {local_day(one.newest)}" if one.newest is not None else ""
    return f"{tally(one.records)}{newest}"


def _deleted(result: ScopeDeleted) -> Lines:
    if result.action == "declined":
        yield f"scope {result.scope} was not erased", "yellow"
        return
    planned = result.action == "planned"
    yield f"{'would erase' if planned else 'erased'} scope {result.scope}", "yellow" if planned else "green"
    yield f"  {tally(result.records)}", ""
    if planned:
        yield "nothing was written", "dim"
        return
    yield f"  erased from: {', '.join(result.erased_from)}", "dim"
    if result.pending:
        yield f"  not cleared yet, another process is using it: {', '.join(result.pending)}", "red"
    if result.check is not None:
        yield from erasure_check(result.check)


def _moved(result: ScopesMoved) -> Lines:
    names = ", ".join(result.sources)
    if result.action == "declined":
        yield f"{names} was not moved", "yellow"
        return
    planned = result.action == "planned"
    yield f"{'would move' if planned else 'moved'} {names} to {result.target}", "yellow" if planned else "green"
    if result.records:
        yield f"  {tally(result.records)}", ""
    if result.retired:
        yield f"  retired, because {result.target} says the same: {result.retired}", ""
    if result.dropped:
        yield f"  dropped, because {result.target} has its own: {tally(result.dropped)}", ""
    if result.renamed:
        yield f"  conversations with another name: {', '.join(result.renamed)}", ""
    if result.left:
        yield f"  damaged, and left: {tally(result.left)}; run 'satchel doctor --fix', then this again", "red"
    for one in result.still_named:
        yield f"  still names it: {one}", "yellow"
    if planned:
        yield "nothing was written", "dim"
    elif result.tag:
        yield f"'satchel undo {result.tag}' takes it back", "dim"


VIEWS: Views = {"scopes": _listed, "scopes delete": _deleted, "scopes rename": _moved, "scopes merge": _moved}
