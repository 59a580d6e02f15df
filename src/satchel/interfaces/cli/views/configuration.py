"""Views of the settings."""

import json

from satchel.config import answers
from satchel.domain.embedding import DEFAULT_PROVIDER
from satchel.interfaces.cli.views.lines import Lines, Views


def _configuration(result: answers.Configuration) -> Lines:
    for one in result.settings:
        yield (
            f"{one.key} = {_value(one.value)}  ({one.source}{_of_empty(one)})",
            "dim" if one.source is answers.SettingSource.DEFAULT else "bold",
        )
    if not result.settings:
        yield "all settings have their defaults", "dim"
    for problem in result.problems:
        yield problem, "red"
    yield f"file: {result.file}{'' if result.exists else ' (does not exist yet)'}", "dim"


def _of_empty(one: answers.SettingState) -> str:
    """Say which model embeds if none is named."""
    return "" if one.value or one.key != "embedding.provider" else f": the store's own, else {DEFAULT_PROVIDER}"


def _explained(result: answers.ExplainedSettings) -> Lines:
    if len(result.settings) == 1:
        yield from _explained_setting(result.settings[0])
        return
    for one in result.settings:
        yield f"{one.key} = {_value(one.value)}", "bold" if one.source is not answers.SettingSource.DEFAULT else ""
        yield f"    {one.help}", "dim"


def _explained_setting(one: answers.SettingExplanation) -> Lines:
    yield one.key, "bold"
    yield f"  {one.help}", ""
    yield f"  takes        {one.type}{', ' if one.limits else ''}{one.limits}", ""
    yield f"  default      {_value(one.default)}", ""
    yield f"  environment  {one.variable or 'none'}", ""
    yield f"  OpenClaw     {one.openclaw}", ""
    yield f"  now          {_value(one.value)}  ({one.source})", "bold"
    if one.problem:
        yield f"  {one.problem}", "red"


def _configured(result: answers.SettingChange) -> Lines:
    if result.action == "unchanged":
        yield f"{result.key} was not set in {result.file}", "dim"
    elif result.before is None:
        yield f"{result.key} was removed from {result.file}", "green"
    else:
        yield f"{result.key} = {_value(result.value)}, was {_value(result.before)}", "green"
        yield f"  {result.action} in {result.file}", "dim"
    if result.overridden_by:
        yield f"  {result.overridden_by} overrides the file", "yellow"


def _value(value: answers.Value | None) -> str:
    return answers.MASK if value == answers.MASK else json.dumps(value, ensure_ascii=False)


VIEWS: Views = {
    "config show": _configuration,
    "config explain": _explained,
    "config set": _configured,
    "config unset": _configured,
}
