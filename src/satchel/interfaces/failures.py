"""Turn errors into envelopes, exit codes and HTTP statuses, looked up by class."""

import time

from satchel.domain.envelope import Failed, Outcome
from satchel.domain.receipt import Receipt
from satchel.errors import Conflict, Corrupt, InvalidRequest, NotFound, Refused, SatchelError, Unavailable

EXIT_CODES: dict[type[SatchelError], int] = {SatchelError: Outcome.FAILED, InvalidRequest: 2, Corrupt: Outcome.DAMAGED}
HTTP_STATUSES: dict[type[SatchelError], int] = {
    SatchelError: 500,
    InvalidRequest: 400,
    Refused: 403,
    NotFound: 404,
    Conflict: 409,
    Unavailable: 503,
}


def exit_code(error: SatchelError) -> int:
    """Return the exit code of an error: 1 failed, 2 invalid request, 3 the store is newer or damaged."""
    return next(EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES)


def http_status(error: SatchelError) -> int:
    """Return the HTTP status of an error."""
    return next(HTTP_STATUSES[kind] for kind in type(error).__mro__ if kind in HTTP_STATUSES)


def reported_error(exit_code: int, code: str, message: str, hint: str) -> SatchelError:
    """Return an error that another process reported, as an instance of the class with that exit code."""
    kind = next((kind for kind, one in EXIT_CODES.items() if one == exit_code), SatchelError)
    return kind(message, code=code, hint=hint)


def failure_of(operation: str, error: SatchelError, at: int | None = None) -> Failed:
    """Return the failure of an operation that raised an error, by default of this moment."""
    moment = time.time_ns() // 1_000_000 if at is None else at
    receipt = Receipt(operation, asked={}, decided={"error": error.code}, at=moment)
    return Failed(error.code, error.message, error.hint, receipt)
