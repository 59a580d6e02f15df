"""The catalogue: every setting with its names in each place it can be set from, made from the groups' fields."""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, cast, get_origin

from msgspec import Struct
from msgspec.structs import fields

from satchel.config.answers import Value
from satchel.config.environment import PREFIX
from satchel.domain.setting import Knob, knobs

OPENCLAW_PREFIX = "plugins.entries.openclaw-mem-engine.config."
# Where OpenClaw has another word for it.
_OPENCLAW_WORDS = {"home": "dbPath"}


class Setting(Struct, frozen=True):
    """One knob, and where it is: in a group, or at the top."""

    group: str
    name: str
    kind: type
    """bool, int, float, str, or tuple for a list of texts."""
    default: Value
    knob: Knob

    @property
    def key(self) -> str:
        """Its name in the settings file, and on the command line."""
        return f"{self.group}.{self.name}" if self.group else self.name

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return PREFIX + (self.knob.variable or self.key.replace(".", "_").upper())

    @property
    def openclaw(self) -> str:
        """Its key in the configuration of the OpenClaw plugin."""
        return _OPENCLAW_WORDS.get(self.key) or camel_case(self.key)

    @property
    def in_file(self) -> bool:
        """Whether it may stand in the settings file; the folder that the file is in cannot."""
        return self.key != "home"


class Catalogue(Struct, frozen=True, dict=True):
    """Every setting, those at the top first."""

    settings: tuple[Setting, ...]
    groups: Mapping[str, type]

    def __getitem__(self, key: str) -> Setting:
        return self._by_key[key]

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    @cached_property
    def _by_key(self) -> dict[str, Setting]:
        return {setting.key: setting for setting in self.settings}

    def of_group(self, group: str) -> tuple[Setting, ...]:
        """Return the settings of one group."""
        return tuple(setting for setting in self.settings if setting.group == group)

    def can_be_switched(self, group: str) -> bool:
        """Say whether true or false may stand for a whole group."""
        return f"{group}.enabled" in self

    def setting(self, name: str) -> Setting | None:
        """Return the setting of a name, in our spelling, OpenClaw's, or as an environment variable."""
        plain = name.strip().removeprefix(OPENCLAW_PREFIX)
        return next((one for one in self.settings if plain in (one.key, one.openclaw, one.variable)), None)

    def group(self, name: str) -> str | None:
        """Return the group of a name, in our spelling or OpenClaw's."""
        plain = name.strip().removeprefix(OPENCLAW_PREFIX)
        return next((group for group in self.groups if plain in (group, camel_case(group))), None)

    def guess(self, name: str, spelling: str = "key") -> str:
        """Return a hint that names the setting somebody may have meant."""
        from difflib import get_close_matches

        names = [getattr(one, spelling) for one in self.settings]
        groups = [group if spelling == "key" else camel_case(group) for group in self.groups]
        close = get_close_matches(name.removeprefix(OPENCLAW_PREFIX), [*names, *groups], n=1)
        return f"did you mean {close[0]}?" if close else "'satchel config explain' lists them all"


@cache
def catalogue(root: type) -> Catalogue:
    """Return every setting of a Struct of groups."""
    own = knobs(root)
    groups: dict[str, Any] = {one.name: one.type for one in fields(root) if one.name not in own}
    settings = [*_settings("", root)]
    for name, group in groups.items():
        settings += _settings(name, group)
    return Catalogue(tuple(settings), groups)


def _settings(group: str, kind: type) -> list[Setting]:
    own = knobs(kind)
    return [
        Setting(group, one.name, _kind(one.type), cast(Value, one.default), own[one.name])
        for one in fields(kind)
        if one.name in own
    ]


def _kind(annotation: Any) -> type:
    plain = annotation.__origin__
    kind: type = get_origin(plain) or plain
    return kind


def camel_case(key: str) -> str:
    """Return a key as OpenClaw spells it."""
    first, *others = key.split("_")
    return first + "".join(word[0].upper() + word[1:] for word in others)
