"""The roster: which backends there are, as `backends.json` says. The router reads it; only an installer writes it."""

from collections.abc import Mapping, Sequence
from typing import Any

from satchel.domain.canonical import Json
from satchel.domain.routing import BACKENDS, MODES, Entry, Roster, State
from satchel.errors import InvalidRequest

NAME = "backends.json"
VERSION = "2.0"
NATIVE = "native"
STANDARD = Roster(tuple(Entry(name, State.READY) for name in BACKENDS), found=False)
"""The four that Satchel brings: what counts where no file says otherwise."""


def roster(said: object) -> Roster:
    """Return the roster that a file describes. Unknown fields and names are left alone; what is no roster is refused."""
    if not isinstance(said, Mapping):
        raise _malformed("it must be a JSON object")
    entries = said.get("backends")
    if not isinstance(entries, Mapping):
        raise _malformed("it has no object of backends")
    tier = said.get("tier")
    if tier is not None and not isinstance(tier, str):
        raise _malformed("its tier is no word")
    known = [(name, entries[name]) for name in BACKENDS if name in entries]
    return Roster(tuple(_entry(name, one) for name, one in known), tier=tier or None)


def _entry(name: str, said: object) -> Entry:
    if not isinstance(said, Mapping):
        raise _malformed(f"its entry {name} is no object")
    options, modes = said.get("options", {}), said.get("modes", {})
    if not isinstance(options, Mapping) or not isinstance(modes, Mapping):
        raise _malformed(f"the options of {name} are no object")
    adapter = said.get("adapter", NATIVE)
    if not isinstance(adapter, str):
        raise _malformed(f"the adapter of {name} is no word")
    message, checked = said.get("message"), said.get("last_health_check")
    return Entry(
        name,
        _state(said.get("status")),
        adapter,
        dict(options),
        {mode: _state(modes[mode]) for mode in MODES if mode in modes},
        message if isinstance(message, str) else None,
        checked if isinstance(checked, str) else None,
    )


def _state(said: object) -> State:
    """Return a state; a word that nobody knows is no promise that anything works."""
    try:
        return State(said)  # type: ignore[arg-type]
    except ValueError:
        return State.UNAVAILABLE


def document(before: object, entries: Sequence[Entry], tier: str | None, now: str) -> dict[str, Json]:
    """Return the file as an installer leaves it: these entries, and of the others whatever was there."""
    old: Mapping[str, Any] = before if isinstance(before, Mapping) else {}
    listed: Mapping[str, Any] = old["backends"] if isinstance(old.get("backends"), Mapping) else {}
    return {
        **old,
        "version": VERSION,
        **({"tier": tier} if tier else {}),
        "installed_at": old.get("installed_at", now),
        "updated_at": now,
        "backends": {**listed, **{one.name: _written(one, listed.get(one.name), now) for one in entries}},
    }


def _written(entry: Entry, before: object, now: str) -> dict[str, Json]:
    old: Mapping[str, Any] = before if isinstance(before, Mapping) else {}
    usable = entry.state in (State.READY, State.DEGRADED)
    outside = entry.adapter.endswith("-http")
    return {
        **old,
        "status": entry.state.value,
        "setup_exit_code": 0 if usable else 2 if entry.state is State.UNAVAILABLE else 1,
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
    return InvalidRequest(
        f"{NAME}: {reason}", code="invalid_backends", hint="'satchel backends install' writes it anew"
    )
