"""Show, explain, set and unset settings."""

from satchel.config import file
from satchel.config.answers import (
    Configuration,
    ExplainedSettings,
    SettingChange,
    SettingExplanation,
    SettingSource,
    SettingState,
    Value,
)
from satchel.config.catalogue import SettingEntry
from satchel.config.sources import CATALOGUE, SettingReading, SettingsSources, not_in_file, unknown_setting
from satchel.config.table_name import explain_table_name, is_table_name
from satchel.config.values import kind_name, limits, masked, parse_value
from satchel.errors import InvalidRequest, SatchelError
from satchel.locations import DATABASE_SCHEMES

_WHERE = "config"


def show(sources: SettingsSources, changed: bool, name: str | None = None) -> Configuration:
    """Return every setting with its source, or one setting, or those of a group.

    With `changed`, only those not left at their default.
    """
    entries = _named(name)
    states = tuple(
        SettingState(one.entry.key, _shown(sources, one), one.source, one_line(one.problem))
        for one in sources.readings
        if one.entry in entries and not (changed and one.source is SettingSource.DEFAULT)
    )
    problems = tuple(one_line(problem) for problem in sources.problems)
    return Configuration(str(sources.file), file.exists(sources.file), states, problems)


def _shown(sources: SettingsSources, reading: SettingReading) -> Value:
    """Return a value for display. The home folder is the one in use, whether or not it was named."""
    return str(sources.file.parent) if reading.entry.key == "home" else masked(reading.entry, reading.value)


def _named(name: str | None) -> tuple[SettingEntry, ...]:
    """Return the setting of a name, the settings of a group, or all of them."""
    if name is None:
        return CATALOGUE.entries
    if (group := CATALOGUE.find_group(name)) is not None:
        return CATALOGUE.of_group(group)
    if (entry := CATALOGUE.find(name)) is not None:
        return (entry,)
    raise unknown_setting(name, _WHERE)


def explain(sources: SettingsSources, name: str | None) -> ExplainedSettings:
    """Explain one setting, the settings of a group, or all of them."""
    if name is not None and is_table_name(name):
        return ExplainedSettings((explain_table_name(),))
    return ExplainedSettings(tuple(_explanation(sources, entry) for entry in _named(name)))


def set_value(sources: SettingsSources, name: str, text: str) -> SettingChange:
    """Set a value in the file. True or false sets the switch of a group that has one."""
    other = CATALOGUE.with_other_name(name) if text.startswith(DATABASE_SCHEMES) else None
    entry = other or _settable(name)
    value = parse_value(entry, text, _WHERE)
    if problem := sources.check(entry, value, _WHERE).problem:
        raise problem
    file.set_value(sources.file, entry, value)
    return _change("set", entry, sources, sources.reload())


def _settable(name: str) -> SettingEntry:
    if is_table_name(name):
        raise InvalidRequest(f"{_WHERE}: {explain_table_name().help}", code="invalid_setting")
    group = CATALOGUE.find_group(name)
    entry = CATALOGUE.find(name if group is None else f"{group}.enabled")
    if entry is None and group is not None:
        keys = ", ".join(one.key for one in CATALOGUE.of_group(group))
        raise InvalidRequest(f"{_WHERE}: {group} is a group", code="invalid_setting", hint=f"set one of: {keys}")
    if entry is None:
        raise unknown_setting(name, _WHERE)
    if not entry.in_file:
        raise not_in_file(entry, _WHERE)
    return entry


def unset(sources: SettingsSources, name: str) -> SettingChange:
    """Remove a setting, a whole group, or an unknown key from the file."""
    group, entry = CATALOGUE.find_group(name), CATALOGUE.find(name)
    if group is not None:
        removed = file.remove(sources.file, group, "")
    elif entry is not None:
        removed = file.remove(sources.file, entry.group, entry.name)
    else:
        removed = _remove_unknown(sources, name)
    action = "unset" if removed else "unchanged"
    if entry is None:
        return SettingChange(action, group or name, None, None, None, str(sources.file))
    return _change(action, entry, sources, sources.reload())


def _remove_unknown(sources: SettingsSources, name: str) -> bool:
    """Remove an unknown key from the file, where it blocks every other command."""
    table, _, key = name.partition(".")
    removed = file.remove(sources.file, "", name) or (key != "" and file.remove(sources.file, table, key))
    if not removed:
        raise unknown_setting(name, str(sources.file))
    return removed


def _change(action: str, entry: SettingEntry, before: SettingsSources, after: SettingsSources) -> SettingChange:
    old, new = before.of(entry), after.of(entry)
    overriding = {SettingSource.ENVIRONMENT: entry.variable, SettingSource.FLAG: f"--{entry.key}"}
    return SettingChange(
        action,
        entry.key,
        masked(entry, old.value),
        masked(entry, new.value),
        new.source,
        str(after.file),
        overriding.get(new.source, ""),
    )


def _explanation(sources: SettingsSources, entry: SettingEntry) -> SettingExplanation:
    reading = sources.of(entry)
    return SettingExplanation(
        key=entry.key,
        help=entry.setting.help,
        type=kind_name(entry),
        limits=limits(entry),
        default=masked(entry, entry.default),
        variable=entry.variable,
        openclaw=entry.openclaw,
        value=_shown(sources, reading),
        source=reading.source,
        problem=one_line(reading.problem),
    )


def one_line(problem: SatchelError | None) -> str:
    """Return a problem and its hint on one line."""
    if problem is None:
        return ""
    return f"{problem.message} ({problem.hint})" if problem.hint else problem.message
