"""The settings, as a person sees them."""

import json
from collections.abc import Callable

from satchel.config.answers import (
    MASK,
    Configuration,
    ExplainedSettings,
    SettingChange,
    SettingExplanation,
    SettingSource,
    Value,
)
from satchel.interfaces.cli.views.lines import Lines


def _configuration(result: Configuration) -> Lines:
    for one in result.settings:
        yield (
            f"{one.key} = {_value(one.value)}  ({one.source})",
            "dim" if one.source is SettingSource.DEFAULT else "bold",
        )
    if not result.settings:
        yield "every setting is at its default", "dim"
    for problem in result.problems:
        yield problem, "red"
    yield f"the file is {result.file}{'' if result.exists else ', which is not there yet'}", "dim"


def _explained(result: ExplainedSettings) -> Lines:
    if len(result.settings) == 1:
        yield from _whole(result.settings[0])
        return
    for one in result.settings:
        yield f"{one.key} = {_value(one.value)}", "bold" if one.source is not SettingSource.DEFAULT else ""
        yield f"    {one.help}", "dim"


def _whole(one: SettingExplanation) -> Lines:
    yield one.key, "bold"
    yield f"  {one.help}", ""
    yield f"  takes        {one.type}{', ' if one.limits else ''}{one.limits}", ""
    yield f"  default      {_value(one.default)}", ""
    yield f"  environment  {one.variable or 'none'}", ""
    yield f"  OpenClaw     {one.openclaw}", ""
    yield f"  now          {_value(one.value)}  ({one.source})", "bold"
    if one.problem:
        yield f"  {one.problem}", "red"


def _configured(result: SettingChange) -> Lines:
    if result.action == "unchanged":
        yield f"{result.key} was not set in {result.file}", "dim"
    elif result.before is None:
        yield f"{result.key} was removed from {result.file}", "green"
    else:
        yield f"{result.key} = {_value(result.value)}, was {_value(result.before)}", "green"
        yield f"  {result.action} in {result.file}", "dim"
    if result.overridden_by:
        yield f"  {result.overridden_by} is stronger than the file: its value holds", "yellow"


def _value(value: Value | None) -> str:
    return MASK if value == MASK else json.dumps(value, ensure_ascii=False)


VIEWS: dict[str, Callable[..., Lines]] = {
    "config show": _configuration,
    "config explain": _explained,
    "config set": _configured,
    "config unset": _configured,
}
