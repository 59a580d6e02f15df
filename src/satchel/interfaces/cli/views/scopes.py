"""Views of scopes."""

from satchel.domain.moment import iso
from satchel.domain.scopes import ScopeContents, ScopeDeleted, ScopeList
from satchel.interfaces.cli.views.lines import Lines, Views, tally
from satchel.interfaces.cli.views.memories import erasure_check


def _listed(result: ScopeList) -> Lines:
    for one in result.scopes:
        default = "  (default)" if one.scope == result.default else ""
        yield f"{one.scope}{default}", "bold"
        yield f"  {_contents(one)}", ""
    if not result.scopes:
        yield "nothing is stored yet", "dim"


def _contents(one: ScopeContents) -> str:
    newest = f", newest {iso(one.newest)[:10]}" if one.newest is not None else ""
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


VIEWS: Views = {"scopes": _listed, "scopes delete": _deleted}
