"""The envelope of every operation's result, and its outcome."""

from enum import IntEnum
from typing import Generic, TypeVar

from msgspec import Struct

from satchel.domain.receipt import Receipt

T_co = TypeVar("T_co", covariant=True)


class Ok(Struct, Generic[T_co], frozen=True):
    """A successful operation: its result and its receipt."""

    result: T_co
    receipt: Receipt


class Failed(Struct, frozen=True):
    """A failed operation: a stable code, a message, a hint what to do next, and its receipt."""

    code: str
    message: str
    hint: str
    receipt: Receipt


class Outcome(IntEnum):
    """The exit code of an operation that returned a result.

    A result that can report a failure has an `outcome` property; every other result is DONE.
    """

    DONE = 0
    FAILED = 1
    DAMAGED = 3


def outcome_of(result: object) -> Outcome:
    """Return the outcome of a result."""
    outcome: Outcome = getattr(result, "outcome", Outcome.DONE)
    return outcome


def failed_if(bad: bool) -> Outcome:
    """Return FAILED or DONE."""
    return Outcome.FAILED if bad else Outcome.DONE
