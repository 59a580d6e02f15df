"""The status of a store's server."""

from msgspec import Struct

from satchel.domain.envelope import Outcome, failed_if


class InspectorAddress(Struct, frozen=True):
    """Where a browser enters the inspector."""

    address: str
    """With a token that is valid once and for a minute."""
    port: int


class ServerStatus(Struct, frozen=True):
    """A running server, or that none runs."""

    home: str
    """The folder of its store."""
    running: bool
    pid: int | None = None
    version: str | None = None
    since: int | None = None
    """Start time, in milliseconds since the epoch."""
    socket: str | None = None
    port: int | None = None
    """The TCP port on 127.0.0.1, if it has one."""
    url: str | None = None
    """The address for other machines, if it has one."""
    bind: str | None = None
    """Where it listens for them, with the port in use."""
    fingerprint: str | None = None
    """The digest of the settings it was started with."""
    current: bool | None = None
    """Whether its settings are those of the caller; if not, the command line does not use it."""
    on_demand: bool = False
    """Whether a hook started it."""
    idle_minutes: float | None = None
    """Minutes without a request after which it ends; None if it runs until it is stopped."""
    idle_end: int | None = None
    """When it ends if nobody uses it until then."""
    problem: str = ""

    @property
    def outcome(self) -> Outcome:
        """Failed if no server runs."""
        return failed_if(not self.running)
