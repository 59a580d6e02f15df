"""Which backends the router may ask: those of the state file, or Satchel's own where there is none."""

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
        """Satchel's own backends, in the order in which they are always named."""
        return tuple(BackendEntry(name, BackendState.READY) for name in BACKENDS if name in self._natives)

    def _roster(self) -> BackendRoster:
        """Return what the state file says. One that cannot be understood is refused: nobody knows what would work."""
        said = self._around.state.read()
        return BackendRoster(self._native_entries, found=False) if said is None else parse_roster(said)


def serving(found: BackendRoster, scope: str) -> BackendRoster:
    """Return the entries that serve a scope: all that name none, and those that name it."""
    return replace(found, entries=tuple(one for one in found.entries if _serves(one, scope)))


def markdown_beside(entry: BackendEntry | None) -> BackendEntry | None:
    """Return the entry of the Markdown tiers that the native totalrecall reads and writes too, where a folder is named."""
    if entry is None or entry.name != "totalrecall" or entry.adapter != NATIVE or "folder" not in entry.options:
        return None
    return replace(entry, adapter="totalrecall-md")


def _serves(entry: BackendEntry, scope: str) -> bool:
    scopes = entry.options.get("scopes")
    return not isinstance(scopes, list) or scope in scopes
