"""Read settings from their sources: flags override the environment, the environment overrides the file."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.config import file, scopes
from satchel.config.answers import SettingSource, Value
from satchel.config.catalogue import SettingEntry
from satchel.config.environment import variables
from satchel.config.settings import Settings, value_of
from satchel.config.values import check_value, folder, parse_value, platform_folder
from satchel.domain.policies import ScopePolicy
from satchel.errors import InvalidRequest

CATALOGUE = file.CATALOGUE
GIVEN = "given"


class SettingReading(Struct, frozen=True):
    """One setting as it was read."""

    entry: SettingEntry
    value: Value
    source: SettingSource
    problem: InvalidRequest | None = None
    """Why the value found was rejected; `value` is then the default."""


class SettingsSources(Struct, frozen=True, dict=True):
    """All settings as they were read, valid or not, so that `satchel config` can repair them."""

    file: Path
    readings: tuple[SettingReading, ...]
    file_problems: tuple[InvalidRequest, ...] = ()
    """Problems of the file other than the values of known settings."""
    given: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> tuple[InvalidRequest, ...]:
        """All problems; with any, the settings cannot be used."""
        return (*self.file_problems, *(one.problem for one in self.readings if one.problem))

    @cached_property
    def settings(self) -> Settings:
        """The settings. Raises the first problem, if there is one."""
        for problem in self.problems[:1]:
            raise _with_count(problem, len(self.problems) - 1)
        top: dict[str, Any] = {}
        groups: dict[str, dict[str, Value]] = {}
        for one in self.readings:
            values = groups.setdefault(one.entry.group, {}) if one.entry.group else top
            values[one.entry.name] = one.value
        return Settings(**top, **{name: CATALOGUE.groups[name](**values) for name, values in groups.items()})

    def of(self, entry: SettingEntry) -> SettingReading:
        """Return the reading of one setting."""
        return next(one for one in self.readings if one.entry == entry)

    def check(self, entry: SettingEntry, value: Value, where: str) -> SettingReading:
        """Return the reading that a setting would have with another value."""
        readings = [replace(one, value=value, problem=None) if one.entry == entry else one for one in self.readings]
        return next(one for one in _with_scope_problems(readings, where, where) if one.entry == entry)

    def reload(self) -> "SettingsSources":
        """Read the same sources again."""
        return read_sources(self.environment, **self.given)


def _with_count(problem: InvalidRequest, others: int) -> InvalidRequest:
    if not others:
        return problem
    hint = f"{problem.hint}; " if problem.hint else ""
    return InvalidRequest(problem.message, code=problem.code, hint=f"{hint}{others} more: 'satchel config' lists them")


def load(environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Load the settings: arguments override the environment, the environment the file, the file the defaults.

    Arguments are nested like the file: `load(home="…", recall={"limit": 3}, budget=False)`.
    """
    return read_sources(environment, **given).settings


def read_sources(environment: Mapping[str, str] | None = None, **given: Any) -> SettingsSources:
    """Read the settings for the home folder in the arguments, the environment, or the platform's default."""
    environment = variables() if environment is None else environment
    given = {name: value for name, value in given.items() if value is not None}
    if given.get("home") == "":
        raise InvalidRequest("the home folder is empty", code="invalid_setting", hint="give --home a folder")
    flags, problems = _flat(given, GIVEN)
    for problem in problems:
        raise problem
    path = _home(flags, environment) / file.NAME
    written, problems = _read_file(path)
    readings = [_reading(entry, flags, environment, written, str(path)) for entry in CATALOGUE.entries]
    return SettingsSources(path, tuple(_with_scope_problems(readings, str(path))), tuple(problems), given, environment)


def sources_of(settings: Settings) -> SettingsSources:
    """Return sources for a Settings value that the caller built."""
    readings = tuple(
        SettingReading(entry, value_of(settings, entry), SettingSource.FLAG) for entry in CATALOGUE.entries
    )
    return SettingsSources(settings.home_folder / file.NAME, readings)


def _home(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Path:
    home = _reading(CATALOGUE["home"], flags, environment, {}, "")
    if home.problem:
        raise home.problem
    return folder(str(home.value)) if home.value else platform_folder()


def _reading(
    entry: SettingEntry, flags: Mapping[str, Any], environment: Mapping[str, str], written: Mapping[str, Any], path: str
) -> SettingReading:
    """Read a setting from the strongest source that has it; weaker sources are not checked."""
    source = SettingSource.DEFAULT
    try:
        if entry.key in flags:
            source = SettingSource.FLAG
            return SettingReading(entry, check_value(entry, flags[entry.key], GIVEN), source)
        for variable in entry.variables:
            if text := environment.get(variable):
                source = SettingSource.ENVIRONMENT
                return SettingReading(entry, parse_value(entry, text, variable), source)
        if entry.key in written:
            source = SettingSource.FILE
            return SettingReading(entry, check_value(entry, written[entry.key], path), source)
    except InvalidRequest as problem:
        return SettingReading(entry, entry.default, source, problem)
    return SettingReading(entry, entry.default, source)


def _with_scope_problems(readings: Sequence[SettingReading], path: str, where: str = "") -> Iterator[SettingReading]:
    """Yield the readings; those with a scope name that is invalid under the scope policy get a problem."""
    values = {one.entry.name: one.value for one in readings if one.entry.group == scopes.GROUP}
    policy = ScopePolicy(**values)  # type: ignore[arg-type]
    for one in readings:
        named = one.entry.group == scopes.GROUP and one.entry.name in scopes.SCOPE_SETTINGS
        problem = scopes.scopes_problem(policy, one.entry.name) if named else None
        if problem is None or one.problem:
            yield one
        else:
            places = {SettingSource.FILE: path, SettingSource.ENVIRONMENT: one.entry.variable}
            place = where or places.get(one.source, GIVEN)
            yield replace(one, value=one.entry.default, problem=scopes.invalid_scope(one.entry.name, problem, place))


def _read_file(path: Path) -> tuple[dict[str, Any], list[InvalidRequest]]:
    try:
        return _flat(file.read(path), str(path))
    except InvalidRequest as problem:
        return {}, [problem]


def flat_file(data: Mapping[str, Any], where: str) -> Mapping[str, Any]:
    """Return the values of known settings in the content of a settings file, by key."""
    return _flat(data, where)[0]


def _flat(data: Mapping[str, Any], where: str) -> tuple[dict[str, Any], list[InvalidRequest]]:
    """Return the values by key, and a problem for every key that is unknown or misplaced."""
    values: dict[str, Any] = {}
    problems: list[InvalidRequest] = []
    for key, value in _flattened(data):
        if key in CATALOGUE and (where == GIVEN or CATALOGUE[key].in_file):
            values[key] = value
        else:
            problems.append(_misplaced(key, where))
    return values, problems


def _flattened(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if name in CATALOGUE.groups and isinstance(value, bool) and CATALOGUE.has_switch(name):
            yield f"{name}.enabled", value
        elif name in CATALOGUE.groups and isinstance(value, Mapping):
            yield from ((f"{name}.{key}", one) for key, one in value.items() if one is not None)
        elif isinstance(value, str) and (entry := CATALOGUE.with_other_name(name)) is not None:
            if entry.name not in data:
                yield entry.key, value
        else:
            yield name, value


def _misplaced(name: str, where: str) -> InvalidRequest:
    if name in CATALOGUE.groups:
        switch = "true, false or " if CATALOGUE.has_switch(name) else ""
        return InvalidRequest(
            f"{where}: {name} must be {switch}a table of settings",
            code="invalid_setting",
            hint=f"'satchel config explain {name}' lists them",
        )
    return not_in_file(CATALOGUE[name], where) if name in CATALOGUE else unknown_setting(name, where)


def not_in_file(entry: SettingEntry, where: str) -> InvalidRequest:
    """Return the error for a setting that the file cannot hold."""
    return InvalidRequest(
        f"{where}: {entry.key} cannot be set in the settings file, which is in that folder",
        code="invalid_setting",
        hint=f"use --{entry.key} or {entry.variable}",
    )


def unknown_setting(name: str, where: str) -> InvalidRequest:
    """Return the error for an unknown setting, with a suggestion."""
    return InvalidRequest(
        f"{where}: unknown setting {name[:80]!r}", code="invalid_setting", hint=CATALOGUE.suggestion(name[:80])
    )
