"""The survey: every setting with its value and where it came from. Flags win over the environment, that over the file."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.config import file, scopes
from satchel.config.answers import Source, Value
from satchel.config.catalogue import Catalogue, Setting, catalogue
from satchel.config.environment import variables
from satchel.config.folders import folder, platform_folder
from satchel.config.settings import Settings, value_of
from satchel.config.values import read, taken
from satchel.domain.policies import ScopePolicy
from satchel.errors import InvalidRequest

ALL: Catalogue = catalogue(Settings)
GIVEN = "given"


class Reading(Struct, frozen=True):
    """One setting as it was found."""

    setting: Setting
    value: Value
    source: Source
    problem: InvalidRequest | None = None
    """Why what was found could not be used; the value is then the default."""


class Survey(Struct, frozen=True, dict=True):
    """All settings as they were found, good and bad: enough to mend what is wrong."""

    file: Path
    readings: tuple[Reading, ...]
    file_problems: tuple[InvalidRequest, ...] = ()
    """What is wrong with the file beside the values of known settings."""
    given: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def problems(self) -> tuple[InvalidRequest, ...]:
        """Everything that keeps the settings from being used."""
        return (*self.file_problems, *(one.problem for one in self.readings if one.problem))

    @cached_property
    def settings(self) -> Settings:
        """The settings, or the first thing that is wrong with them as an error."""
        for problem in self.problems:
            raise problem
        given: dict[str, Any] = {}
        groups: dict[str, dict[str, Value]] = {}
        for one in self.readings:
            holder = groups.setdefault(one.setting.group, {}) if one.setting.group else given
            holder[one.setting.name] = one.value
        return Settings(**given, **{name: ALL.groups[name](**values) for name, values in groups.items()})

    def of(self, setting: Setting) -> Reading:
        """Return what was found of one setting."""
        return next(one for one in self.readings if one.setting == setting)

    def trying(self, setting: Setting, value: Value, where: str) -> Reading:
        """Return what would be found of a setting with another value."""
        readings = [replace(one, value=value, problem=None) if one.setting == setting else one for one in self.readings]
        return next(one for one in _scopes_judged(readings, where, where) if one.setting == setting)

    def anew(self) -> "Survey":
        """Look at the same sources again."""
        return look(self.environment, **self.given)


def load(environment: Mapping[str, str] | None = None, **given: Any) -> Settings:
    """Read the settings: what is given here wins over the environment, that over the file, that over the defaults.

    What is given looks like the file: `load(home="…", recall={"limit": 3}, budget=False)`.
    """
    return look(environment, **given).settings


def look(environment: Mapping[str, str] | None = None, **given: Any) -> Survey:
    """Survey the settings of the store that is named here, or by the environment, or else the person's own."""
    environment = variables() if environment is None else environment
    given = {name: value for name, value in given.items() if value is not None}
    if given.get("home") == "":
        raise InvalidRequest("the store's folder has no name", code="invalid_setting", hint="give --home a folder")
    flags, problems = _flat(given, GIVEN)
    for problem in problems:
        raise problem
    path = _home(flags, environment) / file.NAME
    said, problems = _file(path)
    readings = [_reading(one, flags, environment, said, str(path)) for one in ALL.settings]
    return Survey(path, tuple(_scopes_judged(readings, str(path))), tuple(problems), given, environment)


def surveyed(settings: Settings) -> Survey:
    """Return the survey of settings that were made by hand."""
    readings = tuple(Reading(one, value_of(settings, one), Source.FLAG) for one in ALL.settings)
    return Survey(settings.home_folder / file.NAME, readings)


def _home(flags: Mapping[str, Any], environment: Mapping[str, str]) -> Path:
    home = _reading(ALL["home"], flags, environment, {}, "")
    if home.problem:
        raise home.problem
    return folder(str(home.value)) if home.value else platform_folder()


def _reading(
    setting: Setting, flags: Mapping[str, Any], environment: Mapping[str, str], said: Mapping[str, Any], path: str
) -> Reading:
    """Read a setting from the strongest source that has it; what a weaker one says is not even looked at."""
    source = Source.DEFAULT
    try:
        if setting.key in flags:
            source = Source.FLAG
            return Reading(setting, taken(setting, flags[setting.key], GIVEN), source)
        if text := environment.get(setting.variable):
            source = Source.ENVIRONMENT
            return Reading(setting, read(setting, text, setting.variable), source)
        if setting.key in said:
            source = Source.FILE
            return Reading(setting, taken(setting, said[setting.key], path), source)
    except InvalidRequest as problem:
        return Reading(setting, setting.default, source, problem)
    return Reading(setting, setting.default, source)


def _scopes_judged(readings: Sequence[Reading], path: str, where: str = "") -> Iterator[Reading]:
    """Yield the readings, with those marked that name what is no scope by the policy they are part of."""
    policy = ScopePolicy(**{one.setting.name: one.value for one in readings if one.setting.group == scopes.GROUP})  # type: ignore[arg-type]
    for one in readings:
        names = one.setting.group == scopes.GROUP and one.setting.name in scopes.NAMING
        fault = scopes.unfit_scope(policy, one.setting.name) if names else None
        if fault is None or one.problem:
            yield one
        else:
            place = where or {Source.FILE: path, Source.ENVIRONMENT: one.setting.variable}.get(one.source, GIVEN)
            problem = scopes.refusal(one.setting.name, fault, place)
            yield replace(one, value=one.setting.default, problem=problem)


def _file(path: Path) -> tuple[dict[str, Any], list[InvalidRequest]]:
    try:
        return _flat(file.read(path), str(path))
    except InvalidRequest as problem:
        return {}, [problem]


def _flat(data: Mapping[str, Any], where: str) -> tuple[dict[str, Any], list[InvalidRequest]]:
    """Return what a file or a caller says, by key, and what is wrong beside the values."""
    said: dict[str, Any] = {}
    problems: list[InvalidRequest] = []
    for name, value in _unfolded(data):
        if name in ALL and (where == GIVEN or ALL[name].in_file):
            said[name] = value
        else:
            problems.append(_misplaced(name, where))
    return said, problems


def _unfolded(data: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in data.items():
        if name in ALL.groups and isinstance(value, bool) and ALL.can_be_switched(name):
            yield f"{name}.enabled", value
        elif name in ALL.groups and isinstance(value, Mapping):
            yield from ((f"{name}.{knob}", one) for knob, one in value.items() if one is not None)
        else:
            yield name, value


def _misplaced(name: str, where: str) -> InvalidRequest:
    if name in ALL.groups:
        switch = "true, false or " if ALL.can_be_switched(name) else ""
        return InvalidRequest(
            f"{where}: {name} must be {switch}a table of settings",
            code="invalid_setting",
            hint=f"'satchel config explain {name}' lists them",
        )
    return outside_the_file(ALL[name], where) if name in ALL else unknown(name, where)


def outside_the_file(setting: Setting, where: str) -> InvalidRequest:
    """Return the error for a setting that cannot stand in the file."""
    return InvalidRequest(
        f"{where}: {setting.key} cannot be set in a file that is found by it",
        code="invalid_setting",
        hint=f"use --{setting.key} or {setting.variable}",
    )


def unknown(name: str, where: str) -> InvalidRequest:
    """Return the error for a name that no setting has."""
    return InvalidRequest(
        f"{where}: no setting is called {name[:80]!r}", code="invalid_setting", hint=ALL.guess(name[:80])
    )
