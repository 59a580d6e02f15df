"""The outcome of an answer: one that tells of damage was well found, and must not look like success."""

from enum import IntEnum


class Outcome(IntEnum):
    """How an operation that answered has ended; the number is the command's exit code.

    A result that can be bad news has a property `outcome`; every other one is done.
    """

    DONE = 0
    FAILED = 1
    DAMAGED = 3


def outcome_of(result: object) -> Outcome:
    """Return the outcome that a result tells of."""
    outcome: Outcome = getattr(result, "outcome", Outcome.DONE)
    return outcome


def failed_if(bad: bool) -> Outcome:
    """Return that it failed, or that it is done."""
    return Outcome.FAILED if bad else Outcome.DONE
