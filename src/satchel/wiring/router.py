"""The router's ports: its files, its external backends, and how they are called."""

from satchel.adapters.backends.calls import InMemoryCooldowns, TimedCaller
from satchel.adapters.backends.external import ConfiguredBackends
from satchel.adapters.backends.files import JsonDocument, RotatedLog
from satchel.config import Settings
from satchel.ports.backend import RouterPorts
from satchel.ports.reading import ReadUnread


def router_ports(settings: Settings, read: ReadUnread) -> RouterPorts:
    """Return the files and the external backends of the dispatch router."""
    state = settings.router_folder
    return RouterPorts(
        state=JsonDocument(state / "backends.json"),
        rules=JsonDocument(settings.router_rules),
        log=RotatedLog(state / "router.log"),
        caller=TimedCaller(),
        external=ConfiguredBackends(read),
        cooldowns=InMemoryCooldowns(),
    )
