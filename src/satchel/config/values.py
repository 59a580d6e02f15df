"""Values of settings: read from text or taken as they are, and refused when they are not what the knob allows."""

import math
import re
from typing import Any

from satchel.config.answers import MASK, Value
from satchel.config.catalogue import Setting
from satchel.domain.setting import Knob
from satchel.errors import InvalidRequest

_KINDS = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    tuple: "a list of texts",
}
_SWITCHES = {
    **dict.fromkeys(("true", "1", "yes", "on"), True),
    **dict.fromkeys(("false", "0", "no", "off"), False),
}
# What no name, address or key holds, and what a file cannot hold.
_UNWRITABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_SHOWN_CHARS = 80


def read(setting: Setting, text: str, where: str) -> Value:
    """Return the value that a text stands for, or refuse it. Entries of a list are separated by commas."""
    try:
        return taken(setting, _parsed(setting.kind, text), where)
    except ValueError:
        raise refusal(setting, text, where) from None


def _parsed(kind: type, text: str) -> object:
    if kind is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if kind is bool:
        return _SWITCHES.get(text.strip().lower())
    value: object = kind(text)
    return value


def taken(setting: Setting, value: object, where: str) -> Value:
    """Return a value that came with its type, or refuse it."""
    typed = _typed(setting.kind, value)
    if typed is None or not _within(setting.knob, typed):
        raise refusal(setting, value, where)
    return typed


def _typed(kind: type, value: Any) -> Value | None:
    """Return a value as the type that a setting has, or None when it is of another."""
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
    return isinstance(value, str) and not _UNWRITABLE.search(value)


def _within(knob: Knob, value: Value) -> bool:
    if isinstance(value, tuple):
        return knob.most_items is None or len(value) <= knob.most_items
    if knob.choices:
        return value in knob.choices
    if isinstance(value, (str, bool)) or value == knob.off:
        return True
    return (knob.least is None or value >= knob.least) and (knob.most is None or value <= knob.most)


def refusal(setting: Setting, value: object, where: str) -> InvalidRequest:
    """Return the error for a value that a setting cannot have: where it stands, and what is allowed."""
    said = "is not right" if setting.knob.secret else f"is {_short(value)}"
    return InvalidRequest(
        f"{where}: {setting.key} {said}; it must be {allowed(setting)}{_unwritable(value)}",
        code="invalid_setting",
        hint=f"'satchel config explain {setting.key}' tells more",
    )


def _unwritable(value: object) -> str:
    """Say what is wrong with a text that is one."""
    return " without line breaks and control characters" if isinstance(value, str) and not _writable(value) else ""


def _short(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    # A whole number can be too long even to be written out.
    text = (
        f"a number of {value.bit_length()} bits" if isinstance(value, int) and value.bit_length() > 200 else repr(value)
    )
    return text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…"


def allowed(setting: Setting) -> str:
    """Say in words what a setting can be."""
    if setting.knob.choices:
        return limits(setting)
    return f"{kind_name(setting)} {limits(setting)}".strip()


def kind_name(setting: Setting) -> str:
    """Say in words of which type a setting is."""
    return _KINDS[setting.kind]


def limits(setting: Setting) -> str:
    """Say in words how far a setting goes; empty where it has no limits."""
    knob = setting.knob
    if knob.choices:
        return f"one of: {', '.join(choice or 'nothing' for choice in knob.choices)}"
    if knob.most_items is not None:
        return f"of at most {knob.most_items} entries"
    if knob.least is None:
        return ""
    off = "" if knob.off is None else f", or {knob.off} for off"
    return f"from {knob.least} to {knob.most}{off}"


def masked(setting: Setting, value: Value) -> Value:
    """Return a value as it may be shown."""
    return MASK if setting.knob.secret and value else value
