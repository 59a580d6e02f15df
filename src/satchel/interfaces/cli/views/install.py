"""Views of the hosts that Satchel is installed in."""

from satchel.interfaces.cli.views.lines import Lines, Views
from satchel.interfaces.install.answers import HostList, HostStatus, InstallReport, Uninstalled

_ACTIONS = {
    "installed": ("Satchel is installed in {} ({})", "bold green"),
    "updated": ("Satchel is updated in {} ({})", "bold green"),
    "unchanged": ("already installed in {} ({}); nothing changed", "green"),
    "planned": ("nothing was written to {} ({}): this was a dry run", ""),
    "cancelled": ("nothing was changed in {} ({})", "yellow"),
    "uninstalled": ("Satchel is removed from {} ({})", "bold green"),
    "not_installed": ("Satchel is not installed in {} ({})", ""),
}
_WIDTH = 13


def _install(result: InstallReport | HostList) -> Lines:
    if isinstance(result, HostList):
        for one in result.hosts:
            yield from _host(one)
        return
    yield from _report(result)


def _host(one: HostStatus) -> Lines:
    where = "found" if one.found else "not found"
    project = f", project: {one.project}" if one.project else ""
    yield f"{one.host:<{_WIDTH}}{where:<11}user: {one.user}{project}", "bold" if one.found else "dim"
    if one.program:
        yield f"{'':<{_WIDTH}}program {one.program}", "dim"
    for path in one.files:
        yield f"{'':<{_WIDTH}}{path}", "dim"


def _report(result: InstallReport) -> Lines:
    text, style = _ACTIONS[result.action]
    yield text.format(result.host, result.level), style
    for change in result.changes:
        if change.action != "keep" and result.action in ("installed", "updated", "uninstalled"):
            backup = f" (copy of the old one: {change.backup})" if change.backup else ""
            yield f"  {change.action} {change.path}{backup}", ""
    for check in result.checks:
        mark, style = ("✓", "green") if check.passed else ("✗", "red")
        yield f"  {mark} {check.message}", style
    for warning in result.warnings:
        yield f"  ! {warning}", "yellow"
    for number, step in enumerate(result.next_steps, 1):
        yield f"  {number}. {step}", ""


def _uninstall(result: Uninstalled) -> Lines:
    done = [one for one in result.reports if one.action != "not_installed"]
    for one in done or result.reports:
        yield from _report(one)
    for folder in result.elsewhere:
        yield f"  still installed in the project of {folder}: run this command there", "dim"
    for folder in result.users:
        yield f"  still installed in {folder} for every project: 'satchel uninstall {result.host} --user'", "dim"
    if any(one.action == "uninstalled" for one in done):
        yield "your memories stay in the store", "dim"


VIEWS: Views = {"install": _install, "uninstall": _uninstall}
