"""Find values of the settings file and variables of the environment that change nothing."""

from collections.abc import Iterator

from satchel.config import file
from satchel.config.answers import SettingSource
from satchel.config.catalogue import SettingEntry
from satchel.config.environment import PREFIX
from satchel.config.sources import CATALOGUE, SettingsSources, flat_file

_SCOPES = "scope_policy"
# How near a name must be, from 0 to 1: other programs may have variables with our prefix.
MIN_LIKENESS = 0.85


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


def misspelt_variables(sources: SettingsSources) -> Iterator[tuple[str, str]]:
    """Yield each variable that does nothing, but is spelt nearly like that of a setting, and what was probably meant."""
    from difflib import get_close_matches

    known = {one.removeprefix(PREFIX): one for entry in CATALOGUE.entries for one in entry.variables}
    for name in sorted(sources.environment):
        word = name.removeprefix(PREFIX)
        if name.startswith(PREFIX) and word not in known:
            for meant in get_close_matches(word, known, n=1, cutoff=MIN_LIKENESS):
                yield name, f"did you mean {known[meant]}?"


def _written(sources: SettingsSources) -> Iterator[SettingEntry]:
    return (CATALOGUE[key] for key in flat_file(file.read(sources.file), str(sources.file)))


def _is_off(sources: SettingsSources, group: str) -> bool:
    return CATALOGUE.has_switch(group) and sources.of(CATALOGUE[f"{group}.enabled"]).value is False


def _unused_fallbacks(sources: SettingsSources) -> Iterator[tuple[str, str]]:
    policy = sources.settings.scope_policy
    if policy.default_scope in policy.fallback_scopes:
        yield f"{_SCOPES}.fallback_scopes", f"{policy.default_scope} is the default scope as well"
