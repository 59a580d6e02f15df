"""The roster of backends in `backends.json`, and the plan of usable steps. Only the installer writes the file."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import Struct

from satchel.domain.canonical import Json
from satchel.domain.routing import (
    BACKENDS,
    MODES,
    BackendEntry,
    BackendRoster,
    BackendState,
    ChainStep,
    PlannedStep,
    SkippedStep,
)
from satchel.errors import InvalidRequest

NAME = "backends.json"
VERSION = "2.0"
NATIVE = "native"
QMD_ADAPTERS = ("qmd-cli", "qmd-http")
STANDARD = BackendRoster(tuple(BackendEntry(name, BackendState.READY) for name in BACKENDS), found=False)
"""The four native backends, used without a state file."""
_USABLE = (BackendState.READY, BackendState.DEGRADED)


def parse_roster(said: object) -> BackendRoster:
    """Parse a state file. Unknown fields and names are ignored; a malformed file raises InvalidRequest."""
    if not isinstance(said, Mapping):
        raise _malformed("it must be a JSON object")
    entries = said.get("backends")
    if not isinstance(entries, Mapping):
        raise _malformed("'backends' must be an object")
    tier = said.get("tier")
    if tier is not None and not isinstance(tier, str):
        raise _malformed("'tier' must be a string")
    known = [(name, entries[name]) for name in BACKENDS if name in entries]
    return BackendRoster(tuple(_entry(name, one) for name, one in known), tier=tier or None)


def _entry(name: str, said: object) -> BackendEntry:
    if not isinstance(said, Mapping):
        raise _malformed(f"the entry {name} must be an object")
    options, modes = said.get("options", {}), said.get("modes", {})
    if not isinstance(options, Mapping) or not isinstance(modes, Mapping):
        raise _malformed(f"options and modes of {name} must be objects")
    adapter = said.get("adapter", NATIVE)
    if not isinstance(adapter, str):
        raise _malformed(f"the adapter of {name} must be a string")
    message, checked = said.get("message"), said.get("last_health_check")
    return BackendEntry(
        name,
        _state(said.get("status")),
        adapter,
        dict(options),
        {mode: _state(modes[mode]) for mode in MODES if mode in modes},
        message if isinstance(message, str) else None,
        checked if isinstance(checked, str) else None,
    )


def _state(said: object) -> BackendState:
    """Return a state; an unknown word counts as unavailable."""
    try:
        return BackendState(said)  # type: ignore[arg-type]
    except ValueError:
        return BackendState.UNAVAILABLE


def document(before: object, entries: Sequence[BackendEntry], tier: str | None, now: str) -> dict[str, Json]:
    """Return the state file with these entries updated and everything else unchanged."""
    old: Mapping[str, Any] = before if isinstance(before, Mapping) else {}
    listed: Mapping[str, Any] = old["backends"] if isinstance(old.get("backends"), Mapping) else {}
    return {
        **old,
        "version": VERSION,
        **({"tier": tier} if tier else {}),
        "installed_at": old.get("installed_at", now),
        "updated_at": now,
        "backends": {**listed, **{one.name: _entry_document(one, listed.get(one.name), now) for one in entries}},
    }


def _entry_document(entry: BackendEntry, before: object, now: str) -> dict[str, Json]:
    old: Mapping[str, Any] = before if isinstance(before, Mapping) else {}
    usable = entry.state in _USABLE
    outside = entry.adapter.endswith("-http")
    return {
        **old,
        "status": entry.state.value,
        "setup_exit_code": 0 if usable else 2 if entry.state is BackendState.UNAVAILABLE else 1,
        "installed_at": old.get("installed_at", now),
        "message": entry.message,
        "network_reachable": usable if outside else None,
        "account_configured": ("api_key" in entry.options) if outside else None,
        "last_health_check": now,
        "adapter": entry.adapter,
        "options": dict(entry.options),
        "modes": {mode: state.value for mode, state in entry.modes.items()},
    }


def _malformed(reason: str) -> InvalidRequest:
    return InvalidRequest(f"{NAME}: {reason}", code="invalid_backends", hint="'satchel backends install' rewrites it")


class RoutePlan(Struct, frozen=True):
    """The steps to try, ready ones first, and the skipped ones."""

    steps: tuple[PlannedStep, ...]
    skipped: tuple[SkippedStep, ...]


def plan_steps(
    chain: tuple[ChainStep, ...],
    roster: BackendRoster,
    tiers: Mapping[str, tuple[str, ...]],
    resting: Collection[str] = (),
) -> RoutePlan:
    """Plan the usable steps of a chain; degraded backends and those that failed recently come last."""
    kept, skipped = [], []
    for step in chain:
        state, reason = _usable_state(step, roster, tiers)
        if state is None:
            skipped.append(SkippedStep(step.backend, step.mode, reason))
        else:
            effective = BackendState.DEGRADED if str(step) in resting else state
            kept.append(PlannedStep(step.backend, step.mode, effective))
    kept.sort(key=lambda one: one.state is BackendState.DEGRADED)
    return RoutePlan(tuple(kept), tuple(skipped))


def _usable_state(
    step: ChainStep, roster: BackendRoster, tiers: Mapping[str, tuple[str, ...]]
) -> tuple[BackendState | None, str]:
    entry = roster.entry(step.backend)
    if entry is None:
        return None, "not listed"
    if roster.tier is not None and step.backend not in tiers.get(roster.tier, ()):
        return None, f"not part of the tier {roster.tier}"
    if entry.state not in _USABLE:
        return None, entry.state.value
    if step.mode == "vsearch" and _by_words_only(entry):
        return None, "the option models is off"
    mode = entry.modes.get(step.mode, entry.state) if step.mode else entry.state
    if mode not in _USABLE:
        return None, f"mode {mode.value}"
    return (BackendState.DEGRADED if BackendState.DEGRADED in (mode, entry.state) else BackendState.READY), ""


def _by_words_only(entry: BackendEntry) -> bool:
    """Return whether a backend is a QMD without models, which cannot search by meaning."""
    return entry.adapter in QMD_ADAPTERS and entry.options.get("models") is not True
