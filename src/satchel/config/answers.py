"""What the settings answer when they are asked about or changed."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from satchel.domain.outcome import Outcome, failed_if

Value: TypeAlias = bool | int | float | str | tuple[str, ...]

MASK = "(set)"


class Source(StrEnum):
    """Where a value came from, weakest first."""

    DEFAULT = "default"
    FILE = "file"
    ENVIRONMENT = "environment"
    FLAG = "flag"


class SettingState(Struct, frozen=True):
    """One setting as it stands. A secret's value is masked."""

    key: str
    value: Value
    source: Source
    problem: str = ""
    """Why what was found there could not be used; the value is then the default."""


class Configuration(Struct, frozen=True):
    """The settings as they stand."""

    file: str
    exists: bool
    settings: tuple[SettingState, ...]
    problems: tuple[str, ...]
    """Everything that keeps other commands from running, until it is mended."""

    @property
    def outcome(self) -> Outcome:
        """Failed while anything keeps other commands from running."""
        return failed_if(bool(self.problems))


class Explanation(Struct, frozen=True):
    """What there is to know of one setting."""

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
    source: Source
    problem: str = ""


class Explained(Struct, frozen=True):
    """The settings that were asked about."""

    settings: tuple[Explanation, ...]


class Configured(Struct, frozen=True):
    """What became of a change to the settings file."""

    action: str
    """set, unset, or unchanged"""
    key: str
    before: Value | None
    """What was in force before; None for a whole group."""
    value: Value | None
    """What is in force now."""
    source: Source | None
    file: str
    overridden_by: str = ""
    """The environment variable or flag that is stronger than the file, where there is one."""
