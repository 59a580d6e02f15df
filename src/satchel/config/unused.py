"""Find values of the settings file that change nothing, always or in this environment."""

from collections.abc import Iterator

from satchel.config import file
from satchel.config.answers import SettingSource
from satchel.config.catalogue import SettingEntry
from satchel.config.sources import CATALOGUE, SettingsSources, flat_file

_SCOPES = "scope_policy"


def overridden_values(sources: SettingsSources) -> Iterator[tuple[str, str]]:
    """Yield the key of each setting in the file that the environment overrides, and by what."""
    for entry in _written(sources):
        if sources.of(entry).source is SettingSource.ENVIRONMENT:
            yield entry.key, f"{entry.variable} overrides it"


def unused_values(sources: SettingsSources) -> Iterator[tuple[str, str]]:
    """Yield the key of each setting in the file that does nothing, and why."""
    for entry in _written(sources):
        if entry.group and entry.name != "enabled" and _is_off(sources, entry.group):
            yield entry.key, f"{entry.group} is switched off"
    yield from _unused_fallbacks(sources)


def _written(sources: SettingsSources) -> Iterator[SettingEntry]:
    return (CATALOGUE[key] for key in flat_file(file.read(sources.file), str(sources.file)))


def _is_off(sources: SettingsSources, group: str) -> bool:
    return CATALOGUE.has_switch(group) and sources.of(CATALOGUE[f"{group}.enabled"]).value is False


def _unused_fallbacks(sources: SettingsSources) -> Iterator[tuple[str, str]]:
    policy = sources.settings.scope_policy
    if policy.default_scope in policy.fallback_scopes:
        yield f"{_SCOPES}.fallback_scopes", f"{policy.default_scope} is the default scope as well"
