"""Find values of the settings file that change nothing."""

from collections.abc import Iterator

from satchel.config import file
from satchel.config.answers import SettingSource
from satchel.config.sources import CATALOGUE, SettingsSources, flat_file

_SCOPES = "scope_policy"


def unused_values(sources: SettingsSources) -> Iterator[tuple[str, str]]:
    """Yield the key of each setting in the file that does nothing, and why."""
    written = flat_file(file.read(sources.file), str(sources.file))
    for key in written:
        reading = sources.of(CATALOGUE[key])
        group, name = reading.entry.group, reading.entry.name
        if reading.source is SettingSource.ENVIRONMENT:
            yield key, f"{reading.entry.variable} overrides it"
        elif reading.source is SettingSource.FILE and group and name != "enabled" and _is_off(sources, group):
            yield key, f"{group} is switched off"
    yield from _unused_fallbacks(sources)


def _is_off(sources: SettingsSources, group: str) -> bool:
    return CATALOGUE.has_switch(group) and sources.of(CATALOGUE[f"{group}.enabled"]).value is False


def _unused_fallbacks(sources: SettingsSources) -> Iterator[tuple[str, str]]:
    policy = sources.settings.scope_policy
    if policy.default_scope in policy.fallback_scopes:
        yield f"{_SCOPES}.fallback_scopes", f"{policy.default_scope} is the default scope as well"
