"""Results of the config operations."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if

Value: TypeAlias = bool | int | float | str | tuple[str, ...]

MASK = "(set)"


class SettingSource(StrEnum):
    """Where a value came from, weakest first."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


class SettingState(Struct, frozen=True):
    """The current value of one setting; a secret is masked."""

    key: str
    value: Value
    source: SettingSource
    problem: str = ""
    """Why the value found was rejected; `value` is then the default."""


class Configuration(Struct, frozen=True):
    """The current settings."""

    file: str
    exists: bool
    settings: tuple[SettingState, ...]
    problems: tuple[str, ...]
    """Errors that block every other command until they are fixed."""

    @property
    def outcome(self) -> Outcome:
        """Failed if there are problems."""
        return failed_if(bool(self.problems))


class SettingExplanation(Struct, frozen=True):
    """Help, limits, names and current value of one setting."""

    key: str
    help: str
    type: str
    limits: str
    default: Value
    variable: str
    """Its environment variable."""
    openclaw: str
    """Its key in the configuration of the OpenClaw plugin."""
    value: Value
    source: SettingSource
    problem: str = ""


class ExplainedSettings(Struct, frozen=True):
    """The settings that were asked about."""

    settings: tuple[SettingExplanation, ...]


class SettingChange(Struct, frozen=True):
    """The result of a change to the settings file."""

    action: str
    """set, unset, or unchanged"""
    key: str
    before: Value | None
    """The effective value before; None for a whole group."""
    value: Value | None
    """The effective value now."""
    source: SettingSource | None
    file: str
    overridden_by: str = ""
    """The environment variable or flag that overrides the file, if any."""
