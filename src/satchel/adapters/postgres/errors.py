"""Turns the errors of PostgreSQL into ours, each with a one-line message and a hint."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors

from satchel.errors import Corrupt, SatchelError, Unavailable

# Of the kinds of errors that have a number, those of a connection, of the server's resources and of its administrator.
_OUT_OF_REACH = ("08", "53", "57")
_NO_ANSWER = "08000"


@contextmanager
def translate_errors(where: str) -> Iterator[None]:
    """Turn PostgreSQL's errors into ours. No message of the server is repeated: it may quote a record."""
    try:
        yield
    except psycopg.Error as error:
        raise _translate(error, where) from error


def _translate(error: psycopg.Error, where: str) -> SatchelError:
    match error:
        case errors.LockNotAvailable() | errors.QueryCanceled() | errors.DeadlockDetected():
            return Unavailable(f"{where} is busy", code="busy", hint="another process is writing; try again")
        case errors.DiskFull():
            return Unavailable(f"the disk of {where} is full", code="disk_full", hint="free some space, then try again")
        case errors.ReadOnlySqlTransaction():
            return Unavailable(
                f"{where} is read-only", code="read_only", hint="it may be a replica: name the primary server"
            )
        case errors.InvalidPassword() | errors.InvalidAuthorizationSpecification() | errors.InsufficientPrivilege():
            return Unavailable(f"{where} refused this user", code="refused", hint="check the user and its rights")
        case errors.DataCorrupted() | errors.IndexCorrupted() | errors.IntegrityError():
            return Corrupt(f"{where} is damaged: {type(error).__name__}", hint="restore a backup of the database")
        case psycopg.OperationalError() if (error.sqlstate or _NO_ANSWER)[:2] in _OUT_OF_REACH:
            return Unavailable(
                f"{where} cannot be reached",
                code="unreachable",
                hint="check that the server runs and the address is right",
            )
    return SatchelError(f"{where} could not run a statement: {type(error).__name__}", code="ledger_error")
