"""The server of a store, as other processes see it."""

from msgspec import Struct


class RunningServer(Struct, frozen=True):
    """A process that keeps a store open for the others."""

    pid: int | None
    """None, as are version and start time, while it is starting."""
    version: str | None
    since: int | None
    on_demand: bool
    """Whether a hook started it, rather than a person."""
    idle_end: int | None = None
    """When it ends if nobody uses it until then; None if it runs until it is stopped."""
