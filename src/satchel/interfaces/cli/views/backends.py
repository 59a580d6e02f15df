"""The backends of the router, as a person sees them."""

from collections.abc import Callable

from satchel.interfaces.cli.views.lines import Lines, one_line, pairs
from satchel.routing.values import BackendList, Noted, Probes

_STYLES = {"ready": "green", "degraded": "yellow", "installed": "yellow"}


def _backends(result: BackendList) -> Lines:
    if result.written:
        yield f"wrote {result.state_file}", "green"
    elif not result.found:
        yield f"there is no {result.state_file}: Satchel's own backends are used", "dim"
    for one in result.backends:
        held = "" if one.in_tier else f", not part of the tier {result.tier}"
        modes = f" ({pairs(one.modes)})" if one.modes else ""
        yield f"{one.name:12} {one.status:12} {one.adapter}{modes}{held}", _STYLES.get(one.status, "red")
        if one.message:
            yield f"    {one_line(one.message)}", "dim"
    if result.tier:
        yield f"tier {result.tier}", "dim"


def _probes(result: Probes) -> Lines:
    for one in result.probes:
        modes = f" ({pairs(one.modes)})" if one.modes else ""
        yield f"{one.backend:12} {one.status:12} {one.adapter}{modes}", _STYLES.get(one.status, "red")
        if one.reason:
            yield f"    {one_line(one.reason)}", "dim"


def _noted(result: Noted) -> Lines:
    yield f"written to {result.file} by {result.adapter}", "green"


VIEWS: dict[str, Callable[..., Lines]] = {
    "backends list": _backends,
    "backends probe": _probes,
    "backends write": _noted,
    "backends install": _backends,
}
