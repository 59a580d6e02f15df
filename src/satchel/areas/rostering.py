"""Which backends the router may ask: those of the state file, or Satchel's own where there is none."""

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from satchel.domain.routing import BACKENDS, Entry, Roster, State
from satchel.ports.backend import JsonFile
from satchel.route.roster import NATIVE, roster


def native_entries(names: Collection[str]) -> tuple[Entry, ...]:
    """Return the entries of Satchel's own backends, in the order in which they are always named."""
    return tuple(Entry(name, State.READY) for name in BACKENDS if name in names)


def read_roster(file: JsonFile, native: Sequence[Entry]) -> Roster:
    """Return what the state file says. One that cannot be understood is refused: nobody knows what would work."""
    said = file.read()
    return Roster(tuple(native), found=False) if said is None else roster(said)


def serving(found: Roster, scope: str) -> Roster:
    """Return the entries that serve a scope: all that name none, and those that name it."""
    return replace(found, entries=tuple(one for one in found.entries if _serves(one, scope)))


def markdown_beside(entry: Entry | None) -> Entry | None:
    """Return the entry of the Markdown tiers that the native totalrecall reads and writes too, where a folder is named."""
    if entry is None or entry.name != "totalrecall" or entry.adapter != NATIVE or "folder" not in entry.options:
        return None
    return replace(entry, adapter="totalrecall-md")


def _serves(entry: Entry, scope: str) -> bool:
    scopes = entry.options.get("scopes")
    return not isinstance(scopes, list) or scope in scopes
