"""Parse and check values of settings."""

import math
from pathlib import Path
from typing import Any

from satchel.config.answers import MASK, Value
from satchel.config.catalogue import SettingEntry
from satchel.domain.safety.compiled import compiled
from satchel.domain.setting import Setting
from satchel.errors import InvalidRequest
from satchel.locations import folder_name, platform_folder_name

_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text", tuple: "a list of strings"}
_SWITCHES = {**dict.fromkeys(("true", "1", "yes", "on"), True), **dict.fromkeys(("false", "0", "no", "off"), False)}
_SWITCH_WORDS = ", or yes, no, on, off, 1, 0"
# Control characters and lone surrogates: a TOML file cannot hold them.
_UNWRITABLE = "[\x00-\x1f\x7f\ud800-\udfff]"
_SHOWN_CHARS = 80


_PASSWORD = r"(://[^/@:]*:)[^@/]*@"


def parse_value(entry: SettingEntry, text: str, where: str) -> Value:
    """Parse and check a value. List items are separated by commas."""
    try:
        return check_value(entry, _parsed(entry.kind, text), where)
    except ValueError:
        raise invalid_value(entry, text, where, _SWITCH_WORDS if entry.kind is bool else "") from None


def _parsed(kind: type, text: str) -> object:
    if kind is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is bool:
        if (word := text.strip().lower()) not in _SWITCHES:
            raise ValueError
        return _SWITCHES[word]
    value: object = kind(text)
    return value


def check_value(entry: SettingEntry, value: object, where: str) -> Value:
    """Return a typed value, or raise InvalidRequest if its type or range is wrong."""
    typed = _typed(entry.kind, value)
    if typed is None or not _within(entry.setting, typed):
        raise invalid_value(entry, value, where)
    return typed


def _typed(kind: type, value: Any) -> Value | None:
    """Return the value in its canonical type, or None if it has another type."""
    if kind is tuple:
        texts = isinstance(value, (list, tuple)) and all(_writable(one) for one in value)
        return tuple(value) if texts else None
    if kind is str:
        return str(value) if _writable(value) else None
    if kind is bool:
        return value if isinstance(value, bool) else None
    if kind is int:
        return value if type(value) is int else None
    return _finite(value) if type(value) in (int, float) else None


def _finite(value: float) -> float | None:
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def _writable(value: object) -> bool:
    return isinstance(value, str) and not compiled(_UNWRITABLE).search(value)


def _within(setting: Setting, value: Value) -> bool:
    if isinstance(value, tuple):
        return setting.max_items is None or len(value) <= setting.max_items
    if setting.choices:
        return value in setting.choices
    if isinstance(value, (str, bool)) or value == setting.off:
        return True
    minimum, maximum = setting.minimum, setting.maximum
    return (minimum is None or value >= minimum) and (maximum is None or value <= maximum)


def invalid_value(entry: SettingEntry, value: object, where: str, also: str = "") -> InvalidRequest:
    """Return the error for an invalid value: where it was found, what is allowed, and what is `also` allowed there."""
    found = "is not valid" if entry.setting.secret else f"is {_short(value)}"
    return InvalidRequest(
        f"{where}: {entry.key} {found}; it must be {allowed(entry)}{also}{_writable_text(value)}",
        code="invalid_setting",
        hint=f"see 'satchel config explain {entry.key}'",
    )


def _writable_text(value: object) -> str:
    return " without line breaks and control characters" if isinstance(value, str) and not _writable(value) else ""


def _short(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # Python refuses to print an integer of more than 4,300 digits.
    text = (
        f"a number of {value.bit_length()} bits" if isinstance(value, int) and value.bit_length() > 200 else repr(value)
    )
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def allowed(entry: SettingEntry) -> str:
    """Describe the allowed values."""
    if entry.setting.choices:
        return limits(entry)
    return f"{kind_name(entry)} {limits(entry)}".strip()


def kind_name(entry: SettingEntry) -> str:
    """Describe the type."""
    return _KINDS[entry.kind]


def limits(entry: SettingEntry) -> str:
    """Describe the limits; empty if there are none."""
    setting = entry.setting
    if setting.choices:
        return f"one of: {', '.join(choice or 'nothing' for choice in setting.choices)}"
    if setting.max_items is not None:
        return f"of at most {setting.max_items} entries"
    if setting.minimum is None:
        return ""
    off = "" if setting.off is None else f", or {setting.off} for off"
    return f"from {setting.minimum} to {setting.maximum}{off}"


def masked(entry: SettingEntry, value: Value) -> Value:
    """Return a value for display: a secret that is set is masked, and so is the password in an address."""
    if entry.setting.secret and value:
        return MASK
    if isinstance(value, tuple):
        return tuple(map(_without_password, value))
    return _without_password(value) if isinstance(value, str) else value


def _without_password(text: str) -> str:
    return compiled(_PASSWORD).sub(rf"\1{MASK}@", text)


def folder(text: str) -> Path:
    """Return the path of a folder name, or raise InvalidRequest if it cannot be one."""
    return Path(folder_name(text))


def platform_folder() -> Path:
    """Return the platform's data folder for satchel."""
    return Path(platform_folder_name())
