"""The roster: the backends of the state file, or the native ones if there is no file."""

from functools import cached_property

from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.routing import BACKENDS, BackendEntry, BackendRoster, BackendState
from satchel.ports.backend import RouterPorts
from satchel.routing.lanes import Lanes
from satchel.routing.native import NativeBackends, native_backends
from satchel.routing.roster import NATIVE, parse_roster


class RosterService(Service):
    """Operations on the roster of backends."""

    def __init__(self, parts: Parts, lanes: Lanes) -> None:
        super().__init__(parts)
        self._lanes = lanes

    @cached_property
    def _around(self) -> RouterPorts:
        return self._parts.surroundings()

    @cached_property
    def _natives(self) -> NativeBackends:
        return native_backends(self._lanes, self._clock.now)

    @property
    def _native_entries(self) -> tuple[BackendEntry, ...]:
        """The native backends, in their fixed order."""
        return tuple(BackendEntry(name, BackendState.READY) for name in BACKENDS if name in self._natives)

    def _roster(self) -> BackendRoster:
        """Return the roster of the state file. An invalid file is refused: guessing could ask the wrong backend."""
        state = self._around.state.read()
        return BackendRoster(self._native_entries, found=False) if state is None else parse_roster(state)


def serving(found: BackendRoster, scope: str) -> BackendRoster:
    """Return the entries that serve a scope: those that name it, and those that name none."""
    return replace(found, entries=tuple(one for one in found.entries if _serves(one, scope)))


def markdown_beside(entry: BackendEntry | None) -> BackendEntry | None:
    """Return the entry of the Markdown tiers that native totalrecall also uses if a folder is configured."""
    if entry is None or entry.name != "totalrecall" or entry.adapter != NATIVE or "folder" not in entry.options:
        return None
    return replace(entry, adapter="totalrecall-md")


def _serves(entry: BackendEntry, scope: str) -> bool:
    scopes = entry.options.get("scopes")
    return not isinstance(scopes, list) or scope in scopes
