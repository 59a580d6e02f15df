"""What there is to know of a store's server."""

from msgspec import Struct

from satchel.domain.outcome import Outcome, failed_if


class ServerStatus(Struct, frozen=True):
    """A server as it stands, or that there is none."""

    home: str
    """The folder of its store."""
    running: bool
    pid: int | None = None
    version: str | None = None
    since: int | None = None
    """When it was started, in milliseconds since the epoch."""
    socket: str | None = None
    port: int | None = None
    """The TCP port on 127.0.0.1, if it was given one."""
    fingerprint: str | None = None
    """The digest of the settings it was started with."""
    current: bool | None = None
    """Whether those are the settings of whoever asks; the command line does without it otherwise."""
    problem: str = ""

    @property
    def outcome(self) -> Outcome:
        """Failed when there is none."""
        return failed_if(not self.running)
