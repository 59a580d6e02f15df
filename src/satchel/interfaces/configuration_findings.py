"""What the doctor says about the settings, and about the hosts that Satchel is installed in."""

from collections.abc import Iterable, Iterator

from satchel.config.sources import SettingsSources
from satchel.config.unused import misspelt_variables, overridden_values, unused_values
from satchel.domain.answers import HealthFinding
from satchel.interfaces.install.answers import HostStatus, Level
from satchel.interfaces.install.service import Installer

SETTINGS = "configuration"
HOSTS = "hosts"
_WELL = ("", "yes", "no")


def settings_findings(sources: SettingsSources) -> Iterator[HealthFinding]:
    """Report values that do nothing. Invalid ones are an error of every command but 'satchel config'."""
    if unused := _listed(unused_values(sources)):
        message = f"{sources.file.name} has values that do nothing: {unused}"
        yield HealthFinding(SETTINGS, "warning", message, "satchel config unset KEY removes one")
    if misspelt := _listed(misspelt_variables(sources)):
        yield HealthFinding(SETTINGS, "warning", f"variables that do nothing: {misspelt}", "correct or unset them")
    if overridden := _listed(overridden_values(sources)):
        # Mostly on purpose, for one command.
        yield HealthFinding(SETTINGS, "ok", f"{sources.file.name} does not decide here: {overridden}")


def _listed(values: Iterable[tuple[str, str]]) -> str:
    return "; ".join(f"{key}: {why}" for key, why in values)


def host_findings(installer: Installer) -> Iterator[HealthFinding]:
    """Report the hosts whose configuration does not start this installation of Satchel."""
    for one in installer.statuses().hosts:
        for level, state in ((Level.USER, one.user), (Level.PROJECT, one.project)):
            if state not in _WELL:
                yield _host_finding(one, level, state)


def _host_finding(host: HostStatus, level: Level, state: str) -> HealthFinding:
    again = f"satchel install {host.host}{' --project' if level is Level.PROJECT else ''} writes it again"
    if state == "outdated":
        message = f"{host.title} ({level}): its configuration names other hooks or another command than this Satchel's"
        return HealthFinding(HOSTS, "warning", message, again)
    return HealthFinding(HOSTS, "warning", f"{host.title} ({level}): {state}", again)
