"""Perform operations for a page, on the server's workers."""

from typing import Any

from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.agents import Bounds
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.operations import operations_near

ACTOR = "inspector"
"""The local operator's changes made here have this actor in the history of a record, a user's have the user."""


class OperationAsker:
    """Performs operations of the table by name, within the bounds of who opened the inspector."""

    def __init__(self, workers: Workers, bounds: Bounds) -> None:
        self._workers = workers
        self._bounds = bounds
        self._caller = Caller(bounds.actor or ACTOR, ACTOR)

    async def __call__(self, operation: str, /, **arguments: Any) -> Ok[Any]:
        """Perform an operation; arguments that are None are left out. Raises its error."""
        found = next(one for one in operations_near(operation.split()[0]) if one.name == operation)
        given = {name: value for name, value in arguments.items() if value is not None}
        outcome = await self._workers.perform(found, self._bounds, given, self._caller)
        if isinstance(outcome, SatchelError):
            raise outcome
        return outcome
