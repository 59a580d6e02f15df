"""What one does with the settings: look at them, ask about them, change them."""

from satchel.config import file
from satchel.config.answers import Configuration, Configured, Explained, Explanation, SettingState, Source
from satchel.config.catalogue import Setting
from satchel.config.openclaw import is_table_name, table_explained
from satchel.config.sources import ALL, Survey, outside_the_file, unknown
from satchel.config.values import kind_name, limits, masked, read
from satchel.errors import InvalidRequest, SatchelError

_WHERE = "config"


def show(survey: Survey, changed: bool) -> Configuration:
    """Return every setting with where it came from; with `changed`, only those that are not left at their default."""
    states = tuple(
        SettingState(one.setting.key, masked(one.setting, one.value), one.source, said(one.problem))
        for one in survey.readings
        if not (changed and one.source is Source.DEFAULT)
    )
    problems = tuple(said(problem) for problem in survey.problems)
    return Configuration(str(survey.file), file.exists(survey.file), states, problems)


def explain(survey: Survey, name: str | None) -> Explained:
    """Explain one setting, those of a group, or all of them."""
    if name is None:
        return Explained(tuple(_explanation(survey, one) for one in ALL.settings))
    if is_table_name(name):
        return Explained((table_explained(),))
    if (group := ALL.group(name)) is not None:
        return Explained(tuple(_explanation(survey, one) for one in ALL.of_group(group)))
    if (setting := ALL.setting(name)) is not None:
        return Explained((_explanation(survey, setting),))
    raise unknown(name, _WHERE)


def put(survey: Survey, name: str, text: str) -> Configured:
    """Set a value in the file. For a group that can be switched off, true or false switches it."""
    setting = _settable(name)
    value = read(setting, text, _WHERE)
    if problem := survey.trying(setting, value, _WHERE).problem:
        raise problem
    file.put(survey.file, setting, value)
    return _changed("set", setting, survey, survey.anew())


def _settable(name: str) -> Setting:
    if is_table_name(name):
        raise InvalidRequest(f"{_WHERE}: {table_explained().help}", code="invalid_setting")
    group = ALL.group(name)
    setting = ALL.setting(name if group is None else f"{group}.enabled")
    if setting is None and group is not None:
        listed = ", ".join(one.key for one in ALL.of_group(group))
        raise InvalidRequest(f"{_WHERE}: {group} is a group", code="invalid_setting", hint=f"set one of: {listed}")
    if setting is None:
        raise unknown(name, _WHERE)
    if not setting.in_file:
        raise outside_the_file(setting, _WHERE)
    return setting


def unset(survey: Survey, name: str) -> Configured:
    """Remove a setting or a whole group from the file, and what no setting is called as well."""
    group, setting = ALL.group(name), ALL.setting(name)
    if group is not None:
        removed = file.take_out(survey.file, group, "")
    elif setting is not None:
        removed = file.take_out(survey.file, setting.group, setting.name)
    else:
        removed = _take_out_stray(survey, name)
    action = "unset" if removed else "unchanged"
    if setting is None:
        return Configured(action, group or name, None, None, None, str(survey.file))
    return _changed(action, setting, survey, survey.anew())


def _take_out_stray(survey: Survey, name: str) -> bool:
    """Remove what should not be in the file: it keeps every other command from running."""
    table, _, key = name.partition(".")
    removed = file.take_out(survey.file, "", name) or (key != "" and file.take_out(survey.file, table, key))
    if not removed:
        raise unknown(name, str(survey.file))
    return removed


def _changed(action: str, setting: Setting, before: Survey, after: Survey) -> Configured:
    was, now = before.of(setting), after.of(setting)
    stronger = {Source.ENVIRONMENT: setting.variable, Source.FLAG: f"--{setting.key}"}
    return Configured(
        action,
        setting.key,
        masked(setting, was.value),
        masked(setting, now.value),
        now.source,
        str(after.file),
        stronger.get(now.source, ""),
    )


def _explanation(survey: Survey, setting: Setting) -> Explanation:
    reading = survey.of(setting)
    return Explanation(
        key=setting.key,
        help=setting.knob.help,
        type=kind_name(setting),
        limits=limits(setting),
        default=masked(setting, setting.default),
        variable=setting.variable,
        openclaw=setting.openclaw,
        value=masked(setting, reading.value),
        source=reading.source,
        problem=said(reading.problem),
    )


def said(problem: SatchelError | None) -> str:
    """Return a problem in one line, with what to do about it."""
    if problem is None:
        return ""
    return f"{problem.message} ({problem.hint})" if problem.hint else problem.message
