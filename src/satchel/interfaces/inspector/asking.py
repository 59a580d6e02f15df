"""Perform operations for a page, on the server's workers."""

from typing import Any

from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.agents import Bounds
from satchel.interfaces.http.workers import Caller, Workers
from satchel.interfaces.operations import operations_near

ACTOR = "inspector"
"""The actor of every change made here, in the history of a record."""


class OperationAsker:
    """Performs operations of the table by name, as the operator."""

    def __init__(self, workers: Workers, *, read_only: bool = False) -> None:
        self._workers = workers
        self._bounds = Bounds(operator=True, read_only=read_only)

    async def __call__(self, operation: str, /, **arguments: Any) -> Ok[Any]:
        """Perform an operation; arguments that are None are left out. Raises its error."""
        found = next(one for one in operations_near(operation.split()[0]) if one.name == operation)
        given = {name: value for name, value in arguments.items() if value is not None}
        outcome = await self._workers.perform(found, self._bounds, given, Caller(ACTOR, ACTOR))
        if isinstance(outcome, SatchelError):
            raise outcome
        return outcome
