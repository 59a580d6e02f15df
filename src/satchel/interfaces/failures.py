"""Errors at the edge: which envelope and which exit code each one becomes, found by walking its class tree."""

from satchel.domain.envelope import Failed
from satchel.domain.receipt import Receipt
from satchel.errors import Corrupt, InvalidRequest, SatchelError

FAILED = 1
EXIT_CODES: dict[type[SatchelError], int] = {SatchelError: FAILED, InvalidRequest: 2, Corrupt: 3}


def exit_code(error: SatchelError) -> int:
    """Return the exit code of an error: 1 it failed, 2 the request was wrong, 3 the store is newer or damaged."""
    return next(EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES)


def failed(operation: str, error: SatchelError, at: int) -> Failed:
    """Return the envelope of an error."""
    receipt = Receipt(operation, asked={}, decided={"error": error.code}, at=at)
    return Failed(error.code, error.message, error.hint, receipt)
