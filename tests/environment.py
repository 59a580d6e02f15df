"""The environment that tests run in: none of the settings of the person who runs them."""

import os
import time

PERSONAL = ("SATCHEL_", "OPENCLAW_", "MAR_")
# Says how much of a suite runs: the person's wish about the tests, not a setting of Satchel.
EXTENT = "SATCHEL_TEST_FULL"


def is_personal(variable: str) -> bool:
    """Say whether a variable could change what Satchel does."""
    return variable.startswith(PERSONAL) and variable != EXTENT


def clean() -> None:
    """Remove the person's settings from this process, and their time zone."""
    for name in filter(is_personal, list(os.environ)):
        del os.environ[name]
    os.environ["TZ"] = "UTC"
    time.tzset()
