"""Read the configuration of the OpenClaw plugin as overrides, tolerating bad values with a warning."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from satchel.config import scopes
from satchel.config.answers import SettingExplanation, SettingSource, Value
from satchel.config.catalogue import OPENCLAW_PREFIX, SettingEntry, camel_case
from satchel.config.sources import CATALOGUE
from satchel.config.values import allowed, check_value, parse_value
from satchel.domain.policies import ScopePolicy
from satchel.errors import InvalidRequest

TABLE_KEY, TABLE = "tableName", "memories"
_WHERE = "openclaw"


class Overrides(Struct):
    """Our settings from the plugin's configuration."""

    given: dict[str, Any] = field(default_factory=dict)
    """Arguments for `load(**given)`."""
    warnings: list[str] = field(default_factory=list)

    def add(self, entry: SettingEntry, value: Value) -> None:
        """Add the value of one setting."""
        group = self.given.setdefault(entry.group, {}) if entry.group else self.given
        group[entry.name] = value


def from_openclaw(config: Mapping[str, Any]) -> Overrides:
    """Convert the plugin's configuration. Out-of-range numbers are clamped and invalid values ignored, with a warning."""
    overrides = Overrides()
    if not isinstance(config, Mapping):
        overrides.warnings.append(f"{_WHERE}: the configuration is not an object; it was ignored")
        return overrides
    by_key = {entry.openclaw: entry for entry in CATALOGUE.entries}
    for key, value in _flattened(config):
        entry = by_key.get(key)
        if entry is not None:
            _add(entry, value, overrides)
        elif key != TABLE_KEY:
            overrides.warnings.append(
                f"{_WHERE}: unknown setting {key[:80]!r}: {CATALOGUE.suggestion(key[:80], 'openclaw')}"
            )
        elif value != TABLE:
            overrides.warnings.append(f"{_WHERE}: {explain_table_name().help}; {TABLE_KEY} was ignored")
    _drop_invalid_scopes(overrides)
    return overrides


def _drop_invalid_scopes(overrides: Overrides) -> None:
    chosen = overrides.given.get(scopes.GROUP, {})
    for name in [name for name in scopes.SCOPE_SETTINGS if name in chosen]:
        policy = ScopePolicy(**chosen)
        if (problem := scopes.scopes_problem(policy, name)) is None:
            continue
        key = CATALOGUE[f"{scopes.GROUP}.{name}"].openclaw
        overrides.warnings.append(f"{_WHERE}: {key}: {problem.message}; it was ignored")
        named = chosen.pop(name)
        if isinstance(named, tuple):
            chosen[name] = tuple(scope for scope in named if scopes.scope_problem(scope, policy) is None)


def is_table_name(name: str) -> bool:
    """Return whether this is OpenClaw's key for the table name."""
    return name.strip().removeprefix(OPENCLAW_PREFIX) == TABLE_KEY


def explain_table_name() -> SettingExplanation:
    """Explain the one OpenClaw key that is not a setting here."""
    return SettingExplanation(
        key=TABLE_KEY,
        help=f"the table is always called {TABLE}",
        type="text",
        limits=f"always {TABLE}",
        default=TABLE,
        variable="",
        openclaw=TABLE_KEY,
        value=TABLE,
        source=SettingSource.DEFAULT,
    )


def _flattened(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every value with its dotted key; null means not given."""
    groups = {camel_case(group): group for group in CATALOGUE.groups}
    for name, value in config.items():
        if name not in groups:
            yield str(name), value
        elif isinstance(value, Mapping):
            yield from ((f"{name}.{key}", one) for key, one in value.items() if one is not None)
        elif isinstance(value, bool) and CATALOGUE.has_switch(groups[name]):
            yield f"{name}.enabled", value
        elif value is not None:
            yield name, value


def _add(entry: SettingEntry, value: Any, overrides: Overrides) -> None:
    # An empty string means not given, as in the environment.
    if value in (None, ""):
        return
    used = _nearest(entry, value)
    if used is None:
        overrides.warnings.append(f"{_WHERE}: {entry.openclaw} must be {allowed(entry)}; its value was ignored")
        return
    overrides.add(entry, used)
    if not _same(entry, value, used):
        shown = ", ".join(used) if isinstance(used, tuple) else used
        overrides.warnings.append(f"{_WHERE}: {entry.openclaw} must be {allowed(entry)}; {shown} is used")


def _nearest(entry: SettingEntry, value: Any) -> Value | None:
    """Return the nearest valid value, or None."""
    if entry.kind in (int, float):
        return _clamped(entry, value)
    if entry.kind is tuple and isinstance(value, (list, tuple)):
        return _valid_items(entry, value)
    return _valid(entry, value)


def _valid(entry: SettingEntry, value: Any) -> Value | None:
    try:
        return parse_value(entry, value, _WHERE) if isinstance(value, str) else check_value(entry, value, _WHERE)
    except InvalidRequest:
        return None


def _valid_items(entry: SettingEntry, items: list[Any] | tuple[Any, ...]) -> Value:
    texts = [item for item in items if isinstance(item, str) and _valid(entry, (item,)) is not None]
    return tuple(texts[: entry.setting.max_items])


def _clamped(entry: SettingEntry, value: Any) -> Value | None:
    number = _number(value)
    if number is None:
        return None
    whole = int(number) if entry.kind is int else number
    setting = entry.setting
    if whole == setting.off:
        return whole
    raised = whole if setting.minimum is None else max(whole, setting.minimum)
    nearest = raised if setting.maximum is None else min(raised, setting.maximum)
    return int(nearest) if entry.kind is int else float(nearest)


def _number(value: Any) -> float | None:
    """Return a finite number, also one written as text. JSON has one kind of number, so 3.0 is an integer."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, int):
        return value
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _same(entry: SettingEntry, value: Any, used: Value) -> bool:
    if isinstance(value, str):
        # A value written as text needs no warning.
        return _valid(entry, value) == used
    return bool((tuple(value) if isinstance(value, (list, tuple)) else value) == used)
