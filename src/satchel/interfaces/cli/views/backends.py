"""Views of the router's backends."""

from satchel.interfaces.cli.views.lines import Lines, Views, one_line, tally
from satchel.routing.values import BackendList, Noted, Probes

_STYLES = {"ready": "green", "degraded": "yellow", "installed": "yellow"}


def _backends(result: BackendList) -> Lines:
    if result.written:
        yield f"wrote {result.state_file}", "green"
    elif not result.found:
        yield f"no {result.state_file}: using Satchel's own backends", "dim"
    for one in result.backends:
        held = "" if one.in_tier else f", not in tier {result.tier}"
        modes = f" ({tally(one.modes)})" if one.modes else ""
        yield f"{one.name:12} {one.status:12} {one.adapter}{modes}{held}", _STYLES.get(one.status, "red")
        if one.message:
            yield f"    {one_line(one.message)}", "dim"
    if result.tier:
        yield f"tier {result.tier}", "dim"


def _probes(result: Probes) -> Lines:
    for one in result.probes:
        modes = f" ({tally(one.modes)})" if one.modes else ""
        yield f"{one.backend:12} {one.status:12} {one.adapter}{modes}", _STYLES.get(one.status, "red")
        if one.reason:
            yield f"    {one_line(one.reason)}", "dim"


def _noted(result: Noted) -> Lines:
    yield f"wrote {result.file} by {result.adapter}", "green"


VIEWS: Views = {
    "backends list": _backends,
    "backends probe": _probes,
    "backends write": _noted,
    "backends install": _backends,
}
