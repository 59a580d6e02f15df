"""Turn errors into envelopes, exit codes and HTTP statuses, looked up by class."""

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager

from satchel.domain.envelope import Failed, Outcome
from satchel.domain.receipt import Receipt
from satchel.errors import Conflict, Corrupt, InvalidRequest, LimitReached, NotFound, Refused, SatchelError, Unavailable

EXIT_CODES: dict[type[SatchelError], int] = {SatchelError: Outcome.FAILED, InvalidRequest: 2, Corrupt: Outcome.DAMAGED}
HTTP_STATUSES: dict[type[SatchelError], int] = {
    SatchelError: 500,
    InvalidRequest: 400,
    Refused: 403,
    NotFound: 404,
    Conflict: 409,
    Unavailable: 503,
    LimitReached: 429,
}


def exit_code(error: SatchelError) -> int:
    """Return the exit code of an error: 1 failed, 2 invalid request, 3 the store is newer or damaged."""
    return next(EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES)


def http_status(error: SatchelError) -> int:
    """Return the HTTP status of an error."""
    return next(HTTP_STATUSES[kind] for kind in type(error).__mro__ if kind in HTTP_STATUSES)


def system_error(error: OSError, *, names_file: bool = False) -> Unavailable:
    """Return the error for a call that the operating system refused; file names are only for the operator."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Unavailable("the disk is full, nothing was written", code="disk_full", hint="free some space")
    named = f": {error.filename}" if names_file and error.filename else ""
    reason = error.strerror or (str(error) if names_file else "unknown reason")
    return Unavailable(
        f"the system refused: {reason}{named}",
        code="io_error",
        hint="check that the path exists and that you may use it" if names_file else "",
    )


def unwritable_output(error: OSError, *, done: bool) -> Unavailable:
    """Return the error for an answer that standard output did not take; with `done`, what it reports has happened."""
    return Unavailable(
        f"{'done, but ' if done else ''}the answer could not be written to standard output: {error.strerror}",
        code="unwritable_output",
    )


@contextmanager
def writing_output(*, done: bool) -> Iterator[None]:
    """Raise `unwritable_output` where writing fails. A closed pipe stays what it is."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise unwritable_output(error, done=done) from error


def reported_error(status: int, exit_code: int, code: str, message: str, hint: str) -> SatchelError:
    """Return an error that a server reported, as an instance of the class with that HTTP status and exit code."""
    by_status = {one: kind for kind, one in HTTP_STATUSES.items()}
    kind = Corrupt if exit_code == EXIT_CODES[Corrupt] else by_status.get(status, SatchelError)
    return kind(message, code=code, hint=hint)


def failure_of(operation: str, error: SatchelError, at: int | None = None) -> Failed:
    """Return the failure of an operation that raised an error, by default of this moment."""
    moment = time.time_ns() // 1_000_000 if at is None else at
    receipt = Receipt(operation, asked={}, decided={"error": error.code}, at=moment)
    return Failed(error.code, error.message, error.hint, receipt)
