"""The table of operations: every edge is made from it, so that no two of them can drift apart."""

from satchel.interfaces.operations import (
    attention,
    care,
    configuration,
    machine,
    memories,
    sidecar,
    slot,
    transfer,
    turns,
)
from satchel.interfaces.operations.operation import Operation, Parameter
from satchel.interfaces.operations.session import Session

__all__ = ["OPERATIONS", "Operation", "Parameter", "Session"]

OPERATIONS: tuple[Operation, ...] = (
    *memories.OPERATIONS,
    *attention.OPERATIONS,
    *sidecar.OPERATIONS,
    *transfer.OPERATIONS,
    *care.OPERATIONS,
    *configuration.OPERATIONS,
    *machine.OPERATIONS,
    *turns.OPERATIONS,
    *slot.OPERATIONS,
)
