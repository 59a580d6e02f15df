"""The environment that tests run in: none of the settings of the person who runs them."""

import os

PERSONAL = ("SATCHEL_", "OPENCLAW_", "MAR_")


def is_personal(variable: str) -> bool:
    """Say whether a variable could change what Satchel does."""
    return variable.startswith(PERSONAL)


def clean() -> None:
    """Remove the person's settings from this process."""
    for name in filter(is_personal, list(os.environ)):
        del os.environ[name]
