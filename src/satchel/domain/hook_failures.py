"""The record of failed hooks. Loaded by hooks, so it loads nothing else."""

from typing import NamedTuple


class HookFailures(NamedTuple):
    """The failures since the record was cleared."""

    times: int
    since: int
    at: int
    """When the last one happened."""
    host: str
    event: str
    reason: str
