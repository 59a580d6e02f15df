"""The configuration of the OpenClaw plugin, taken as overrides: it is forgiving where ours is strict, and says so."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field

from satchel.config import scopes
from satchel.config.answers import Explanation, Source, Value
from satchel.config.catalogue import OPENCLAW_PREFIX, Setting, camel_case
from satchel.config.sources import ALL
from satchel.config.values import allowed, read, taken
from satchel.domain.policies import ScopePolicy
from satchel.errors import InvalidRequest

TABLE_KEY, TABLE = "tableName", "memories"
_WHERE = "openclaw"


class Overrides(Struct):
    """What the plugin's configuration comes to."""

    given: dict[str, Any] = field(default_factory=dict)
    """For `load(**given)`."""
    warnings: list[str] = field(default_factory=list)

    def put(self, setting: Setting, value: Value) -> None:
        """Add the value of one setting."""
        holder = self.given.setdefault(setting.group, {}) if setting.group else self.given
        holder[setting.name] = value


def from_openclaw(config: Mapping[str, Any]) -> Overrides:
    """Take the plugin's configuration. Numbers out of range are clamped, what makes no sense is left out, with a warning."""
    overrides = Overrides()
    if not isinstance(config, Mapping):
        overrides.warnings.append(f"{_WHERE}: the configuration is no object; it was left out")
        return overrides
    by_key = {one.openclaw: one for one in ALL.settings}
    for key, value in _unfolded(config):
        setting = by_key.get(key)
        if setting is not None:
            _take(setting, value, overrides)
        elif key != TABLE_KEY:
            overrides.warnings.append(f"{_WHERE}: unknown setting {key[:80]!r}: {ALL.guess(key[:80], 'openclaw')}")
        elif value != TABLE:
            overrides.warnings.append(f"{_WHERE}: {table_explained().help}; {TABLE_KEY} was left out")
    _leave_out_what_is_no_scope(overrides)
    return overrides


def _leave_out_what_is_no_scope(overrides: Overrides) -> None:
    chosen = overrides.given.get(scopes.GROUP, {})
    for name in [name for name in scopes.NAMING if name in chosen]:
        policy = ScopePolicy(**chosen)
        if (fault := scopes.unfit_scope(policy, name)) is None:
            continue
        key = ALL[f"{scopes.GROUP}.{name}"].openclaw
        overrides.warnings.append(f"{_WHERE}: {key}: {fault.message}; it was left out")
        named = chosen.pop(name)
        if isinstance(named, tuple):
            chosen[name] = tuple(scope for scope in named if scopes.fault(scope, policy) is None)


def is_table_name(name: str) -> bool:
    """Say whether this is OpenClaw's key for the name of the table."""
    return name.strip().removeprefix(OPENCLAW_PREFIX) == TABLE_KEY


def table_explained() -> Explanation:
    """Explain the one key of OpenClaw's that is no setting here."""
    return Explanation(
        key=TABLE_KEY,
        help=f"the table is always called {TABLE}",
        type="a text",
        limits=f"always {TABLE}",
        default=TABLE,
        variable="",
        openclaw=TABLE_KEY,
        value=TABLE,
        source=Source.DEFAULT,
    )


def _unfolded(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield every value with its dotted key. What is null was not given."""
    groups = {camel_case(group): group for group in ALL.groups}
    for name, value in config.items():
        if name not in groups:
            yield str(name), value
        elif isinstance(value, Mapping):
            yield from ((f"{name}.{knob}", one) for knob, one in value.items() if one is not None)
        elif isinstance(value, bool) and ALL.can_be_switched(groups[name]):
            yield f"{name}.enabled", value
        elif value is not None:
            yield name, value


def _take(setting: Setting, value: Any, overrides: Overrides) -> None:
    # An empty text is nothing, as in the environment.
    if value in (None, ""):
        return
    meant = _forgiven(setting, value)
    if meant is None:
        overrides.warnings.append(
            f"{_WHERE}: {setting.openclaw} must be {allowed(setting)}; what it was set to was left out"
        )
        return
    overrides.put(setting, meant)
    if not _same(setting, value, meant):
        shown = ", ".join(meant) if isinstance(meant, tuple) else meant
        overrides.warnings.append(f"{_WHERE}: {setting.openclaw} must be {allowed(setting)}; taken as {shown}")


def _forgiven(setting: Setting, value: Any) -> Value | None:
    """Return the nearest value that the setting can have, or None when there is none."""
    if setting.kind in (int, float):
        return _clamped(setting, value)
    if setting.kind is tuple and isinstance(value, (list, tuple)):
        return _fitting(setting, value)
    return _accepted(setting, value)


def _accepted(setting: Setting, value: Any) -> Value | None:
    try:
        return read(setting, value, _WHERE) if isinstance(value, str) else taken(setting, value, _WHERE)
    except InvalidRequest:
        return None


def _fitting(setting: Setting, entries: list[Any] | tuple[Any, ...]) -> Value:
    """Return the entries that are texts, as many as there may be."""
    texts = [entry for entry in entries if isinstance(entry, str) and _accepted(setting, (entry,)) is not None]
    return tuple(texts[: setting.knob.most_items])


def _clamped(setting: Setting, value: Any) -> Value | None:
    number = _number(value)
    if number is None:
        return None
    whole = int(number) if setting.kind is int else number
    knob = setting.knob
    if whole == knob.off:
        return whole
    raised = whole if knob.least is None else max(whole, knob.least)
    nearest = raised if knob.most is None else min(raised, knob.most)
    return int(nearest) if setting.kind is int else float(nearest)


def _number(value: Any) -> float | None:
    """Return a number, or one written as text. JSON knows one kind of number, so 3.0 is whole."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, int):
        return value
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _same(setting: Setting, value: Any, meant: Value) -> bool:
    if isinstance(value, str):
        # Text that stands for the value it was taken as is no reason for a word.
        return _accepted(setting, value) == meant
    return bool((tuple(value) if isinstance(value, (list, tuple)) else value) == meant)
