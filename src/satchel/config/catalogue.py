"""The catalogue: every setting with its names in the file, the environment and OpenClaw, built from the groups' fields."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, cast, get_origin

from msgspec import Struct
from msgspec.structs import fields

from satchel.config.answers import Value
from satchel.config.environment import PREFIX
from satchel.domain.setting import Setting, settings_of

OPENCLAW_PREFIX = "plugins.entries.openclaw-mem-engine.config."
# Keys that OpenClaw names differently.
_OPENCLAW_KEYS = {"home": "dbPath"}


class SettingEntry(Struct, frozen=True):
    """One setting with its group, name, type and default."""

    group: str
    """Empty for a setting at the top level."""
    name: str
    kind: type
    """bool, int, float, str, or tuple for a list of strings."""
    default: Value
    setting: Setting

    @property
    def key(self) -> str:
        """Its name in the settings file and on the command line."""
        return f"{self.group}.{self.name}" if self.group else self.name

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return PREFIX + (self.setting.variable or self.key.replace(".", "_").upper())

    @property
    def variables(self) -> tuple[str, ...]:
        """Its environment variable, and that of its other name."""
        return (self.variable, PREFIX + self.setting.alias.upper()) if self.setting.alias else (self.variable,)

    @property
    def openclaw(self) -> str:
        """Its key in the configuration of the OpenClaw plugin."""
        return _OPENCLAW_KEYS.get(self.key) or camel_case(self.key)

    @property
    def in_file(self) -> bool:
        """Whether the settings file may set it: not `home`, the folder that the file is in."""
        return self.key != "home"


class Catalogue(Struct, frozen=True, dict=True):
    """All settings, top-level ones first."""

    entries: tuple[SettingEntry, ...]
    groups: Mapping[str, type]

    def __getitem__(self, key: str) -> SettingEntry:
        return self._by_key[key]

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    @cached_property
    def _by_key(self) -> dict[str, SettingEntry]:
        return {entry.key: entry for entry in self.entries}

    def of_group(self, group: str) -> tuple[SettingEntry, ...]:
        """Return the settings of one group."""
        return tuple(entry for entry in self.entries if entry.group == group)

    def has_switch(self, group: str) -> bool:
        """Return whether true or false may stand for a whole group."""
        return f"{group}.enabled" in self

    def find(self, name: str) -> SettingEntry | None:
        """Return the setting with this key, OpenClaw key or environment variable."""
        plain = name.strip().removeprefix(OPENCLAW_PREFIX)
        return next((entry for entry in self.entries if plain in (entry.key, entry.openclaw, entry.variable)), None)

    def with_other_name(self, alias: str) -> SettingEntry | None:
        """Return the setting that has this other name."""
        return next((entry for entry in self.entries if alias and entry.setting.alias == alias), None)

    def find_group(self, name: str) -> str | None:
        """Return the group with this name, in our spelling or OpenClaw's."""
        plain = name.strip().removeprefix(OPENCLAW_PREFIX)
        return next((group for group in self.groups if plain in (group, camel_case(group))), None)

    def suggestion(self, name: str) -> str:
        """Return a hint with the closest known name."""
        from difflib import get_close_matches

        known = [*(entry.key for entry in self.entries), *self.groups]
        close = get_close_matches(name.removeprefix(OPENCLAW_PREFIX), known, n=1)
        return f"did you mean {close[0]}?" if close else "'satchel config explain' lists them all"


@cache
def catalogue(root: type) -> Catalogue:
    """Return the catalogue of a Struct whose fields are settings and groups of settings."""
    own = settings_of(root)
    groups: dict[str, Any] = {one.name: one.type for one in fields(root) if one.name not in own}
    entries = [*_entries("", root)]
    for name, group in groups.items():
        entries += _entries(name, group)
    return Catalogue(tuple(entries), groups)


def _entries(group: str, kind: type) -> list[SettingEntry]:
    own = settings_of(kind)
    return [
        SettingEntry(group, one.name, _kind(one.type), cast(Value, one.default), own[one.name])
        for one in fields(kind)
        if one.name in own
    ]


def _kind(annotation: Any) -> type:
    plain = annotation.__origin__
    kind: type = get_origin(plain) or plain
    return kind


def camel_case(key: str) -> str:
    """Return a key in OpenClaw's spelling."""
    first, *others = key.split("_")
    return first + "".join(word[0].upper() + word[1:] for word in others)
