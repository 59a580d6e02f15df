"""How much of a suite runs: a short slice with `make test`, everything with `make test-faults` and `make test-security`."""

import os
from typing import TypeVar

T = TypeVar("T")


def extent(short: T, full: T) -> T:
    """Return the whole suite where `SATCHEL_TEST_FULL` is set, and its short slice elsewhere."""
    return full if is_whole() else short


def is_whole() -> bool:
    """Return whether the whole suites run, with the tests marked `whole`."""
    return bool(os.environ.get("SATCHEL_TEST_FULL"))
