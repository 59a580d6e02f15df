"""A setting: the help and limits that annotate a field of a settings group."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import fields


class Setting(Struct, frozen=True):
    """Help and limits of one setting; its name, type and default are those of the annotated field."""

    help: str
    minimum: float | None = None
    maximum: float | None = None
    off: float | None = None
    """A number outside the range that switches it off."""
    choices: tuple[str, ...] = ()
    max_items: int | None = None
    """Maximum length of a list."""
    secret: bool = False
    """The value is never shown."""
    variable: str = ""
    """Its environment variable without the prefix, if that is not derived from its key."""
    alias: str = ""
    """Another name in the settings file, and another environment variable without the prefix in capitals."""


def settings_of(group: type) -> Mapping[str, Setting]:
    """Return the settings of a group, by field name."""
    annotated = {one.name: _setting(one.type) for one in fields(group)}
    return {name: setting for name, setting in annotated.items() if setting}


def _setting(annotation: Any) -> Setting | None:
    return next((one for one in getattr(annotation, "__metadata__", ()) if isinstance(one, Setting)), None)
